/** Everything that is searched for cost. */
import type { CostTarget } from "./cost-target.js";
import { SCHEMA_COSTS } from "./schema-cost.js";

export const COST_TARGETS: readonly CostTarget[] = [...SCHEMA_COSTS];
