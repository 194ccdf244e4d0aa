/**
 * `unevaluatedProperties` and `unevaluatedItems`. Other keywords do not record the members and items that they evaluate.
 * These two collect that from the schemas that apply to the value and hold.
 */
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { PER_STEP, STEPS } from "../../runtime/work-budget.js";
import type { CompiledNode, Coverage, KeywordSource } from "../validator/compiled-node.js";
import type { Check, ValidationRun } from "../validator/validation-run.js";
import { itemSchemasOf } from "./array-keywords.js";
import { conditionOf } from "./combinators.js";
import { dependentSchemasOf } from "./dependency-keywords.js";
import { hasMember } from "./object-keywords.js";
import { enterResource, type ReferenceTarget } from "./reference-keywords.js";

export function coverageOf(source: KeywordSource, references: readonly ReferenceTarget[]): Coverage {
  const { first, rest } = itemSchemasOf(source);
  const hasEveryItem = rest !== undefined || source.schema.unevaluatedItems !== undefined;
  return {
    names: new Set(source.map("properties").keys()),
    patterns: Array.from(source.map("patternProperties").keys(), (pattern) => source.pattern(pattern)),
    hasEveryName: source.schema.additionalProperties !== undefined || source.schema.unevaluatedProperties !== undefined,
    items: hasEveryItem ? Number.POSITIVE_INFINITY : first.length,
    contains: source.dialect === "2020-12" ? source.one("contains") : undefined,
    always: [...references, ...source.list("allOf").map((schema) => () => schema)],
    alternatives: [...source.list("anyOf"), ...source.list("oneOf")],
    condition: conditionOf(source),
    dependents: dependentSchemasOf(source),
  };
}

export function unevaluatedChecks(source: KeywordSource, coverage: Coverage): Check[] {
  const checks: Check[] = [];
  const properties = source.one("unevaluatedProperties");
  if (properties !== undefined && !properties.isOpen) {
    const own = { ...coverage, hasEveryName: source.schema.additionalProperties !== undefined };
    checks.push((value, run) => !isJsonObject(value) || areOtherMembersHeld(value, own, properties, run));
  }
  const items = source.one("unevaluatedItems");
  if (items !== undefined && !items.isOpen) {
    const { first, rest } = itemSchemasOf(source);
    const own = { ...coverage, items: rest === undefined ? first.length : Number.POSITIVE_INFINITY };
    checks.push((value, run) => !Array.isArray(value) || areOtherItemsHeld(value, own, items, run));
  }
  return checks;
}

function areOtherMembersHeld(value: JsonObject, own: Coverage, schema: CompiledNode, run: ValidationRun): boolean {
  const coverages = coveragesFor(value, own, run);
  if (coverages.some(({ hasEveryName }) => hasEveryName)) return true;
  let holds = true;
  const names = Object.keys(value);
  run.spend(names.length * STEPS.visitedMember);
  for (const name of names) {
    const member = value[name];
    if (member === undefined || coverages.some((coverage) => isNameCovered(name, coverage, run))) continue;
    if (run.at(name, member, schema.check)) continue;
    if (run.report === undefined) return false;
    holds = false;
  }
  return holds;
}

function isNameCovered(name: string, { names, patterns }: Coverage, run: ValidationRun): boolean {
  run.spend(STEPS.visitedMember);
  return names.has(name) || patterns.some((matches) => matches(name, run));
}

function areOtherItemsHeld(
  value: readonly unknown[],
  own: Coverage,
  schema: CompiledNode,
  run: ValidationRun,
): boolean {
  const coverages = coveragesFor(value, own, run);
  const contains = coverages.flatMap((coverage) => coverage.contains ?? []);
  let holds = true;
  const evaluated = coverages.reduce((most, { items }) => Math.max(most, items), 0);
  for (let index = evaluated; index < value.length; index += 1) {
    if (contains.some(({ check }) => run.isHeld(check, value[index]))) continue;
    if (run.at(index, value[index], schema.check)) continue;
    if (run.report === undefined) return false;
    holds = false;
  }
  return holds;
}

/** The coverage of every schema that applies to the value and holds. */
function coveragesFor(value: unknown, own: Coverage, run: ValidationRun): Coverage[] {
  const found: Coverage[] = [];
  addCoverages(own, value, run, found);
  return found;
}

function addCoverages(coverage: Coverage, value: unknown, run: ValidationRun, found: Coverage[]): void {
  run.spend(STEPS.appliedSchema);
  run.spendOn(coverage.dependents.size, PER_STEP.soughtMembers);
  run.enter();
  found.push(coverage);
  for (const target of coverage.always) addNode(target(run), value, run, found);
  for (const node of coverage.alternatives) if (run.isHeld(node.check, value)) addNode(node, value, run, found);
  const { condition } = coverage;
  if (condition !== undefined) {
    const isMet = run.isHeld(condition.test.check, value);
    if (isMet) addNode(condition.test, value, run, found);
    addNode(isMet ? condition.met : condition.unmet, value, run, found);
  }
  for (const [name, node] of coverage.dependents) {
    if (isJsonObject(value) && hasMember(value, name)) addNode(node, value, run, found);
  }
  run.leave();
}

function addNode(node: CompiledNode | undefined, value: unknown, run: ValidationRun, found: Coverage[]): void {
  if (node?.coverage === undefined) return;
  const outer = run.scope;
  if (node.resource !== undefined) run.scope = enterResource(outer, node.resource);
  addCoverages(node.coverage, value, run, found);
  run.scope = outer;
}
