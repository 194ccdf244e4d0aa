/** The registry of everything that clients are checked for. */
import type { ClientArea, ClientCheck, Scenario } from "../scenario.js";
import { answerForms } from "./answer-forms.js";
import { caching } from "./caching.js";
import { cancellation } from "./cancellation.js";
import { clientIds } from "./client-ids.js";
import { conversations } from "./conversations.js";
import { endlessResponses } from "./endless-responses.js";
import { httpSse } from "./http-sse.js";
import { inputRounds } from "./input-rounds.js";
import { legacyRequests } from "./legacy-requests.js";
import { legacySubscriptions } from "./legacy-subscriptions.js";
import { login } from "./login.js";
import { loginTwists } from "./login-twists.js";
import { mirroredHeaders } from "./mirrored-headers.js";
import { modernRequests } from "./modern-requests.js";
import { modernTasks } from "./modern-tasks.js";
import { negotiation } from "./negotiation.js";
import { serverRequests } from "./server-requests.js";
import { stdio } from "./stdio.js";
import { stdioTwins } from "./stdio-twins.js";
import { subscriptions } from "./subscriptions.js";
import { tasks } from "./tasks.js";

/** In the order in which they run and are reported. */
export const CLIENT_AREAS: readonly ClientArea[] = [
  legacyRequests,
  modernRequests,
  mirroredHeaders,
  answerForms,
  negotiation,
  httpSse,
  conversations,
  serverRequests,
  inputRounds,
  cancellation,
  subscriptions,
  legacySubscriptions,
  caching,
  tasks,
  modernTasks,
  endlessResponses,
  stdio,
  stdioTwins,
  login,
  loginTwists,
  clientIds,
];

export const CLIENT_CHECKS: readonly ClientCheck[] = CLIENT_AREAS.flatMap(({ checks }) => checks);

export const CLIENT_SCENARIOS: readonly Scenario[] = CLIENT_AREAS.flatMap(({ scenarios }) => scenarios);
