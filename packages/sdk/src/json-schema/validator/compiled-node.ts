/** A compiled subschema, and access of its keywords to their subschemas. */
import type { JsonObject } from "../../runtime/json.js";
import type { Budget } from "../../runtime/work-budget.js";
import type { Dialect } from "../dialects.js";
import type { SchemaChild, SchemaNode, SchemaResource } from "../document/schema-node.js";
import type { TypeName } from "../json-kind.js";
import type { PatternTest } from "../patterns/pattern-matcher.js";
import type { Check, ValidationRun } from "./validation-run.js";

/** Created empty and filled in later, so that references can be circular. */
export interface CompiledNode {
  check: Check;
  /** Whether the schema accepts every JSON value. */
  isOpen: boolean;
  /** The types that `type` allows; absent if it allows all. */
  types: readonly TypeName[] | undefined;
  /** The same types as bits; 0 if `types` is absent. */
  typeBits: number;
  /** Present if the document uses an `unevaluated…` keyword. */
  coverage: Coverage | undefined;
  /** Present if the document has dynamic references. */
  resource: SchemaResource | undefined;
}

/** The members and items that a schema evaluates, by itself and by subschemas for the same value. */
export interface Coverage {
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly PatternTest[];
  readonly hasEveryName: boolean;
  /** The number of evaluated items from the start. */
  readonly items: number;
  readonly contains: CompiledNode | undefined;
  /** Schemas that hold whenever this one holds. */
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

/** The document during compilation. */
export interface SourceDocument {
  readonly dialect: Dialect;
  /** Pays for compiling. */
  readonly budget: Budget;
  compiledOf(node: SchemaNode): CompiledNode;
  /** @throws UnusableSchemaError for an invalid or unsafe pattern */
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

  /** The subschema of a keyword that holds one schema. */
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

  /** @throws UnusableSchemaError for an invalid or unsafe pattern */
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
