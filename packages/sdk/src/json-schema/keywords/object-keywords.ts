/** Keywords for objects: required and allowed members, and their schemas. */
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { PER_STEP, STEPS } from "../../runtime/work-budget.js";
import type { PatternTest } from "../patterns/pattern-matcher.js";
import type { CompiledNode, KeywordSource } from "../validator/compiled-node.js";
import type { Check, ValidationRun } from "../validator/validation-run.js";

/** A member that the schema names. */
interface NamedMember {
  readonly name: string;
  readonly schema: CompiledNode | undefined;
  readonly isRequired: boolean;
}

/** Keywords that apply to every member by its name. */
interface AnyMember {
  readonly named: ReadonlySet<string>;
  readonly patterns: readonly { readonly matches: PatternTest; readonly schema: CompiledNode }[];
  /** The schema for members that are neither named nor matched by a pattern. */
  readonly additional: CompiledNode | undefined;
  /** The schema for the names. */
  readonly names: CompiledNode | undefined;
}

const missing: Check = (_value, run) => run.fail("required");
const misnamed: Check = (_value, run) => run.fail("the name is not allowed");

export function objectChecks(source: KeywordSource): Check[] {
  const { minProperties, maxProperties } = source.schema;
  const checks: Check[] = [];
  const named = namedMembers(source);
  if (named.length > 0) checks.push(namedMemberCheck(named));
  const any = anyMember(source);
  if (any !== undefined) checks.push(anyMemberCheck(any));
  if (typeof minProperties === "number") {
    checks.push(countCheck((count) => count >= minProperties, `expected at least ${minProperties} properties`));
  }
  if (typeof maxProperties === "number") {
    checks.push(countCheck((count) => count <= maxProperties, `expected at most ${maxProperties} properties`));
  }
  return checks;
}

function namedMembers(source: KeywordSource): NamedMember[] {
  const properties = source.map("properties");
  const required = new Set((source.schema.required ?? []) as string[]); // its shape is checked when read
  const names = new Set([...properties.keys(), ...required]);
  return Array.from(names, (name) => ({ name, schema: properties.get(name), isRequired: required.has(name) }));
}

function anyMember(source: KeywordSource): AnyMember | undefined {
  const patterns = Array.from(source.map("patternProperties"), ([pattern, schema]) => ({
    matches: source.pattern(pattern),
    schema,
  }));
  const additional = source.one("additionalProperties");
  const names = source.one("propertyNames");
  const isClosed = additional !== undefined && !additional.isOpen;
  if (patterns.length === 0 && !isClosed && names === undefined) return undefined;
  const named = new Set(source.map("properties").keys());
  return { named, patterns, additional: isClosed ? additional : undefined, names };
}

function namedMemberCheck(members: readonly NamedMember[]): Check {
  return (value, run) => {
    if (!isJsonObject(value)) return true;
    run.spendOn(members.length, PER_STEP.soughtMembers);
    let holds = true;
    for (const { name, schema, isRequired } of members) {
      const member = memberOf(value, name);
      if (member === undefined ? !isRequired : schema === undefined) continue;
      if (run.at(name, member, member === undefined ? missing : (schema as CompiledNode).check)) continue;
      if (run.report === undefined) return false;
      holds = false;
    }
    return holds;
  };
}

function anyMemberCheck(any: AnyMember): Check {
  return (value, run) => {
    if (!isJsonObject(value)) return true;
    const names = Object.keys(value);
    run.spend(names.length * STEPS.visitedMember);
    let holds = true;
    for (const name of names) {
      const member = value[name];
      if (member === undefined || isHeldByName(name, member, any, run)) continue;
      if (run.report === undefined) return false;
      holds = false;
    }
    return holds;
  };
}

function isHeldByName(name: string, member: unknown, any: AnyMember, run: ValidationRun): boolean {
  const { named, patterns, additional, names } = any;
  let holds = names === undefined || run.isHeld(names.check, name) || run.at(name, member, misnamed);
  let isAdditional = !named.has(name);
  for (const { matches, schema } of patterns) {
    if (!matches(name, run)) continue;
    isAdditional = false;
    holds = run.at(name, member, schema.check) && holds;
  }
  if (!isAdditional || additional === undefined) return holds;
  return run.at(name, member, additional.check) && holds;
}

function countCheck(isAllowed: (count: number) => boolean, message: string): Check {
  return (value, run) => {
    if (!isJsonObject(value)) return true;
    const names = Object.keys(value);
    run.spend(names.length * STEPS.visitedMember);
    const count = names.reduce((sum, name) => (value[name] === undefined ? sum : sum + 1), 0);
    return isAllowed(count) || run.fail(message);
  };
}

export function hasMember(value: JsonObject, name: string): boolean {
  return memberOf(value, name) !== undefined;
}

/** An own member by any name. A member whose value is `undefined` is absent, as in JSON. */
function memberOf(value: JsonObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
