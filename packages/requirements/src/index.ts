/** The manifest: every behavior the project promises, with its reason, by area. */
import { caching } from "./caching.js";
import { completion } from "./completion.js";
import { elicitation } from "./elicitation.js";
import { errors } from "./errors.js";
import { inputRounds } from "./input-rounds.js";
import { lifecycle } from "./lifecycle.js";
import { logging } from "./logging.js";
import { mergeAreas } from "./merge-areas.js";
import { meta } from "./meta.js";
import { negotiation } from "./negotiation.js";
import { pagination } from "./pagination.js";
import { prompts } from "./prompts.js";
import { protocol } from "./protocol.js";
import { requests } from "./requests.js";
import type { Requirements } from "./requirement.js";
import { resources } from "./resources.js";
import { roots } from "./roots.js";
import { sampling } from "./sampling.js";
import { subscriptions } from "./subscriptions.js";
import { toolSchemas } from "./tool-schemas.js";
import { tools } from "./tools.js";

export {
  CONNECTIONS,
  type Connection,
  NEWEST_REVISION,
  REVISIONS,
  type Requirement,
  type Requirements,
  type Restriction,
  type RestrictionReason,
  type Revision,
  type Source,
  type Strength,
} from "./requirement.js";

export const requirements: Requirements = mergeAreas([
  lifecycle,
  negotiation,
  protocol,
  requests,
  errors,
  meta,
  tools,
  toolSchemas,
  resources,
  prompts,
  completion,
  pagination,
  elicitation,
  inputRounds,
  sampling,
  roots,
  logging,
  subscriptions,
  caching,
]);
