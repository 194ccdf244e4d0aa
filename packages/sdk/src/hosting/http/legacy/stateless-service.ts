/** Serves legacy clients without sessions: each POST has its own dispatcher, which closes with the response. */
import type { AcceptConnection } from "../../../dispatch/dispatcher.js";
import { JsonRpcDispatcher } from "../../../dispatch/json-rpc-dispatcher.js";
import { LEGACY_REVISIONS, type LegacyRevision } from "../../../protocol/revisions.js";
import { createErrorCallback, type ErrorCallback } from "../../../runtime/error-callback.js";
import { TransientMap } from "../../../runtime/transient-map.js";
import type { ConnectionRestrictions } from "../../../server/client-features.js";
import type { AcceptOptions, HandshakeState } from "../../../server/handshake-state.js";
import type { ServerHosting } from "../../../server/server-hosting.js";
import type { Caller } from "../../../transport/caller.js";
import type { Transport } from "../../../transport/transport.js";
import type { Classified } from "../../../wire/classify.js";
import type { JsonRpcMessage } from "../../../wire/json-rpc.js";
import type { HttpRequest, HttpResponse } from "../http-host.js";
import { HttpRefusal } from "../http-refusal.js";
import type { LegacySettings } from "./legacy-options.js";
import { abortedByShutdown, unsupportedVersion } from "./refusals.js";
import { ResponseWriter } from "./response-writer.js";
import { EventConnection } from "./streams/event-connection.js";
import { cannotAsk, type EventStream, type Outgoing, PlainStream } from "./streams/event-stream.js";

/** The revision that the specification tells servers to assume for a request without a revision header. */
const ASSUMED: LegacyRevision = "2025-03-26";

const OPENING: { readonly era: "legacy"; readonly restrictions: ConnectionRestrictions } = {
  era: "legacy",
  restrictions: {
    noQuestions:
      "it keeps no sessions (stateless), so it knows neither what the client declared nor whose an answer is. " +
      "Call it in protocol revision 2026-07-28, or serve the legacy era with sessions",
    forgetsClient: true,
    noChanges: true,
  },
};

export class StatelessService {
  readonly #server: ServerHosting;
  readonly #settings: LegacySettings;
  readonly #report: ErrorCallback;
  readonly #open = new TransientMap<JsonRpcDispatcher, true>();
  readonly #acceptOpening: AcceptConnection;
  readonly #acceptByRevision: ReadonlyMap<string, AcceptConnection>;

  constructor(server: ServerHosting, settings: LegacySettings) {
    this.#server = server;
    const accepting =
      (options: AcceptOptions): AcceptConnection =>
      (sender) =>
        server.accept(sender, options);
    this.#acceptOpening = accepting(OPENING);
    this.#acceptByRevision = new Map(
      LEGACY_REVISIONS.filter((revision) => server.revisions.includes(revision)).map((revision) => [
        revision,
        accepting({ ...OPENING, handshake: unopened(revision) }),
      ]),
    );
    this.#settings = settings;
    this.#report = createErrorCallback(server.dispatcherOptions.onError);
  }

  /** Number of POSTs in progress. */
  get size(): number {
    return this.#open.size;
  }

  /** @throws {HttpRefusal} 400 for a revision that the server does not speak, or a batch in a revision without batches. */
  post(
    request: HttpRequest,
    message: Classified,
    caller: Caller | undefined,
    response: HttpResponse,
    revision: LegacyRevision = ASSUMED,
  ): void {
    const isOpening = isInitialize(message);
    const accept = isOpening ? this.#acceptOpening : this.#acceptByRevision.get(revision);
    if (!accept) throw unsupportedVersion(revision, this.#server.revisions);
    const { dispatcherOptions } = this.#server;
    const dispatcher = JsonRpcDispatcher.open(NO_STANDALONE_STREAM, accept, dispatcherOptions, request.connection);
    const complaint = dispatcher.batchComplaint(message);
    if (complaint !== undefined) throw HttpRefusal.badRequest(`Invalid request: ${complaint}`);
    this.#open.set(dispatcher, true);
    const isJson = isOpening || this.#settings.jsonResponses;
    const writer = new ResponseWriter({
      response,
      caller,
      isBatch: message.kind === "batch",
      openStream: isJson ? undefined : () => this.#openStream(request, response),
      closeReason: abortedByShutdown,
      report: this.#report,
      onSettled: () => this.#end(dispatcher),
    });
    dispatcher.receiveMessage(message, caller, writer);
  }

  /** Resolves when every request is answered. */
  async drain(): Promise<void> {
    await Promise.all(this.#open.keys().map((dispatcher) => dispatcher.drain()));
  }

  close(): void {
    for (const dispatcher of this.#open.keys()) this.#end(dispatcher);
  }

  /** Synchronous, since the dispatcher of a POST has no transport to close. */
  #end(dispatcher: JsonRpcDispatcher): void {
    this.#open.delete(dispatcher);
    dispatcher.closed();
  }

  #openStream(request: HttpRequest, response: HttpResponse): EventStream {
    const connection = new EventConnection(request, response, this.#settings.keepAliveMs, () => undefined);
    return new OneWayStream(connection);
  }
}

/** Without a session, the answer of the client could not be matched to the handler that asked. */
function refuseQuestion(isQuestion: boolean): void {
  if (isQuestion) throw cannotAsk("this server is stateless, so its answer would find no one waiting");
}

/** Drops messages that belong to no request. */
const NO_STANDALONE_STREAM: Transport = {
  start: () => undefined,
  // The server sends batches only as answers.
  send: (message) => refuseQuestion("id" in (message as JsonRpcMessage)),
  close: () => undefined,
};

class OneWayStream extends PlainStream {
  override emit(message: Outgoing): void | Promise<void> {
    refuseQuestion(message.kind === "request");
    return super.emit(message);
  }
}

/** Handshake state of a POST that is not `initialize`: only the revision is known. Frozen, since all POSTs share it. */
function unopened(revision: LegacyRevision): HandshakeState {
  const nothing = Object.freeze({});
  const envelope = Object.freeze({ revision, era: "legacy", clientInfo: undefined, clientCapabilities: nothing });
  return { envelope, announced: nothing, isReady: false, logLevel: "info", watched: [] };
}

/** Whether a message is a single `initialize`, which opens a connection. */
export function isInitialize(message: Classified): boolean {
  return (message.kind === "request" || message.kind === "notification") && message.message.method === "initialize";
}
