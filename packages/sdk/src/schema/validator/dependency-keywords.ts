/** Keywords that ask for more where a member is present. */
import { isJsonObject } from "../../protocol/json.js";
import { clip } from "../validation.js";
import type { CompiledNode, KeywordSource } from "./compiled-node.js";
import { hasMember } from "./members.js";
import type { Check } from "./run.js";

export function dependencyChecks(source: KeywordSource): Check[] {
  const { dependentRequired, dependencies } = source.schema;
  const checks: Check[] = [];
  // `dependencies` holds lists of names and schemas alike; draft-07 has nothing else.
  for (const keyword of [dependentRequired, dependencies]) {
    for (const [name, required] of Object.entries(keyword ?? {})) {
      if (Array.isArray(required)) checks.push(requiredCheck(name, required));
    }
  }
  for (const [name, schema] of dependentSchemasOf(source)) {
    checks.push((value, run) => !isJsonObject(value) || !hasMember(value, name) || schema.check(value, run));
  }
  return checks;
}

export function dependentSchemasOf(source: KeywordSource): ReadonlyMap<string, CompiledNode> {
  return new Map([...source.map("dependencies"), ...source.map("dependentSchemas")]);
}

function requiredCheck(name: string, required: readonly string[]): Check {
  const message = `required beside ${clip(JSON.stringify(name))}`;
  const missing: Check = (_value, run) => run.fail(message);
  return (value, run) => {
    if (!isJsonObject(value) || !hasMember(value, name)) return true;
    run.spend(required.length >>> 3);
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
