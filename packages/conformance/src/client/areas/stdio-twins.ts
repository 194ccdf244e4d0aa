/** Checks of other areas that hold over standard streams as well, each in the twin of its scenario. */
import type { Revision } from "parley-requirements";
import type { ClientArea, ClientCheck, Scenario } from "../scenario.js";
import { inputRounds } from "./input-rounds.js";
import { legacyRequests } from "./legacy-requests.js";
import { modernRequests } from "./modern-requests.js";
import { negotiation } from "./negotiation.js";
import { serverRequests } from "./server-requests.js";

const AREAS = [legacyRequests, modernRequests, serverRequests, inputRounds, negotiation];

/** Checks of headers, sessions, statuses and streams of HTTP. */
const HTTP_ALONE =
  /^client-((modern|legacy)-(accept|one-message)|legacy-no-mirror|header-.*|(no-)?session.*|version-kept|stream-accept|posts-alone|probe-(404|400|does-not-leak)|round-headers)$/;

/** Standard streams are older than HTTP as it is checked. */
const OLDEST: Revision = "2024-11-05";

/** The name of the twin of a check. */
export function stdioTwin(id: string): string {
  return id.replace("client-", "client-stdio-");
}

/** Requirements of twins whose checks name one of HTTP. */
const REQUIREMENTS: Readonly<Record<string, string>> = {
  "client-transport:http:one-message-per-post": "transport:stdio:client-writes-no-answers",
  "client-transport:http:rounds-cap": "mrtr:rounds-cap",
  "client-transport:http:unknown-result-type": "errors:result:unknown-type",
};

/** Over standard streams the step to the legacy era may not depend on a code. Over HTTP no key word asks for it. */
const STRICTER = /^client-probe-(unknown-method|other-error)$/;

function twinOf({ atMost, ...check }: ClientCheck): ClientCheck {
  return {
    ...check,
    ...(atMost && !STRICTER.test(check.id) ? { atMost } : {}),
    id: stdioTwin(check.id),
    scenario: `stdio-${check.scenario}`,
    requirement: REQUIREMENTS[check.requirement] ?? check.requirement,
    title: check.title.replace(/\.$/, ", over standard streams."),
  };
}

function twinScenario({ name, revisions, summary, script }: Scenario): Scenario {
  return {
    name: `stdio-${name}`,
    isOverStdio: true,
    revisions: name === "tools-legacy" ? [OLDEST, ...revisions] : revisions,
    summary,
    script,
  };
}

const CHECKS = AREAS.flatMap(({ checks }) => checks.filter(({ id }) => !HTTP_ALONE.test(id)));
const PLAYED = new Set(CHECKS.map(({ scenario }) => scenario));

export const stdioTwins: ClientArea = {
  area: "client-stdio-twins",
  scenarios: AREAS.flatMap(({ scenarios }) => scenarios.filter(({ name }) => PLAYED.has(name)).map(twinScenario)),
  checks: CHECKS.map(twinOf),
};
