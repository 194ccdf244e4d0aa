/** One session of a legacy client over HTTP: its connection to the server, its responses, its streams. */
import { JsonRpcDispatcher } from "../../../dispatch/json-rpc-dispatcher.js";
import type { RequestLimits } from "../../../dispatch/request-limits.js";
import { isAtLeast, type Revision } from "../../../protocol/revisions.js";
import { TransientMap } from "../../../runtime/transient-map.js";
import type { ConnectionRestrictions } from "../../../server/client-features.js";
import type { AcceptedConnection, HandshakeState } from "../../../server/handshake-state.js";
import type { McpServer } from "../../../server/mcp-server.js";
import { CONNECTION_BYTES } from "../../../server/server-limits.js";
import type { Caller } from "../../../transport/caller.js";
import type { JsonRpcRequest } from "../../../wire/json-rpc.js";
import { limitRefusal } from "../error-status.js";
import type { HttpRequest, HttpResponse } from "../http-exchange.js";
import type { HttpRefusal } from "../http-refusal.js";
import { EventConnection } from "./event-connection.js";
import { type EventStream, PlainStream } from "./event-stream.js";
import type { LegacySettings, SessionInfo } from "./legacy-options.js";
import { type Exchange, PostExchange } from "./post-exchange.js";
import { PostTransport } from "./post-transport.js";
import { readPosted } from "./posted-messages.js";
import { cannotResume, streamTaken } from "./refusals.js";
import { type StandaloneStream, WaitingStream } from "./standalone-stream.js";
import { type Connect, parseEventId, replayEnded, StoredStream, type StreamLog } from "./stored-stream.js";

/** Who is told what becomes of a session. */
export interface SessionWatcher {
  readonly report: (error: Error) => void;
  readonly limits: RequestLimits;
  /** A request has begun or a stream was opened, where there was none. */
  busy(session: LegacySession): void;
  /** No request runs and no stream is open. */
  idle(session: LegacySession): void;
  /** What a store would keep of it may have changed. */
  changed(session: LegacySession): void;
}

/** How limits name a GET that resumes a stream. */
const RESUME = "GET";

const PLAIN_JSON: ConnectionRestrictions = {
  noQuestions:
    "it answers with plain JSON alone (jsonResponses), which carries no question. " +
    "Call it in protocol revision 2026-07-28, or serve the legacy era with streams",
};

export class LegacySession implements SessionInfo {
  readonly id: string;
  readonly principal: string | undefined;
  readonly #settings: LegacySettings;
  readonly #watcher: SessionWatcher;
  readonly #log: StreamLog | undefined;
  readonly #standalone: StandaloneStream;
  readonly #transport: PostTransport;
  /** Kept only where there is an event store to resume from. */
  #streams: TransientMap<string, StoredStream> | undefined;
  #connection!: AcceptedConnection;
  #dispatcher!: JsonRpcDispatcher;
  #maxBatchItems = 0;
  #inUse = 0;

  constructor(id: string, principal: string | undefined, settings: LegacySettings, watcher: SessionWatcher) {
    this.id = id;
    this.principal = principal;
    this.#settings = settings;
    this.#watcher = watcher;
    this.#log = this.#createLog();
    this.#standalone = this.#log ? this.#storedStream(this.#log) : new WaitingStream();
    this.#transport = new PostTransport(this.#standalone);
  }

