/** A subschema on its way from what was read to what can be applied, and how its keywords find their subschemas. */
import type { JsonObject } from "../../runtime/json.js";
import type { Budget } from "../../runtime/work-budget.js";
import type { Dialect } from "../dialects.js";
import type { SchemaChild, SchemaNode, SchemaResource } from "../document/schema-node.js";
import type { TypeName } from "../json-kind.js";
import type { PatternTest } from "../patterns/pattern-matcher.js";
import type { Check, ValidationRun } from "./validation-run.js";

/** Filled in after it was handed out, so that references can lead round in circles. */
export interface CompiledNode {
  check: Check;
  /** Whether every JSON value satisfies it. */
  isOpen: boolean;
  /** What `type` allows; absent where that is everything. */
  types: readonly TypeName[] | undefined;
  /** The same as bits; 0 where `types` is absent. */
  typeBits: number;
  /** Known where the document asks what was left unevaluated. */
  coverage: Coverage | undefined;
  /** Known where the way to a schema decides what references mean. */
  resource: SchemaResource | undefined;
}

/** Which members and items a schema evaluates, by itself and by schemas it applies to the same value. */
export interface Coverage {
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly PatternTest[];
  readonly hasEveryName: boolean;
  /** How many of the first items. */
  readonly items: number;
  readonly contains: CompiledNode | undefined;
  /** Those that hold wherever the schema does. */
  readonly always: readonly ((run: ValidationRun) => CompiledNode)[];
  readonly alternatives: readonly CompiledNode[];
  readonly condition: Condition | undefined;
  readonly dependents: ReadonlyMap<string, CompiledNode>;
}

export interface Condition {
  readonly test: CompiledNode;
  readonly met: CompiledNode | undefined;
  readonly unmet: CompiledNode | undefined;
}

/** What all subschemas of a document share. */
export interface SourceDocument {
  readonly dialect: Dialect;
  /** Pays for compiling. */
  readonly budget: Budget;
  compiledOf(node: SchemaNode): CompiledNode;
  /** @throws UnusableSchemaError for what is no pattern or cannot be run safely */
  pattern(pattern: string, node: SchemaNode): PatternTest;
}

const NO_CHILDREN: ReadonlyMap<string, readonly SchemaChild[]> = new Map();

/** The keywords of one subschema. */
export class KeywordSource {
  readonly schema: JsonObject;
  readonly node: SchemaNode;
  readonly #document: SourceDocument;
  readonly #children: ReadonlyMap<string, readonly SchemaChild[]>;

  constructor(node: SchemaNode, schema: JsonObject, document: SourceDocument) {
    this.node = node;
    this.schema = schema;
    this.#document = document;
    this.#children = node.children.length === 0 ? NO_CHILDREN : byKeyword(node.children);
  }

  get dialect(): Dialect {
    return this.#document.dialect;
  }

  get budget(): Budget {
    return this.#document.budget;
  }

  /** What a keyword holds, if that is one schema. */
  one(keyword: string): CompiledNode | undefined {
    const [child] = this.#children.get(keyword) ?? [];
    return child === undefined || child.key !== undefined ? undefined : this.#document.compiledOf(child.node);
  }

  list(keyword: string): readonly CompiledNode[] {
    const children = this.#children.get(keyword) ?? [];
    return children.filter(({ key }) => key !== undefined).map(({ node }) => this.#document.compiledOf(node));
  }

  map(keyword: string): ReadonlyMap<string, CompiledNode> {
    const children = this.#children.get(keyword) ?? [];
    return new Map(children.map(({ key, node }) => [String(key), this.#document.compiledOf(node)]));
  }

  /** @throws UnusableSchemaError for what is no pattern or cannot be run safely */
  pattern(pattern: string): PatternTest {
    return this.#document.pattern(pattern, this.node);
  }
}

function byKeyword(children: readonly SchemaChild[]): Map<string, SchemaChild[]> {
  const grouped = new Map<string, SchemaChild[]>();
  for (const child of children) {
    const siblings = grouped.get(child.keyword);
    if (siblings === undefined) grouped.set(child.keyword, [child]);
    else siblings.push(child);
  }
  return grouped;
}
