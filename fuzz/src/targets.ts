/** Everything that is fuzzed. */
import type { Target } from "./target.js";
import { accessTokens } from "./targets/access-tokens.js";
import { challenges } from "./targets/challenges.js";
import { clientAnswers } from "./targets/client-answers.js";
import { cursors } from "./targets/cursors.js";
import { dpopProofs } from "./targets/dpop-proofs.js";
import { eventStreams } from "./targets/event-streams.js";
import { frames } from "./targets/frames.js";
import { frontmatter } from "./targets/frontmatter.js";
import { headerValues } from "./targets/header-values.js";
import { hostChecks } from "./targets/host-checks.js";
import { jsonText } from "./targets/json-text.js";
import { lines } from "./targets/lines.js";
import { mediaTypes } from "./targets/media-types.js";
import { mirroredHeaders } from "./targets/mirrored-headers.js";
import { nodeHost } from "./targets/node-host.js";
import { oauthMetadata } from "./targets/oauth-metadata.js";
import { patterns } from "./targets/patterns.js";
import { requestStates } from "./targets/request-states.js";
import { schemas } from "./targets/schemas.js";
import { sentEvents } from "./targets/sent-events.js";
import { streamServer } from "./targets/stream-server.js";
import { uriTemplates } from "./targets/uri-templates.js";
import { webHost } from "./targets/web-host.js";

export const TARGETS: readonly Target[] = [
  jsonText,
  frames,
  lines,
  eventStreams,
  sentEvents,
  headerValues,
  mediaTypes,
  uriTemplates,
  cursors,
  hostChecks,
  mirroredHeaders,
  challenges,
  oauthMetadata,
  dpopProofs,
  accessTokens,
  requestStates,
  frontmatter,
  patterns,
  schemas,
  streamServer,
  webHost,
  nodeHost,
  clientAnswers,
];
