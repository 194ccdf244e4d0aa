/**
 * The HTTP+SSE transport of 2024-11-05: one stream per client, whose first event says where to post messages. The stream
 * is the session: it ends with it.
 */
import { SdkError } from "../../../errors/sdk-error.js";
import type { McpServer } from "../../../server/mcp-server.js";
import type { Caller } from "../../../transport/caller.js";
import type { Transport, TransportReceiver } from "../../../transport/transport.js";
import type { JsonRpcMessage, RequestId } from "../../../wire/json-rpc.js";
import { serializeMessage } from "../../../wire/lasting-json.js";
import { correlationKey } from "../../../wire/request-id.js";
import { encodeEvent } from "../../../wire/sse-encoder.js";
import type { HttpRequest, HttpResponse } from "../http-exchange.js";
import { EarlyCancellations } from "./early-cancellations.js";
import { EventConnection } from "./event-connection.js";
import type { LegacySettings } from "./legacy-options.js";
import { Occupancy } from "./occupancy.js";
import { requestIds } from "./posted-messages.js";
import { requireEventStream } from "./protocol-headers.js";
import { badRequest, sessionNotFound, shuttingDown, tooManySessions } from "./refusals.js";
import { createSessionId } from "./session-id.js";

export class SseEndpoint {
  /** Where a GET opens the stream. */
  readonly path: string;
  /** Where messages are posted. */
  readonly messagesPath: string;
  readonly #server: McpServer;
  readonly #settings: LegacySettings;
  readonly #sessions = new Map<string, SseSession>();
  #isClosed = false;

  constructor(server: McpServer, settings: LegacySettings) {
    const { path = "/sse", messagesPath = "/messages" } = typeof settings.sse === "object" ? settings.sse : {};
    this.path = path;
    this.messagesPath = messagesPath;
    this.#server = server;
    this.#settings = settings;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** @throws {HttpRefusal} 406, 503. */
  async get(request: HttpRequest, caller: Caller | undefined, response: HttpResponse): Promise<void> {
    requireEventStream(request);
    if (this.#isClosed) throw shuttingDown();
    const { maxSessions, keepAliveMs } = this.#settings;
    if (this.size >= maxSessions) throw tooManySessions(maxSessions);
    const id = createSessionId();
    const session = new SseSession(caller?.principal);
    this.#sessions.set(id, session);
    const connection = new EventConnection(request, response, keepAliveMs, () => {
      this.#sessions.delete(id);
      session.lost();
    });
    connection.write(encodeEvent({ event: "endpoint", data: `${this.messagesPath}?sessionId=${id}` }));
    session.connect(connection);
    await this.#server.serve(session);
  }

  /** @throws {HttpRefusal} 400 without a session, 404 for one that is unknown or somebody else's, 503 when draining. */
  post(request: HttpRequest, body: unknown, caller: Caller | undefined, response: HttpResponse): void {
    const id = new URLSearchParams(request.query).get("sessionId");
    if (!id) throw badRequest("sessionId is missing: post to the address that the endpoint event named");
    const session = this.#sessions.get(id);
    if (!session || session.principal !== caller?.principal) throw sessionNotFound();
    if (this.#isClosed && requestIds(body).length > 0) throw shuttingDown();
    response.send(202, {});
    session.receive(body, caller);
  }

  /** Takes no more clients and requests, and resolves when no request is being served any more. */
  async drain(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#sessions.values()].map(({ running }) => running.whenEmpty()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const session of this.#sessions.values()) session.close();
  }
}

class SseSession implements Transport {
  readonly principal: string | undefined;
  /** The requests that wait for an answer. */
  readonly running = new Occupancy<RequestId>();
  readonly #early = new EarlyCancellations();
  #connection!: EventConnection;
  #receiver: TransportReceiver | undefined;

  constructor(principal: string | undefined) {
    this.principal = principal;
  }

  connect(connection: EventConnection): void {
    this.#connection = connection;
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
  }

  receive(message: unknown, caller: Caller | undefined): void {
    this.#early.note(message, (key) => this.running.has(key));
    const ids = requestIds(message);
    if (ids.length === 1 && ids.some((id) => this.#early.take(id))) return;
    for (const id of ids) this.running.enter(correlationKey(id));
    this.#receiver?.receive(message, caller);
  }

  send(message: JsonRpcMessage | readonly JsonRpcMessage[]): void | Promise<void> {
    const text = encodeEvent({ event: "message", data: serializeMessage(message) });
    const isWritten = this.#connection.write(text);
    for (const item of [message].flat()) if (!("method" in item)) this.#settled(item.id);
    if (isWritten) return this.#connection.drained();
    throw new SdkError("connection-closed", "The client has closed its stream, or reads too slowly");
  }

  unanswered(id: RequestId): void {
    this.#settled(id);
  }

  lost(): void {
    for (const id of this.running) this.running.leave(id);
    this.#receiver?.closed();
  }

  close(): void {
    this.#connection.end();
  }

  #settled(id: RequestId | undefined): void {
    if (id !== undefined) this.running.leave(correlationKey(id));
  }
}
