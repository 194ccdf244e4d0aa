/** Everything that is searched for cost. */
import type { CostTarget } from "./cost-target.js";
import { HEADER_COSTS } from "./header-cost.js";
import { SCHEMA_COSTS } from "./schema-cost.js";
import { SHAPE_COSTS } from "./shape-cost.js";
import { URI_COSTS } from "./uri-cost.js";
import { WIRE_COSTS } from "./wire-cost.js";

export const COST_TARGETS: readonly CostTarget[] = [
  ...SCHEMA_COSTS,
  ...WIRE_COSTS,
  ...HEADER_COSTS,
  ...URI_COSTS,
  ...SHAPE_COSTS,
];
