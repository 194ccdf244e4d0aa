/** Compiles a schema document into one check. Subschemas are compiled before their parents. */
import type { JsonObject } from "../../runtime/json.js";
import { type Budget, STEPS } from "../../runtime/work-budget.js";
import { type Dialect, ignoresReferenceSiblings } from "../dialects.js";
import { isPlainReference } from "../document/keyword-shapes.js";
import type { SchemaDocument, SchemaNode, SchemaResource } from "../document/schema-node.js";
import { arrayChecks } from "../keywords/array-keywords.js";
import { combinatorChecks } from "../keywords/combinators.js";
import { dependencyChecks } from "../keywords/dependency-keywords.js";
import { numberChecks } from "../keywords/number-keywords.js";
import { objectChecks } from "../keywords/object-keywords.js";
import { enterResource, referenceCheck, referenceTargets } from "../keywords/reference-keywords.js";
import { stringChecks } from "../keywords/string-keywords.js";
import { coverageOf, unevaluatedChecks } from "../keywords/unevaluated.js";
import { bitsOf, typeCheck, typesOf, valueChecks } from "../keywords/value-keywords.js";
import { DocumentPatterns } from "../patterns/document-patterns.js";
import type { PatternTest } from "../patterns/pattern-matcher.js";
import { type CompiledNode, KeywordSource, type SourceDocument } from "./compiled-node.js";
import type { Check, ValidationRun } from "./validation-run.js";

/**
 * @throws UnusableSchemaError for patterns that cannot be run safely and bounds of another dialect, or the error
 *   of the budget
 */
export function compileDocument(document: SchemaDocument, dialect: Dialect, budget: Budget): Check {
  const compiler = new DocumentCompiler(document, dialect, budget);
  for (const node of document.toReversed()) compiler.compile(node);
  return compiler.compiledOf(document[0]).check;
}

const notAllowed: Check = (_value, run) => run.fail("not allowed");

class DocumentCompiler implements SourceDocument {
  readonly dialect: Dialect;
  readonly budget: Budget;
  readonly #compiled: ReadonlyMap<SchemaNode, CompiledNode>;
  readonly #patterns: DocumentPatterns;
  /** The targets of chains of references. */
  readonly #ends = new Map<SchemaNode, SchemaNode>();
  /** Whether the document has dynamic references. */
  readonly #isDynamic: boolean;
  readonly #needsCoverage: boolean;

