/** The state of one request that a server serves: its client, its connection, the run of its handler, and its log. */
import type { InboundRequest } from "../dispatch/dispatcher.js";
import type { Envelope } from "../era/era-codec.js";
import { SdkError } from "../errors/sdk-error.js";
import { requiredCapabilities } from "../protocol/answer-rules.js";
import { ErrorCode } from "../protocol/error-codes.js";
import type { InputRequest } from "../protocol/input-required.js";
import type { LoggingLevel } from "../protocol/logging.js";
import { MetaKey } from "../protocol/meta-keys.js";
import type { Revision } from "../protocol/revisions.js";
import { RoutedRequest } from "../routing/routed-request.js";
import type { JsonObject } from "../runtime/json.js";
import type { LegacyWatch } from "./changes/legacy-watch.js";
import { type ConnectionRestrictions, requireOfClient, requireQuestions } from "./client-features.js";
import { type ContextLog, createContextLog, type LogTarget, logDropped } from "./context-log.js";
import type { ServerExtensions } from "./extensions.js";
import type { HandlerRun } from "./input/questions.js";
import { LogRate } from "./log-rate.js";
import { refusedNotification } from "./refused-notifications.js";

/** The parts of a connection that its requests need. */
export interface ConnectionState {
  /** The revisions that the server speaks on this connection, newest first. */
  readonly revisions: readonly Revision[];
  /** Whether a legacy client has sent `notifications/initialized`. */
  readonly isReady: boolean;
  /** Whether the server declared the logging capability. */
  readonly declaresLogging: boolean;
  /** Log messages that one request sends per second. */
  readonly maxLogMessagesPerSecond: number;
  /** The least severe level that a legacy client wants. */
  logLevel: LoggingLevel;
  /** The changes that a legacy client is notified of. */
  readonly watch: LegacyWatch;
  /** @throws {ProtocolError} 429 at a limit. */
  subscribe(uri: string, principal: string | undefined): void;
  unsubscribe(uri: string): void;
  /** The least time between two progress reports of a request. */
  readonly progressIntervalMs: number | undefined;
  /** Legacy only: sends a notification that belongs to no request. */
  notify(method: string, params: JsonObject): Promise<void>;
  readonly extensions: ServerExtensions;
  readonly restrictions: ConnectionRestrictions;
  /** The URL schemes of pages that a user may be asked to open. */
  readonly pageSchemes: readonly string[];
}

export class ServerRequest extends RoutedRequest {
  readonly envelope: Envelope;
  readonly connection: ConnectionState;
  /** The current run of a handler that may ask its client. Undefined for methods that cannot. */
  run: HandlerRun | undefined;
  /** The task that the handler runs in. */
  taskId: string | undefined;
  #log: ContextLog | undefined;
  #logTarget: LogTarget | undefined;

  constructor(inbound: InboundRequest, envelope: Envelope, connection: ConnectionState) {
    super(inbound, envelope.revision, envelope.era, connection.progressIntervalMs);
    this.envelope = envelope;
    this.connection = connection;
  }

  get log(): ContextLog {
    this.#log ??= createContextLog(this.#startLog());
    return this.#log;
  }

  /**
   * Checks that the client answers a question.
   * @throws {ProtocolError} -32021 (legacy: -32602) for a capability that the client did not declare, -32603 for a connection
   * that carries no questions.
   */
  requireAskable(request: InputRequest): void {
    const { restrictions } = this.connection;
    requireOfClient(requiredCapabilities(request, this.revision), this.envelope, restrictions);
    requireQuestions(this.era, restrictions);
  }

  /** In a task, progress becomes the status message, with or without a token. */
  override get progressToken(): unknown {
    return this.taskId ?? super.progressToken;
  }

  override finishReports(): void {
    super.finishReports();
    if (this.#logTarget) logDropped(this.#logTarget);
  }

  override refuseNotification(method: string): SdkError | undefined {
    return refusedNotification(method, this.inbound.method);
  }

  override wantsNotification(method: string): boolean {
    return !this.connection.extensions.undeclaredFor(method, this.era, this.envelope.clientCapabilities);
  }

  override refuseRequest(method: string): SdkError | undefined {
    const lacking = this.connection.extensions.undeclaredFor(method, this.era, this.envelope.clientCapabilities);
    if (lacking && this.era === "legacy") {
      const complaint = `${method} was not sent: the client did not declare the extension ${lacking.id}`;
      return new SdkError("capability-not-supported", complaint, { wireCode: ErrorCode.methodNotFound });
    }
    if (this.era === "modern" || method === "ping" || this.connection.isReady) return super.refuseRequest(method);
    return new SdkError("not-initialized", `${method}: the client has not sent notifications/initialized yet`);
  }

  #startLog(): LogTarget {
    const level = () => this.#logLevel();
    this.#logTarget = {
      get minimum() {
        return level();
      },
      isDeclared: this.connection.declaresLogging,
      rate: new LogRate(this.connection.maxLogMessagesPerSecond),
      send: (params) => {
        if (!this.inbound.isSettled) void this.inbound.notify("notifications/message", params);
      },
    };
    return this.#logTarget;
  }

  #logLevel(): LoggingLevel | undefined {
    if (this.era === "legacy") return this.connection.logLevel;
    // The era's codec has checked `_meta` and the level in it.
    const { _meta } = this.inbound.params as { readonly _meta: { readonly [MetaKey.logLevel]?: LoggingLevel } };
    return _meta[MetaKey.logLevel];
  }
}
