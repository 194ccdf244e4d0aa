/** The manifest: every behavior the project promises, with its reason, by area. */
import { apps } from "./apps.js";
import { caching } from "./caching.js";
import { clientBounds } from "./client-bounds.js";
import { completion } from "./completion.js";
import { elicitation } from "./elicitation.js";
import { errors } from "./errors.js";
import { extensions } from "./extensions.js";
import { figures } from "./figures.js";
import { hostilePeers } from "./hostile-peers.js";
import { httpClient } from "./http-client.js";
import { httpServing } from "./http-serving.js";
import { httpSessions } from "./http-sessions.js";
import { inputBounds } from "./input-bounds.js";
import { inputRounds } from "./input-rounds.js";
import { lifecycle } from "./lifecycle.js";
import { limits } from "./limits.js";
import { logging } from "./logging.js";
import { mergeAreas } from "./merge-areas.js";
import { meta } from "./meta.js";
import { negotiation } from "./negotiation.js";
import { oauthClientLogin } from "./oauth-client-login.js";
import { oauthClientTokens } from "./oauth-client-tokens.js";
import { oauthGuard } from "./oauth-guard.js";
import { oauthNode } from "./oauth-node.js";
import { oauthResource } from "./oauth-resource.js";
import { oauthSentencesClient } from "./oauth-sentences-client.js";
import { oauthSentencesResource } from "./oauth-sentences-resource.js";
import { oauthSentencesServer } from "./oauth-sentences-server.js";
import { oauthServer } from "./oauth-server.js";
import { oauthUpstream } from "./oauth-upstream.js";
import { pagination } from "./pagination.js";
import { prompts } from "./prompts.js";
import { protocol } from "./protocol.js";
import { reconnecting } from "./reconnecting.js";
import { requests } from "./requests.js";
import type { Requirements } from "./requirement.js";
import { resources } from "./resources.js";
import { roots } from "./roots.js";
import { sampling } from "./sampling.js";
import { skills } from "./skills.js";
import { stdio } from "./stdio.js";
import { subscriptions } from "./subscriptions.js";
import { taskQueues } from "./task-queues.js";
import { tasks } from "./tasks.js";
import { telemetry } from "./telemetry.js";
import { toolSchemas } from "./tool-schemas.js";
import { tools } from "./tools.js";
import { transports } from "./transports.js";

export {
  CONNECTIONS,
  type Connection,
  LACKS,
  NEWEST_REVISION,
  type Need,
  REVISIONS,
  REVISIONS_OVER,
  type Requirement,
  type Requirements,
  type Restriction,
  type RestrictionReason,
  type Revision,
  type Source,
  type Strength,
} from "./requirement.js";

export const requirements: Requirements = mergeAreas([
  clientBounds,
  oauthClientLogin,
  oauthClientTokens,
  oauthSentencesClient,
  oauthSentencesResource,
  oauthSentencesServer,
  oauthGuard,
  oauthNode,
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
  inputBounds,
  sampling,
  roots,
  logging,
  subscriptions,
  limits,
  apps,
  caching,
  extensions,
  skills,
  taskQueues,
  tasks,
  telemetry,
  reconnecting,
  oauthResource,
  oauthServer,
  oauthUpstream,
  transports,
  stdio,
  httpServing,
  httpSessions,
  httpClient,
  figures,
  hostilePeers,
]);