  constructor(document: SchemaDocument, dialect: Dialect, budget: Budget) {
    this.dialect = dialect;
    this.budget = budget;
    this.#patterns = new DocumentPatterns(budget);
    this.#compiled = new Map(document.map((node) => [node, placeholder()]));
    this.#isDynamic = document.some(({ references }) =>
      references.some(({ dynamicName }) => dynamicName !== undefined),
    );
    this.#needsCoverage = document.some(({ children }) =>
      children.some(({ keyword }) => keyword.startsWith("unevaluated")),
    );
  }

  compile(node: SchemaNode): void {
    const { schema } = node;
    this.budget.spend(STEPS.compiledSchema);
    if (this.#endOf(node) !== node) return;
    const compiled = this.#compiled.get(node) as CompiledNode; // there is one for every node
    if (typeof schema === "boolean") {
      compiled.isOpen = schema;
      compiled.check = nodeCheck(schema ? typeCheck(undefined) : notAllowed, []);
      return;
    }
    this.#compileObject(node, schema, compiled);
    if (!this.#isDynamic) return;
    const resource = node.resource as SchemaResource; // known since references were resolved
    compiled.resource = resource;
    compiled.check = withinResource(compiled.check, resource);
  }

  /** A schema with nothing but a `$ref` is replaced by its target, unless the document has dynamic references. */
  compiledOf(node: SchemaNode): CompiledNode {
    return this.#compiled.get(this.#endOf(node)) as CompiledNode;
  }

  pattern(pattern: string, node: SchemaNode): PatternTest {
    return this.#patterns.test(pattern, node);
  }

  #compileObject(node: SchemaNode, schema: JsonObject, compiled: CompiledNode): void {
    const source = new KeywordSource(node, schema, this);
    const references = referenceTargets(node, (target) => this.compiledOf(target));
    if (this.#needsCoverage) {
      this.budget.spend(STEPS.coveredSchema);
      compiled.coverage = coverageOf(source, references);
    }
    compiled.types = typesOf(source);
    compiled.typeBits = bitsOf(compiled.types ?? []);
    const checks = [...references.map(referenceCheck), ...keywordChecks(source)];
    if (compiled.coverage !== undefined) checks.push(...unevaluatedChecks(source, compiled.coverage));
    compiled.isOpen = compiled.types === undefined && checks.length === 0;
    compiled.check = nodeCheck(typeCheck(compiled.types), checks);
  }

  #endOf(node: SchemaNode): SchemaNode {
    const way: SchemaNode[] = [];
    let end = node;
    // Circular references were refused when the document was read.
    for (let next: SchemaNode | undefined = node; next !== undefined; next = this.#ends.get(end) ?? this.#next(end)) {
      end = next;
      way.push(end);
    }
    for (const passed of way) if (passed !== end) this.#ends.set(passed, end);
    return end;
  }

  #next({ schema, references }: SchemaNode): SchemaNode | undefined {
    const [reference] = references;
    if (reference?.keyword !== "$ref" || this.#isDynamic) return undefined;
    const isAlias = ignoresReferenceSiblings(this.dialect) || isPlainReference(schema);
    return isAlias ? reference.target : undefined;
  }
}

/** The checks by keywords, in the order in which they run: cheap checks first. */
const KEYWORD_GROUPS: readonly (readonly [readonly string[], (source: KeywordSource) => Check[]])[] = [
  [["enum", "const"], valueChecks],
  [["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"], numberChecks],
  [["minLength", "maxLength", "pattern", "format"], stringChecks],
  [["items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"], arrayChecks],
  [
    [
      "properties",
      "required",
      "patternProperties",
      "additionalProperties",
      "propertyNames",
      "minProperties",
      "maxProperties",
    ],
    objectChecks,
  ],
  [["dependentRequired", "dependentSchemas", "dependencies"], dependencyChecks],
  [["allOf", "anyOf", "oneOf", "not", "if"], combinatorChecks],
];

function keywordChecks(source: KeywordSource): Check[] {
  return KEYWORD_GROUPS.flatMap(([keywords, checksOf]) =>
    keywords.some((keyword) => source.schema[keyword] !== undefined) ? checksOf(source) : [],
  );
}

function nodeCheck(type: Check, checks: readonly Check[]): Check {
  const [first] = checks;
  if (first === undefined) {
    return (value, run) => {
      run.spend(STEPS.appliedSchema);
      return type(value, run);
    };
  }
  return (value, run) => {
    run.spend(STEPS.appliedSchema);
    if (!type(value, run)) return false;
    run.enter();
    const holds = checks.length === 1 ? first(value, run) : areHeld(checks, value, run);
    run.leave();
    return holds;
  };
}

function areHeld(checks: readonly Check[], value: unknown, run: ValidationRun): boolean {
  let holds = true;
  for (const check of checks) {
    if (check(value, run)) continue;
    holds = false;
    if (run.report === undefined) break;
  }
  return holds;
}

function withinResource(check: Check, resource: SchemaResource): Check {
  return (value, run) => {
    const outer = run.scope;
    run.scope = enterResource(outer, resource);
    const holds = check(value, run);
    run.scope = outer;
    return holds;
  };
}

function placeholder(): CompiledNode {
  return { check: notAllowed, isOpen: false, types: undefined, typeBits: 0, coverage: undefined, resource: undefined };
}
