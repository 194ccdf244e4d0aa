/** The registry of everything that clients are checked for. */
import type { ClientArea, ClientCheck, Scenario } from "../scenario.js";
import { answerForms } from "./answer-forms.js";
import { legacyRequests } from "./legacy-requests.js";
import { mirroredHeaders } from "./mirrored-headers.js";
import { modernRequests } from "./modern-requests.js";

/** In the order in which they run and are reported. */
export const CLIENT_AREAS: readonly ClientArea[] = [legacyRequests, modernRequests, mirroredHeaders, answerForms];

export const CLIENT_CHECKS: readonly ClientCheck[] = CLIENT_AREAS.flatMap(({ checks }) => checks);

export const CLIENT_SCENARIOS: readonly Scenario[] = CLIENT_AREAS.flatMap(({ scenarios }) => scenarios);
