/** Keywords that ask for more where a member is present. */
import { isJsonObject, type JsonObject } from "../../protocol/json.js";
import { PER_STEP } from "../../runtime/work-budget.js";
import { clip } from "../validation.js";
import type { CompiledNode, KeywordSource } from "./compiled-node.js";
import { hasMember } from "./members.js";
import type { Check, Run } from "./run.js";

/** What must be there beside a member. */
interface Dependency {
  readonly name: string;
  readonly check: (value: JsonObject, run: Run) => boolean;
}

export function dependencyChecks(source: KeywordSource): Check[] {
  const { dependentRequired, dependencies } = source.schema;
  const found: Dependency[] = [];
  // `dependencies` holds lists of names and schemas alike; draft-07 has nothing else.
  for (const keyword of [dependentRequired, dependencies]) {
    for (const [name, required] of Object.entries(keyword ?? {})) {
      if (Array.isArray(required)) found.push({ name, check: requiredCheck(name, required) });
    }
  }
  for (const [name, schema] of dependentSchemasOf(source)) {
    found.push({ name, check: (value, run) => schema.check(value, run) });
  }
  return [dependenciesCheck(found)];
}

export function dependentSchemasOf(source: KeywordSource): ReadonlyMap<string, CompiledNode> {
  return new Map([...source.map("dependencies"), ...source.map("dependentSchemas")]);
}

function dependenciesCheck(dependencies: readonly Dependency[]): Check {
  return (value, run) => {
    if (!isJsonObject(value)) return true;
    run.spendOn(dependencies.length, PER_STEP.soughtMembers);
    let holds = true;
    for (const { name, check } of dependencies) {
      if (!hasMember(value, name) || check(value, run)) continue;
      if (run.report === undefined) return false;
      holds = false;
    }
    return holds;
  };
}

function requiredCheck(name: string, required: readonly string[]): Dependency["check"] {
  const message = `required beside ${clip(JSON.stringify(clip(name)))}`;
  const missing: Check = (_value, run) => run.fail(message);
  return (value, run) => {
    run.spendOn(required.length, PER_STEP.soughtMembers);
    let holds = true;
    for (const other of required) {
      if (hasMember(value, other)) continue;
      run.at(other, undefined, missing);
      if (run.report === undefined) return false;
      holds = false;
    }
    return holds;
  };
}
