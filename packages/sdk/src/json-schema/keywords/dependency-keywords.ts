/** Keywords that apply if a member is present: `dependentRequired`, `dependentSchemas` and `dependencies`. */
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { PER_STEP } from "../../runtime/work-budget.js";
import { clip } from "../validation-result.js";
import type { CompiledNode, KeywordSource } from "../validator/compiled-node.js";
import type { Check, ValidationRun } from "../validator/validation-run.js";
import { hasMember } from "./object-keywords.js";

/** The requirements that a present member brings. */
interface Dependency {
  readonly name: string;
  readonly required: readonly string[];
  readonly schema: CompiledNode | undefined;
}

export function dependencyChecks(source: KeywordSource): Check[] {
  const { dependentRequired, dependencies } = source.schema;
  const found: Dependency[] = [];
  // Up to draft-07, `dependencies` holds both lists of names and schemas.
  for (const keyword of [dependentRequired, dependencies]) {
    if (!isJsonObject(keyword)) continue;
    for (const name of Object.keys(keyword)) {
      const required = keyword[name];
      if (Array.isArray(required)) found.push({ name, required, schema: undefined });
    }
  }
  for (const [name, schema] of dependentSchemasOf(source)) found.push({ name, required: [], schema });
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
    for (const dependency of dependencies) {
      if (!hasMember(value, dependency.name) || isMet(dependency, value, run)) continue;
      if (run.report === undefined) return false;
      holds = false;
    }
    return holds;
  };
}

function isMet({ name, required, schema }: Dependency, value: JsonObject, run: ValidationRun): boolean {
  if (schema !== undefined) return schema.check(value, run);
  run.spendOn(required.length, PER_STEP.soughtMembers);
  let holds = true;
  for (const other of required) {
    if (hasMember(value, other)) continue;
    if (run.report === undefined) return false;
    run.at(other, undefined, () => run.fail(`required beside ${clip(JSON.stringify(clip(name)))}`));
    holds = false;
  }
  return holds;
}
