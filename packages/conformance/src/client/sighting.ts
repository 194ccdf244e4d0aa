/** One thing that a client under check did, and how checks look at what it did. */
import { ExpectationFailed, notObserved } from "../judge/expectations.js";
import type { Severity } from "../judge/report.js";
import { base64Header, headerValue } from "../target/envelope.js";
import { isObject, isRequest, isResponse, type JsonObject, messagesOf } from "../wire/json-rpc.js";
import { OVERDUE } from "./stage.js";

/** `mcp` is the server under the URL that the client was given, `pipe` the program of the command that it was given. */
export type SightingOrigin = "mcp" | "pipe" | "auth" | "second-auth" | "other";

export interface Sighting {
  readonly origin: SightingOrigin;
  /** The method of HTTP, or a `PipeEvent`. */
  readonly verb: string;
  /** Path and query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body as JSON, or `undefined`. */
  readonly value: unknown;
  /** Milliseconds since the server was opened. */
  readonly atMs: number;
  /** The status of the answer, 0 while there is none. */
  readonly status: number;
  /** The client closed the response before its end. */
  readonly isAbandoned: boolean;
}

export interface SeenRequest {
  readonly sighting: Sighting;
  readonly message: JsonObject;
  readonly method: string;
  readonly params: JsonObject;
  readonly meta: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

/** A client that had to be ended may have been about to do what a check waits for. */
export function assertOnTime({ notes }: { readonly notes: ReadonlySet<string> }): void {
  if (notes.has(OVERDUE)) notObserved("the client was ended when its time was over; --timeout allows more");
}

/** Thrown by a check that can name what the client sent wrong. */
export class SightingFailed extends ExpectationFailed {
  readonly sightings: readonly Sighting[];

  constructor(expected: string, got: string, sightings: readonly Sighting[], atMost?: Severity) {
    super(expected, got, atMost);
    this.sightings = sightings;
  }
}

/** @throws {SightingFailed} that shows the sightings as evidence. */
export function wantOf(
  sightings: readonly (Sighting | undefined)[],
  isRight: boolean,
  expected: string,
  got: unknown,
  atMost?: Severity,
): asserts isRight {
  if (isRight) return;
  const shown = sightings.filter((item) => item !== undefined);
  throw new SightingFailed(expected, typeof got === "string" ? got : (JSON.stringify(got) ?? "nothing"), shown, atMost);
}

/** The requests of JSON-RPC among the sightings, members of batches included. */
export function requestsOf(sightings: readonly Sighting[], method?: string): SeenRequest[] {
  return sightings.flatMap((sighting) =>
    messagesOf(sighting.value).flatMap((value) => {
      if (!isRequest(value) || (method !== undefined && value.method !== method)) return [];
      const params = isObject(value.params) ? value.params : {};
      const meta = isObject(params._meta) ? params._meta : {};
      return [{ sighting, message: value, method: String(value.method), params, meta, headers: sighting.headers }];
    }),
  );
}

/** Calls of one tool, or of every tool. */
export function callsOf(sightings: readonly Sighting[], tool?: string): SeenRequest[] {
  return requestsOf(sightings, "tools/call").filter(({ params }) => tool === undefined || params.name === tool);
}

/** Notifications with a method. */
export function notificationsOf(sightings: readonly Sighting[], method: string): Sighting[] {
  return sightings.filter(({ value }) => isObject(value) && value.method === method && value.id === undefined);
}

/** Results and errors that the client sent. */
export function responsesOf(sightings: readonly Sighting[]): { sighting: Sighting; message: JsonObject }[] {
  return sightings.flatMap((sighting) =>
    messagesOf(sighting.value)
      .filter(isResponse)
      .map((message) => ({ sighting, message })),
  );
}

/** What the client answered to one request of the server. */
export function responseTo(sightings: readonly Sighting[], id: string | number): JsonObject | undefined {
  return responsesOf(sightings).find(({ message }) => message.id === id)?.message;
}

/** The POSTs to the server, or the lines to its program. */
export function postsOf(sightings: readonly Sighting[]): Sighting[] {
  const found = sightings.filter(({ verb, origin }) => (verb === "POST" && origin === "mcp") || verb === "line");
  if (found.length === 0) notObserved("the client sent no message");
  return found;
}

/** Every request of a kind is right, and there is at least one. */
export function everyRequest(
  requests: readonly SeenRequest[],
  expected: string,
  faultOf: (request: SeenRequest) => unknown,
): void {
  if (requests.length === 0) notObserved("the client sent no such request");
  for (const request of requests) {
    const fault = faultOf(request);
    wantOf([request.sighting], fault === undefined, expected, `${JSON.stringify(fault)} in ${request.method}`);
  }
}

/** `undefined` if the values are the same, else the value that was found. */
export function differs(found: unknown, wanted: unknown): unknown {
  return found === wanted ? undefined : (found ?? "nothing");
}

/** `undefined` if a header carries a value, as it is or in Base64, else the header that was found. */
export function unmirrored(header: string | undefined, value: string): unknown {
  return header === base64Header(value) ? undefined : differs(header, headerValue(value));
}

/** The sightings from the first one on that satisfies a test. */
function sightingsFrom(sightings: readonly Sighting[], isFirst: (sighting: Sighting) => boolean): Sighting[] {
  const at = sightings.findIndex(isFirst);
  return at < 0 ? [] : sightings.slice(at);
}

/** The sightings after a handshake that was answered. */
export function afterHandshake(sightings: readonly Sighting[]): Sighting[] {
  const after = sightingsFrom(sightings, (item) => requestsOf([item], "initialize").length > 0 && item.status === 200);
  if (after.length === 0) notObserved("the client made no handshake");
  return after.slice(1);
}

export function handshakeOf(sightings: readonly Sighting[]): SeenRequest {
  const [found] = requestsOf(sightings, "initialize");
  if (!found) notObserved("the client sent no initialize");
  return found;
}

/** Whether a message of a conversation may have this role. */
export function isRole(value: unknown): boolean {
  return value === "assistant" || value === "user";
}

/** The requests of each legacy session, in order. A session begins with its handshake; a probe belongs to none. */
export function legacySessionsOf(seen: readonly Sighting[]): SeenRequest[][] {
  const sessions: SeenRequest[][] = [];
  const byId = new Map<string, SeenRequest[]>();
  for (const request of requestsOf(seen)) {
    const id = request.headers["mcp-session-id"];
    if (request.method === "initialize" && id === undefined) sessions.push([]);
    const session = (id !== undefined && byId.get(id)) || sessions.at(-1);
    if (session && id !== undefined) byId.set(id, session);
    session?.push(request);
  }
  return sessions;
}

/** The capabilities that the client declared, in either era. */
export function declaredBy(sightings: readonly Sighting[]): JsonObject {
  const declared = requestsOf(sightings)
    .map(({ params, meta }) => meta["io.modelcontextprotocol/clientCapabilities"] ?? params.capabilities)
    .findLast(isObject);
  return declared ?? {};
}