  /**
   * Connects it to the server, at the beginning or, with a handshake, where another process left off.
   * @throws {ProtocolError} 429 if the server has no room for the handshake.
   */
  connect(server: McpServer, handshake?: HandshakeState): void {
    this.#maxBatchItems = server.maxBatchItems;
    this.#dispatcher = JsonRpcDispatcher.open(
      this.#transport,
      (dispatcher) => {
        const { principal } = this;
        this.#connection = server.accept(dispatcher, { handshake, principal, restrictions: this.#restrictions });
        return this.#connection;
      },
      server.sessionOptions,
    );
  }

  get handshake(): HandshakeState | undefined {
    return this.#connection.handshake;
  }

  get retainedBytes(): number {
    return this.#connection.retainedBytes;
  }

  get handshakeVersion(): number {
    return this.#connection.handshakeVersion;
  }

  /** Hands over the `initialize` that the session begins with. */
  open(initialize: JsonRpcRequest, caller: Caller | undefined, exchange: Exchange): void {
    this.#transport.receiveRequest(initialize, caller, exchange);
  }

  /** @throws {HttpRefusal} 400 for what is no message. */
  post(request: HttpRequest, body: unknown, caller: Caller | undefined, response: HttpResponse): void {
    const posted = readPosted(body, this.#connection.acceptsBatches === true ? this.#maxBatchItems : 0);
    this.#begin();
    const exchange = new PostExchange({
      response,
      caller,
      isBatch: Array.isArray(body),
      openStream: this.#settings.jsonResponses ? undefined : () => this.#openStream(request, response),
      onSettled: () => {
        this.#watcher.changed(this);
        this.#end();
      },
    });
    const isAsking = posted.some(({ kind }) => kind === "request");
    const stream = isAsking && this.#log?.primes ? exchange.startStream() : undefined;
    const from = stream instanceof StoredStream ? withCloseStream(caller, () => stream.pause()) : caller;
    this.#transport.receivePosted(posted, from, exchange);
  }

  /** Opens the standalone stream, or goes on with one that broke. @throws {HttpRefusal} 400, 409. */
  get(request: HttpRequest, caller: Caller | undefined, response: HttpResponse): void | Promise<void> {
    const lastEventId = request.header("last-event-id");
    const connect = () => this.#connect(request, response, caller);
    if (lastEventId) return this.#resume(lastEventId, connect);
    if (this.#standalone.isConnected) throw streamTaken();
    return this.#standalone.listen(connect);
  }

  /** Ends the connection of the standalone stream, which the client may open again. */
  pauseStandalone(): void {
    this.#standalone.pause();
  }

  /** Aborts what runs and says why. Resolves when nothing more will be written to the event store. */
  async close(farewell: () => HttpRefusal): Promise<void> {
    this.#transport.farewell = farewell;
    await this.#dispatcher.close();
    const streams = [this.#standalone, ...(this.#streams?.values() ?? [])];
    await Promise.all(streams.map((stream) => stream.abort()));
  }

  get #restrictions(): ConnectionRestrictions {
    return this.#settings.jsonResponses ? PLAIN_JSON : {};
  }

  get #revision(): Revision {
    // Requests other than initialize get here only after it has succeeded.
    return (this.handshake as HandshakeState).envelope.revision;
  }

  /** A resume waits for the event store, and is in progress meanwhile. @throws {HttpRefusal} 400, 429, 503. */
  #resume(lastEventId: string, connect: Connect): Promise<void> {
    const from = parseEventId(lastEventId);
    const log = this.#log;
    if (!log || !from) throw cannotResume();
    const { principal } = this;
    const { limits } = this.#watcher;
    const refused = limits.refusal(log.resumes, RESUME, principal, CONNECTION_BYTES);
    if (refused) throw limitRefusal(refused);
    const stream = this.#streams?.get(from.streamId);
    const resuming = stream
      ? stream.resume(from.number, connect)
      : replayEnded(log, from.streamId, from.number, connect);
    limits.track(log.resumes, RESUME, principal, CONNECTION_BYTES, resuming);
    return resuming;
  }

  #openStream(request: HttpRequest, response: HttpResponse): EventStream {
    const connection = this.#connect(request, response);
    if (!this.#log) return new PlainStream(connection);
    const stream = this.#storedStream(this.#log);
    stream.attach(connection);
    return stream;
  }

  #storedStream(log: StreamLog): StoredStream {
    this.#streams ??= new TransientMap();
    const streams = this.#streams;
    const stream: StoredStream = new StoredStream(log, () => streams.delete(stream.id));
    streams.set(stream.id, stream);
    return stream;
  }

  #connect(request: HttpRequest, response: HttpResponse, caller?: Caller): EventConnection {
    this.#begin();
    return new EventConnection(request, response, this.#settings.keepAliveMs, () => this.#end(), caller);
  }

  #createLog(): StreamLog | undefined {
    const { eventStore: store, retryMs } = this.#settings;
    if (!store) return undefined;
    const primes = () => isAtLeast(this.#revision, "2025-11-25");
    return {
      store,
      sessionId: this.id,
      retryMs,
      resumes: { requests: 0, bytes: 0 },
      report: this.#watcher.report,
      get primes() {
        return primes();
      },
    };
  }

  #begin(): void {
    this.#inUse += 1;
    if (this.#inUse === 1) this.#watcher.busy(this);
  }

  #end(): void {
    this.#inUse -= 1;
    if (this.#inUse === 0) this.#watcher.idle(this);
  }
}

/** A copy would read headers that nobody asks for. */
function withCloseStream(caller: Caller | undefined, closeStream: () => void): Caller {
  return {
    principal: caller?.principal,
    details: caller?.details,
    auth: caller?.auth,
    expiresAt: caller?.expiresAt,
    messageBytes: caller?.messageBytes,
    closeStream,
    get headers() {
      return caller?.headers;
    },
    get address() {
      return caller?.address;
    },
  };
}
