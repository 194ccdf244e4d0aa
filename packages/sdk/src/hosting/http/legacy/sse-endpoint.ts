/**
 * The HTTP+SSE transport of 2024-11-05. Each client opens one stream, whose first event names the URL for its POSTs. The
 * session lasts as long as the stream.
 */
import { JsonRpcDispatcher } from "../../../dispatch/json-rpc-dispatcher.js";
import { SdkError } from "../../../errors/sdk-error.js";
import { Quota } from "../../../runtime/quota.js";
import type { ServerHosting } from "../../../server/server-hosting.js";
import type { Caller } from "../../../transport/caller.js";
import type { Transport } from "../../../transport/transport.js";
import type { Classified } from "../../../wire/classify.js";
import type { JsonRpcMessage } from "../../../wire/json-rpc.js";
import { serializeMessage } from "../../../wire/preserialized-json.js";
import { encodeEvent } from "../../../wire/sse-encoder.js";
import type { HttpRequest, HttpResponse } from "../http-host.js";
import { HttpRefusal } from "../http-refusal.js";
import { accepts, EVENT_STREAM_TYPE } from "../media-types.js";
import type { LegacySettings } from "./legacy-options.js";
import { closingRefusal, notAcceptable, sessionNotFound, tooManySessions } from "./refusals.js";
import { createSessionId, hasRequests } from "./sessions/legacy-session.js";
import { EventConnection } from "./streams/event-connection.js";

export class SseEndpoint {
  /** Path of the GET that opens the stream. */
  readonly path: string;
  /** Path of the POSTs. */
  readonly messagesPath: string;
  readonly #server: ServerHosting;
  readonly #settings: LegacySettings;
  readonly #sessions = new Map<string, SseSession>();
  readonly #shares: Quota;
  #isClosed = false;

  constructor(server: ServerHosting, settings: LegacySettings) {
    const { path = "/sse", messagesPath = "/messages" } = typeof settings.sse === "object" ? settings.sse : {};
    this.path = path;
    this.messagesPath = messagesPath;
    this.#server = server;
    this.#settings = settings;
    this.#shares = new Quota(settings.maxSessions, settings.maxSessions);
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** @throws {HttpRefusal} 406, 503. */
  get(request: HttpRequest, caller: Caller | undefined, response: HttpResponse): void {
    requireEventStream(request);
    if (this.#isClosed) throw closingRefusal();
    this.#makeRoom(caller?.principal);
    const id = createSessionId(this.#settings.sessionIdPrefix);
    const session = new SseSession(caller?.principal);
    this.#sessions.set(id, session);
    this.#shares.take(session.principal, 1);
    const onOver = () => {
      this.#sessions.delete(id);
      this.#shares.take(session.principal, -1);
      session.lost();
    };
    const connection = new EventConnection(request, response, this.#settings.keepAliveMs, onOver, caller);
    connection.write(encodeEvent({ event: "endpoint", data: `${this.messagesPath}?sessionId=${id}` }));
    session.open(connection, this.#server);
  }

  /** @throws {HttpRefusal} 400 without a session id, 404 for an unknown session or another principal's, 503 when draining. */
  post(request: HttpRequest, message: Classified, caller: Caller | undefined, response: HttpResponse): void {
    const id = new URLSearchParams(request.query).get("sessionId");
    if (!id) throw HttpRefusal.badRequest("sessionId is missing: post to the address that the endpoint event named");
    const session = this.#sessions.get(id);
    if (!session || session.principal !== caller?.principal) throw sessionNotFound();
    if (this.#isClosed && hasRequests(message)) throw closingRefusal();
    response.send(202, {});
    session.receive(message, caller);
  }

  /** Refuses new clients and requests. Resolves when every request is answered. */
  async drain(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#sessions.values()].map((session) => session.drain()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const session of this.#sessions.values()) session.close();
  }

  /** At the limit, closes the oldest session of a principal that has at least two more sessions. @throws {HttpRefusal} 503 */
  #makeRoom(principal: string | undefined): void {
    const { maxSessions } = this.#settings;
    if (this.size < maxSessions) return;
    const isVictim = this.#shares.victims(principal, 2);
    for (const session of this.#sessions.values()) {
      if (session.principal === principal || !isVictim(session.principal)) continue;
      session.close();
      return;
    }
    throw tooManySessions(maxSessions);
  }
}

class SseSession implements Transport {
  readonly principal: string | undefined;
  #connection!: EventConnection;
  /** Undefined if the client disconnected before the stream was open. */
  #dispatcher: JsonRpcDispatcher | undefined;

  constructor(principal: string | undefined) {
    this.principal = principal;
  }

  open(connection: EventConnection, server: ServerHosting): void {
    this.#connection = connection;
    if (!connection.isOpen) return;
    this.#dispatcher = JsonRpcDispatcher.open(this, (sender) => server.accept(sender), server.sessionOptions);
  }

  start(): void {
    // `receive` passes posted messages to the dispatcher.
  }

  receive(message: Classified, caller: Caller | undefined): void {
    this.#dispatcher?.receiveMessage(message, caller);
  }

  drain(): Promise<void> | undefined {
    return this.#dispatcher?.drain();
  }

  send(message: JsonRpcMessage | readonly JsonRpcMessage[]): void | Promise<void> {
    const text = encodeEvent({ event: "message", data: serializeMessage(message) });
    if (this.#connection.write(text)) return this.#connection.drained();
    throw new SdkError("connection-closed", "The client has closed its stream, or reads too slowly");
  }

  lost(): void {
    this.#dispatcher?.closed();
  }

  close(): void {
    this.#connection.end();
  }
}

/** @throws {HttpRefusal} 406 if the client does not accept an event stream. */
export function requireEventStream(request: HttpRequest): void {
  if (!accepts(request.header("accept"), EVENT_STREAM_TYPE)) throw notAcceptable();
}
