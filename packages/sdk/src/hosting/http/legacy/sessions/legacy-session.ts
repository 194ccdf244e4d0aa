/** One session of a legacy client over HTTP. It is the `Transport` of one dispatcher, and owns the session's streams. */
import type { DispatcherOptions } from "../../../../dispatch/dispatcher.js";
import { JsonRpcDispatcher } from "../../../../dispatch/json-rpc-dispatcher.js";
import type { RequestLimits } from "../../../../dispatch/request-limits.js";
import type { Responder } from "../../../../dispatch/served-request.js";
import { isAtLeast, type Revision } from "../../../../protocol/revisions.js";
import { toHex } from "../../../../runtime/hexadecimal.js";
import type { ConnectionRestrictions } from "../../../../server/client-features.js";
import type { AcceptedConnection, HandshakeState } from "../../../../server/handshake-state.js";
import type { ServerHosting } from "../../../../server/server-hosting.js";
import { CONNECTION_BYTES } from "../../../../server/server-limits.js";
import type { Caller } from "../../../../transport/caller.js";
import type { Transport } from "../../../../transport/transport.js";
import type { Classified } from "../../../../wire/classify.js";
import type { JsonRpcMessage } from "../../../../wire/json-rpc.js";
import { limitRefusal } from "../../error-status.js";
import type { HttpRequest, HttpResponse } from "../../http-host.js";
import { HttpRefusal } from "../../http-refusal.js";
import type { LegacySettings, SessionInfo } from "../legacy-options.js";
import { cannotResume, sessionEnded, streamTaken } from "../refusals.js";
import { ResponseWriter, type ResponseWriterOptions } from "../response-writer.js";
import { EventConnection } from "../streams/event-connection.js";
import { type EventStream, outgoing, PlainStream } from "../streams/event-stream.js";
import { BufferedStream, STANDALONE_ID, type StandaloneStream } from "../streams/standalone-stream.js";
import { type Connect, parseEventId, replayEnded, StoredStream, type StreamLog } from "../streams/stored-stream.js";
import type { SessionLink } from "./session-link.js";
import type { SharedHost, SharedSession } from "./shared-session.js";

/** Receives the state changes of a session. `SessionTable` implements it. */
export interface SessionWatcher {
  readonly report: (error: Error) => void;
  /** Gets the errors of the event store, of which there is one per event. */
  readonly reportEvents: (error: Error) => void;
  readonly limits: RequestLimits;
  /** The first request has begun, or the first stream was opened. */
  busy(session: LegacySession): void;
  /** No request runs and no stream is open. */
  idle(session: LegacySession): void;
  /** The state that a session store keeps may have changed. */
  changed(session: LegacySession): void;
  /** Another process has deleted the session. */
  endedElsewhere(session: LegacySession): void;
  /** Messages of other processes of the session may have been lost. */
  missed(session: LegacySession): void;
}

/** How a session that several processes serve is joined to the others. */
export interface SessionSharing {
  readonly link: SessionLink;
  /** Called once, by the constructor of the session. */
  share(session: SharedHost, log: StreamLog, standalone: StoredStream, idleMs: number): SharedSession;
}

/** The method under which limits count a GET that resumes a stream. */
const RESUME = "GET";

const PLAIN_JSON: ConnectionRestrictions = {
  noQuestions:
    "it answers with plain JSON alone (jsonResponses), which carries no question. " +
    "Call it in protocol revision 2026-07-28, or serve the legacy era with streams",
};

/** With a shared event store, a request that is answered within this time costs the store nothing: its answer is plain JSON. */
const STREAM_DELAY_MS = 50;

export class LegacySession implements SessionInfo, Transport, SharedHost {
  readonly id: string;
  readonly principal: string | undefined;
  readonly #settings: LegacySettings;
  readonly #watcher: SessionWatcher;
  readonly #log: StreamLog | undefined;
  readonly #standalone: StandaloneStream;
  /** Undefined if one process has the session. */
  readonly shared: SharedSession | undefined;
  /** Streams by id. Set only with an event store. */
  #streams: Map<string, StoredStream> | undefined;
  #connection!: AcceptedConnection;
  #dispatcher!: JsonRpcDispatcher;
  #closeReason: () => HttpRefusal = sessionEnded;
  #isOver = false;
  /** Begins the ids of requests to the client. Other processes of the session have other ones. */
  readonly #idPrefix: string | undefined;
  /** Number of POSTs in progress and connected streams. */
  #inUse = 0;

