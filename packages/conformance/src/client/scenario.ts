/** What a client is checked by: scenarios, which are servers that the checker plays, and the checks of each. */
import type { Revision } from "parley-requirements";
import type { CheckFacts } from "../judge/check.js";
import type { PlayedReply } from "../wire/http-listener.js";
import type { JsonObject } from "../wire/json-rpc.js";
import type { PipeHabits } from "./played-pipe.js";
import type { SseHabits } from "./played-sse.js";
import type { SeenRequest, Sighting } from "./sighting.js";
import type { Stage } from "./stage.js";

/** How one scenario differs from a plain server of its revision. */
export interface Script {
  /** Pages of tools. The cursors between them are the scenario's own. */
  readonly tools?: readonly JsonObject[];
  readonly resources?: readonly JsonObject[];
  readonly prompts?: readonly JsonObject[];
  /** Members of the server's capabilities. */
  readonly capabilities?: JsonObject;
  /** A legacy server without sessions. */
  readonly hasNoSessions?: boolean;
  /** Answers of its own, by method. `undefined` leaves the request to the plain server. */
  readonly answers?: Readonly<Record<string, (request: SeenRequest) => MaybeReply>>;
  /** Sees every HTTP request, or line, first. */
  readonly intercept?: (sighting: Sighting) => MaybeReply;
  /** The server speaks HTTP+SSE. */
  readonly sse?: SseHabits;
  /** Of a server on standard streams. */
  readonly pipe?: PipeHabits;
}

export type MaybeReply = PlayedReply | undefined | Promise<PlayedReply | undefined>;

export interface Scenario {
  /** What a driver finds in PARLEY_CHECK_SCENARIO. */
  readonly name: string;
  /** The client gets a command in place of a URL. */
  readonly isOverStdio?: boolean;
  /** The client runs once for each. */
  readonly revisions: readonly Revision[];
  /** One sentence for those who write a driver: how the server is special, and what a client does there. */
  readonly summary: string;
  /** Further variables of the environment of the client. */
  readonly told?: Readonly<Record<string, string>>;
  readonly script: (stage: Stage) => Script;
}

export interface ClientCheck extends CheckFacts {
  readonly scenario: string;
  /** Asks for a step from the modern era to the legacy one, which a client of the modern era alone does not take. */
  readonly needsBothEras?: boolean;
  /** Expectations throw. */
  readonly judge: (sightings: readonly Sighting[], stage: Stage) => void;
}

/** The scenarios and checks of one area. A check may use a scenario of another area. */
export interface ClientArea {
  readonly area: string;
  readonly scenarios: readonly Scenario[];
  readonly checks: readonly ClientCheck[];
}

/** One check for each era, in the scenarios `<name>-modern` and `<name>-legacy`. */
export function inBothEras(check: ClientCheck): ClientCheck[] {
  return (["modern", "legacy"] as const).map((era) => ({
    ...check,
    id: check.id.replace("client-", `client-${era}-`),
    scenario: `${check.scenario}-${era}`,
  }));
}

/** The same scenario for each era. */
export function scenarioOfBothEras(scenario: Omit<Scenario, "revisions">): Scenario[] {
  return [
    { ...scenario, name: `${scenario.name}-modern`, revisions: ["2026-07-28"] },
    { ...scenario, name: `${scenario.name}-legacy`, revisions: ["2025-11-25"] },
  ];
}
