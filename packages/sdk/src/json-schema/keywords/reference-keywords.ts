/** `$ref`, `$dynamicRef` and `$recursiveRef`. The target of a dynamic reference depends on the dynamic scope of the run. */
import { PER_STEP } from "../../runtime/work-budget.js";
import type { SchemaNode, SchemaReference, SchemaResource } from "../document/schema-node.js";
import type { CompiledNode } from "../validator/compiled-node.js";
import type { Check, DynamicScope, ValidationRun } from "../validator/validation-run.js";

/** Finds the target of a reference. */
export type ReferenceTarget = (run: ValidationRun) => CompiledNode;

export function referenceTargets(node: SchemaNode, compiledOf: (node: SchemaNode) => CompiledNode): ReferenceTarget[] {
  return node.references.map((reference) => targetOf(reference, compiledOf));
}

export function referenceCheck(target: ReferenceTarget): Check {
  return (value, run) => target(run).check(value, run);
}

/** The scope within a resource. */
export function enterResource(outer: DynamicScope | undefined, resource: SchemaResource): DynamicScope {
  return outer?.resource === resource ? outer : { resource, outer };
}

function targetOf(reference: SchemaReference, compiledOf: (node: SchemaNode) => CompiledNode): ReferenceTarget {
  const { target, dynamicName } = reference;
  const fixed = compiledOf(target);
  if (dynamicName === undefined) return () => fixed;
  return (run) => {
    let outermost = target;
    let passed = 0;
    for (let scope = run.scope; scope !== undefined; scope = scope.outer) {
      outermost = scope.resource.dynamicAnchors.get(dynamicName) ?? outermost;
      passed += 1;
    }
    run.spendOn(passed, PER_STEP.passedResources);
    return compiledOf(outermost);
  };
}