  constructor(
    id: string,
    principal: string | undefined,
    settings: LegacySettings,
    watcher: SessionWatcher,
    sharing?: SessionSharing | undefined,
  ) {
    this.id = id;
    this.principal = principal;
    this.#settings = settings;
    this.#watcher = watcher;
    this.#log = this.#createLog(sharing?.link);
    if (this.#log && sharing) {
      const standalone = this.#storedStream(this.#log, STANDALONE_ID);
      this.#standalone = standalone;
      this.#idPrefix = `${sharing.link.name}-`;
      this.shared = sharing.share(this, this.#log, standalone, settings.sessionIdleMs);
    } else this.#standalone = this.#log ? this.#storedStream(this.#log) : new BufferedStream();
  }

  /**
   * Connects the session to the server. `handshake` resumes a session of another process.
   * @throws {ProtocolError} 429 if the handshake exceeds a byte limit of the server.
   */
  connect(server: ServerHosting, handshake?: HandshakeState): void {
    this.#dispatcher = JsonRpcDispatcher.open(
      this,
      (dispatcher) => {
        const { principal } = this;
        this.#connection = server.accept(dispatcher, {
          era: "legacy",
          handshake,
          principal,
          restrictions: this.#restrictions,
        });
        return this.#connection;
      },
      this.shared ? { ...server.sessionOptions, ...this.#forwarding(this.shared) } : server.sessionOptions,
    );
  }

  get report(): (error: Error) => void {
    return this.#watcher.report;
  }

  adopt(handshake: HandshakeState): void {
    // A write of the record may settle after the end. A closed connection must not retain bytes again.
    if (!this.#isOver) this.#connection.adopt(handshake, this.principal);
  }

  notifyChanges(isOn: boolean, hasMissed: boolean): void {
    this.#connection.notifyChanges(isOn);
    if (hasMissed) this.#connection.notifyMissed();
  }

  streamOf(id: string): StoredStream | undefined {
    return this.#streams?.get(id);
  }

  receiveForwarded(message: unknown): "received" | "late" | "unknown" {
    return this.#dispatcher.receiveForwarded(message);
  }

  endedElsewhere(): void {
    this.#watcher.endedElsewhere(this);
  }

  missed(): void {
    this.#watcher.missed(this);
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

  start(): void {
    // `post` passes messages to the dispatcher.
  }

  /** Sends a message that belongs to no request. Answers and related messages go to the `ResponseWriter` of their POST. */
  send(message: JsonRpcMessage | readonly JsonRpcMessage[]): void | Promise<void> {
    // The server sends batches only as answers.
    return (this.shared ?? this.#standalone).emit(outgoing(message as JsonRpcMessage));
  }

  /** Receives the `initialize` that opens the session. */
  open(initialize: Classified, caller: Caller | undefined, responder: Responder): void {
    this.#dispatcher.receiveMessage(initialize, caller, responder);
  }

  /** @throws {HttpRefusal} 400 for a batch in a revision without batches, or a batch over the limit. */
  post(request: HttpRequest, message: Classified, caller: Caller | undefined, response: HttpResponse): void {
    const complaint = this.#dispatcher.batchComplaint(message);
    if (complaint !== undefined) throw HttpRefusal.badRequest(`Invalid request: ${complaint}`);
    this.#begin();
    const writer = new ResponseWriter({
      response,
      caller,
      isBatch: message.kind === "batch",
      openStream: this.#settings.jsonResponses ? undefined : () => this.#openStream(request, response),
      closeReason: () => this.#closeReason(),
      report: this.#watcher.report,
      onSettled: () => {
        isSettled = true;
        clearTimeout(opening);
        this.#watcher.changed(this);
        this.#end();
      },
      ...(this.shared && this.#waits(this.shared)),
    });
    let isSettled = false;
    let opening: ReturnType<typeof setTimeout> | undefined;
    const isResumable = this.#log?.primes === true && !this.#settings.jsonResponses && hasRequests(message);
    if (isResumable && !this.shared) writer.startStream();
    const from = isResumable ? withCloseStream(caller, () => pauseStream(writer)) : caller;
    this.#dispatcher.receiveMessage(message, from, writer);
    if (isResumable && this.shared && !isSettled) opening = setTimeout(() => writer.startStream(), STREAM_DELAY_MS);
  }

  /** Opens the standalone stream, or resumes a stream after `Last-Event-ID`. @throws {HttpRefusal} 400, 409. */
  get(request: HttpRequest, caller: Caller | undefined, response: HttpResponse): void | Promise<void> {
    const lastEventId = request.header("last-event-id");
    const connect = () => this.#connect(request, response, caller);
    if (lastEventId) return this.#resume(lastEventId, connect);
    if (this.shared) return this.shared.listen(undefined, connect);
    if (this.#standalone.isConnected) throw streamTaken();
    return this.#standalone.listen(connect);
  }

  /** Ends the standalone stream, refuses new requests, and resolves when every request is answered. */
  async drain(): Promise<void> {
    this.#standalone.pause();
    await this.#dispatcher.drain();
    // The event store may still be writing answers.
    await Promise.all(Array.from(this.#streams?.values() ?? [], (stream) => stream.written()));
  }

  /** Aborts running requests and refuses them with the reason. Resolves after the last write to the event store. */
  async end(closeReason: () => HttpRefusal): Promise<void> {
    this.#closeReason = closeReason;
    this.#isOver = true;
    this.shared?.end();
    await this.#dispatcher.close();
    const streams = [this.#standalone, ...(this.#streams?.values() ?? [])];
    await Promise.all(streams.map((stream) => stream.abort()));
  }

  close(): void {
    // The dispatcher calls this. `end` closes the streams.
  }

  get #restrictions(): ConnectionRestrictions | undefined {
    return this.#settings.jsonResponses ? PLAIN_JSON : undefined;
  }

  get #revision(): Revision {
    // Read only for requests after `initialize`, so the handshake is complete.
    return (this.handshake as HandshakeState).envelope.revision;
  }

  /** Resumes a stream. Counts as a request in progress while it reads the event store. @throws {HttpRefusal} 400, 429, 503. */
  #resume(lastEventId: string, connect: Connect): Promise<void> {
    const from = parseEventId(lastEventId);
    const log = this.#log;
    if (!log || !from) throw cannotResume();
    const { principal } = this;
    const { limits } = this.#watcher;
    const refused = limits.refusal(log.resumes, RESUME, principal, CONNECTION_BYTES);
    if (refused) throw limitRefusal(refused);
    const resuming = this.#resumed(log, from.streamId, from.number, connect);
    limits.track(log.resumes, RESUME, principal, CONNECTION_BYTES, resuming);
    return resuming;
  }

  #resumed(log: StreamLog, streamId: string, after: number, connect: Connect): Promise<void> {
    if (this.shared && streamId === STANDALONE_ID) return this.shared.listen(after, connect);
    const stream = this.#streams?.get(streamId);
    if (stream) return stream.resume(after, connect);
    if (this.shared) return this.shared.resume(streamId, after, connect);
    return replayEnded(log, streamId, after, connect);
  }

  #forwarding(shared: SharedSession): DispatcherOptions {
    return { idPrefix: this.#idPrefix, forward: (message) => shared.forward(message) };
  }

  #waits(shared: SharedSession): Pick<ResponseWriterOptions, "beforeAnswer" | "onReceived"> {
    return { beforeAnswer: () => shared.record.save(), onReceived: () => shared.received() };
  }

  #openStream(request: HttpRequest, response: HttpResponse): EventStream {
    const connection = this.#connect(request, response);
    if (!this.#log) return new PlainStream(connection);
    const stream = this.#storedStream(this.#log);
    stream.attach(connection);
    return stream;
  }

  #storedStream(log: StreamLog, id?: string): StoredStream {
    this.#streams ??= new Map();
    const streams = this.#streams;
    const stream: StoredStream = new StoredStream(log, () => streams.delete(stream.id), id);
    streams.set(stream.id, stream);
    return stream;
  }

  #connect(request: HttpRequest, response: HttpResponse, caller?: Caller): EventConnection {
    this.#begin();
    const { keepAliveMs } = this.#settings;
    // The record of a session with an open stream must not expire.
    const renew = this.shared && (() => this.#watcher.changed(this));
    return new EventConnection(request, response, keepAliveMs, () => this.#end(), caller, renew);
  }

  #createLog(link: SessionLink | undefined): StreamLog | undefined {
    const { eventStore: store, retryMs } = this.#settings;
    if (!store) return undefined;
    const primes = () => isAtLeast(this.#revision, "2025-11-25");
    return {
      store,
      sessionId: this.id,
      retryMs,
      resumes: { requests: 0, bytes: 0 },
      report: this.#watcher.reportEvents,
      publish: link && ((message) => link.send(message)),
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

/** Whether a message is a request, or a batch with requests. */
export function hasRequests(message: Classified): boolean {
  return message.kind === "batch" ? message.items.some(({ kind }) => kind === "request") : message.kind === "request";
}

/** Lets the client resume the stream of a POST later. */
function pauseStream(writer: ResponseWriter): void {
  // Only sessions with an event store have resumable streams.
  (writer.startStream() as StoredStream).pause();
}

/** The caller with a `closeStream`. Getters instead of a spread, which would copy the headers. */
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

const SESSION_ID_BYTES = 20;

/** 160 random bits as hexadecimal digits. */
export function createSessionId(prefix = ""): string {
  return prefix + toHex(crypto.getRandomValues(new Uint8Array(SESSION_ID_BYTES))).slice(prefix.length);
}

/** Whether a text has the form of a session id. The store is not asked for any other text. */
export function mayBeSessionId(text: string): boolean {
  return text.length === 2 * SESSION_ID_BYTES && /^[0-9a-f]+$/.test(text);
}
