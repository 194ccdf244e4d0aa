/** Legacy clients without sessions: every POST is a connection of its own, which ends with its response. */
import { JsonRpcDispatcher } from "../../../dispatch/json-rpc-dispatcher.js";
import { ErrorCode } from "../../../protocol/error-codes.js";
import { hasBatches } from "../../../protocol/method-table.js";
import type { LegacyRevision } from "../../../protocol/revisions.js";
import { createErrorCallback, type ErrorCallback } from "../../../runtime/error-callback.js";
import type { ConnectionRestrictions } from "../../../server/client-features.js";
import type { HandshakeState } from "../../../server/handshake-state.js";
import type { McpServer } from "../../../server/mcp-server.js";
import type { Caller } from "../../../transport/caller.js";
import type { HttpRequest, HttpResponse } from "../http-exchange.js";
import { EventConnection } from "./event-connection.js";
import { type EventStream, type Outgoing, PlainStream, unreachable } from "./event-stream.js";
import type { LegacySettings } from "./legacy-options.js";
import { Occupancy } from "./occupancy.js";
import { PostExchange } from "./post-exchange.js";
import { PostTransport } from "./post-transport.js";
import { isInitialize, type Posted, readPosted } from "./posted-messages.js";
import { shuttingDown, unsupportedVersion } from "./refusals.js";

/** What the specification has servers assume of a request that names no revision. */
const ASSUMED: LegacyRevision = "2025-03-26";

// A client that is told "subscribed" would wait for updates that nobody can send.
const NEEDS_SESSION: ReadonlySet<string> = new Set(["resources/subscribe", "resources/unsubscribe"]);

const OPENING: { readonly restrictions: ConnectionRestrictions } = {
  restrictions: {
    noQuestions:
      "it keeps no sessions (stateless), so it knows neither what the client declared nor whose an answer is. " +
      "Call it in protocol revision 2026-07-28, or serve the legacy era with sessions",
    forgetsClient: true,
    noChanges: true,
  },
};

export class StatelessService {
  readonly #server: McpServer;
  readonly #settings: LegacySettings;
  readonly #report: ErrorCallback;
  readonly #open = new Occupancy<JsonRpcDispatcher>();

  constructor(server: McpServer, settings: LegacySettings) {
    this.#server = server;
    this.#settings = settings;
    this.#report = createErrorCallback(server.dispatcherOptions.onError);
  }

  /** How many POSTs are being served. */
  get size(): number {
    return this.#open.size;
  }

  /** @throws {HttpRefusal} 400 for what is no message, and for a revision that is not spoken here. */
  post(
    request: HttpRequest,
    body: unknown,
    caller: Caller | undefined,
    response: HttpResponse,
    revision: LegacyRevision = ASSUMED,
  ): void {
    const isOpening = isInitialize(body);
    const { revisions } = this.#server;
    if (!isOpening && !revisions.includes(revision)) throw unsupportedVersion(revision, revisions);
    const posted = readPosted(body, hasBatches(revision) ? this.#server.maxBatchItems : 0).map(refuseWithoutSession);
    const transport = new PostTransport(NOWHERE);
    transport.farewell = shuttingDown;
    const dispatcher = JsonRpcDispatcher.open(
      transport,
      (sender) => this.#server.accept(sender, isOpening ? OPENING : { ...OPENING, handshake: unopened(revision) }),
      this.#server.dispatcherOptions,
      request.connection,
    );
    this.#open.enter(dispatcher);
    const isJson = isOpening || this.#settings.jsonResponses;
    const exchange = new PostExchange({
      response,
      caller,
      isBatch: Array.isArray(body),
      report: this.#report,
      openStream: isJson ? undefined : () => this.#openStream(request, response),
      onSettled: () => void this.#end(dispatcher),
    });
    transport.receivePosted(posted, caller, exchange);
  }

  /** Resolves when nothing is being served any more. */
  drain(): Promise<void> {
    return this.#open.whenEmpty();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((dispatcher) => this.#end(dispatcher)));
  }

  #end(dispatcher: JsonRpcDispatcher): Promise<void> {
    this.#open.leave(dispatcher);
    return dispatcher.close();
  }

  #openStream(request: HttpRequest, response: HttpResponse): EventStream {
    const connection = new EventConnection(request, response, this.#settings.keepAliveMs, () => undefined);
    return new OneWayStream(connection);
  }
}

/** There is nobody whose answer could be told from another's. */
function refuseQuestion({ kind }: Outgoing): void {
  if (kind === "request") throw unreachable("this server is stateless, so its answer would find no one waiting");
}

const NOWHERE = { emit: refuseQuestion };

class OneWayStream extends PlainStream {
  override emit(message: Outgoing): void | Promise<void> {
    refuseQuestion(message);
    return super.emit(message);
  }
}

/** The state of a connection whose handshake, if there was one, nobody remembers. */
function unopened(revision: LegacyRevision): HandshakeState {
  const envelope = { revision, era: "legacy", clientInfo: undefined, clientCapabilities: {} } as const;
  return { envelope, announced: {}, isReady: false, logLevel: "info", watched: [] };
}

function refuseWithoutSession(posted: Posted): Posted {
  if (posted.kind !== "request" || !NEEDS_SESSION.has(posted.request.method)) return posted;
  const { id, method } = posted.request;
  const message = `Method not found: ${method} needs a session, and this server keeps none`;
  return {
    kind: "error",
    text: JSON.stringify({ jsonrpc: "2.0", id, error: { code: ErrorCode.methodNotFound, message } }),
  };
}
