/**
 * Serves legacy requests over HTTP: Streamable HTTP with or without sessions, and optionally HTTP+SSE. Refused requests
 * throw or reject with an `HttpRefusal`, which `HttpEndpoint` sends.
 */
import { warnDeprecated } from "../../../protocol/deprecations.js";
import { HttpHeader } from "../../../protocol/http-headers.js";
import { isLegacyRevision, type LegacyRevision, type Revision } from "../../../protocol/revisions.js";
import { withTimeout } from "../../../runtime/timers.js";
import type { ServerHosting } from "../../../server/server-hosting.js";
import type { Caller } from "../../../transport/caller.js";
import type { Classified } from "../../../wire/classify.js";
import type { HttpRequest, HttpResponse } from "../http-host.js";
import { HttpRefusal } from "../http-refusal.js";
import { type LegacyOptions, type LegacySettings, settleLegacyOptions } from "./legacy-options.js";
import { closingRefusal, unsupportedVersion } from "./refusals.js";
import { hasRequests, type LegacySession } from "./sessions/legacy-session.js";
import { SessionTable } from "./sessions/session-table.js";
import { requireEventStream, SseEndpoint } from "./sse-endpoint.js";
import { isInitialize, StatelessService } from "./stateless-service.js";

export class LegacyEndpoint {
  /** The transport of 2024-11-05, if it is served. */
  readonly sse: SseEndpoint | undefined;
  readonly #settings: LegacySettings;
  /** Revisions of both eras, since a refusal lists all of them. */
  readonly #revisions: readonly Revision[];
  readonly #sessions: SessionTable;
  readonly #stateless: StatelessService;
  #isClosed = false;

  /** @throws {SdkError} `invalid-argument` for options that are out of range or contradict each other. */
  constructor(server: ServerHosting, options: LegacyOptions, keepAliveMs: number) {
    this.#settings = settleLegacyOptions(options, keepAliveMs);
    this.#revisions = server.revisions;
    this.#sessions = new SessionTable(server, this.#settings);
    this.#stateless = new StatelessService(server, this.#settings);
    if (options.sse) warnDeprecated("HTTP_SSE");
    this.sse = options.sse ? new SseEndpoint(server, this.#settings) : undefined;
  }

  /** Number of sessions, or of POSTs in progress without sessions. */
  get size(): number {
    return this.#sessions.size + this.#stateless.size;
  }

  /** @throws {HttpRefusal} for an invalid message, or one that the endpoint or the session refuses. */
  post(
    request: HttpRequest,
    message: Classified,
    caller: Caller | undefined,
    response: HttpResponse,
  ): void | Promise<void> {
    if (message.kind === "invalid") throw HttpRefusal.badRequest(`Invalid request: ${message.reason}`);
    this.#checkDraining(message);
    const revision = namedRevision(request, this.#revisions);
    if (this.#settings.stateless) return this.#stateless.post(request, message, caller, response, revision);
    if (request.header(HttpHeader.session) === undefined && isInitialize(message)) {
      if (message.kind !== "request") throw HttpRefusal.badRequest("Invalid request: initialize must have an id");
      return this.#sessions.open(message, caller, request, response);
    }
    return this.#withSession(request, caller, (session) => {
      this.#checkDraining(message);
      session.post(request, message, caller, response);
    });
  }

  /** Opens the standalone stream of a session, or resumes a stream. */
  get(request: HttpRequest, caller: Caller | undefined, response: HttpResponse): void | Promise<void> {
    if (this.#settings.stateless)
      throw HttpRefusal.methodNotAllowed("POST", "This server keeps no sessions, so it has no stream to open");
    if (this.#isClosed) throw closingRefusal();
    namedRevision(request, this.#revisions);
    requireEventStream(request);
    return this.#withSession(request, caller, (session) => {
      // Draining may have begun while the session store was read.
      if (this.#isClosed) throw closingRefusal();
      return session.get(request, caller, response);
    });
  }

  /** Ends a session. */
  delete(request: HttpRequest, caller: Caller | undefined, response: HttpResponse): void | Promise<void> {
    if (this.#settings.stateless)
      throw HttpRefusal.methodNotAllowed("POST", "This server keeps no sessions, so none can be deleted");
    namedRevision(request, this.#revisions);
    const end = async (session: LegacySession) => {
      await this.#sessions.delete(session);
      response.send(204, {});
    };
    return this.#withSession(request, caller, end, "delete");
  }

  /** Refuses new requests, waits up to `graceMs` for requests in progress, and closes. */
  async drain(graceMs: number): Promise<void> {
    this.#isClosed = true;
    const drained = Promise.all([this.#sessions.drain(), this.#stateless.drain(), this.sse?.drain()]);
    await withTimeout(drained, graceMs, () => undefined);
    await this.close();
  }

  /** Aborts requests in progress and ends every response. Other processes can resume the sessions of a store. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#sessions.close(), this.#stateless.close(), this.sse?.close()]);
  }

  /** Refuses requests while draining. Answers and cancellations for running requests are still accepted. */
  #checkDraining(message: Classified): void {
    if (this.#isClosed && hasRequests(message)) throw closingRefusal();
  }

  #withSession(
    request: HttpRequest,
    caller: Caller | undefined,
    act: (session: LegacySession) => void | Promise<void>,
    purpose?: "delete" | undefined,
  ): void | Promise<void> {
    const id = request.header(HttpHeader.session);
    if (id === undefined)
      throw HttpRefusal.badRequest("Mcp-Session-Id is missing: send initialize first, then the id it answers with");
    const found = this.#sessions.find(id, caller, purpose);
    if (!(found instanceof Promise)) return act(found);
    // Another request that waited for the session store may have deleted the session, or may have taken its room.
    return found.then((session) =>
      this.#sessions.isLive(session) ? act(session) : this.#withSession(request, caller, act, purpose),
    );
  }
}

/** The revision in the header of a request. @throws {HttpRefusal} 400 for a revision that the server does not speak. */
function namedRevision(request: HttpRequest, spoken: readonly Revision[]): LegacyRevision | undefined {
  const given = request.header(HttpHeader.revision);
  if (given === undefined) return undefined;
  if (isLegacyRevision(given) && spoken.includes(given)) return given;
  throw unsupportedVersion(given, spoken);
}
