/** The connection of a handler whose call is over: it sends nothing, and holds the settings of its server. */
import { SdkError } from "../../errors/sdk-error.js";
import type { LoggingLevel } from "../../protocol/logging.js";
import type { Revision } from "../../protocol/revisions.js";
import type { JsonObject } from "../../runtime/json.js";
import { LegacyWatch } from "../changes/legacy-watch.js";
import type { ServerExtensions } from "../extensions.js";
import type { ServerDefinition } from "../server-connection.js";
import type { ConnectionState } from "../server-request.js";

export class DetachedConnection implements ConnectionState {
  readonly isReady = true;
  readonly declaresLogging: boolean;
  readonly restrictions = {};
  readonly revisions: readonly Revision[];
  readonly maxLogMessagesPerSecond: number;
  readonly progressIntervalMs: number | undefined;
  readonly extensions: ServerExtensions;
  readonly pageSchemes: readonly string[];
  readonly watch: LegacyWatch;
  logLevel: LoggingLevel = "emergency";

  constructor(server: ServerDefinition) {
    this.revisions = server.revisions;
    this.declaresLogging = server.declaresLogging;
    this.maxLogMessagesPerSecond = server.maxLogMessagesPerSecond;
    this.progressIntervalMs = server.progressIntervalMs;
    this.extensions = server.extensions;
    this.pageSchemes = server.pageSchemes;
    this.watch = new LegacyWatch(server.changes, server.maxSubscribedResources, server.urlElicitations);
  }

  async notify(): Promise<void> {
    // No client is connected.
  }

  async requestClient(): Promise<JsonObject> {
    throw new SdkError("connection-closed", "The call of this handler is over: there is no client to ask");
  }

  subscribe(): void {
    // A handler of a tool subscribes to nothing.
  }

  unsubscribe(): void {
    // As `subscribe`.
  }
}
