/** `server.hosting`: the API of a server for hosts, apart from the methods for server authors. */
import type { ConnectionEntry, Dispatcher, DispatcherOptions } from "../dispatch/dispatcher.js";
import { describeKind } from "../errors/option-table.js";
import { SdkError } from "../errors/sdk-error.js";
import type { Revision } from "../protocol/revisions.js";
import type { ToolHeader } from "../protocol/tool-header-annotations.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import type { AcceptedConnection, AcceptOptions } from "./handshake-state.js";
import type { ServerHold } from "./server-lifecycle.js";
import type { ServerLimits } from "./server-limits.js";

/** A server's interface for hosts. */
export interface ServerHosting extends ConnectionEntry {
  /** The revisions that the server speaks, newest first. */
  readonly revisions: readonly Revision[];
  /** Options for a dispatcher that serves a pipe, a socket, or one HTTP request. */
  readonly dispatcherOptions: DispatcherOptions;
  /** Options for a dispatcher that serves a legacy session over HTTP. */
  readonly sessionOptions: DispatcherOptions;
  /** The limits of the server. Hosts count the bytes that they hold for clients here. */
  readonly limits: ServerLimits;
  /**
   * Creates the receiver of one connection.
   * @throws {ProtocolError} 429 if a restored handshake takes too many bytes.
   */
  accept(dispatcher: Dispatcher, options?: AcceptOptions): AcceptedConnection;
  /** Keeps the server started until the hold is released. Hosts hold a server for as long as they serve it. */
  hold(): ServerHold;
  /** Whether an `initialize` with these params can succeed. Hosts check this before they create a session. */
  canInitialize(params?: JsonObject): boolean;
  /** The arguments of a tool that HTTP headers mirror. Hosts compare both. */
  toolHeaders(name: string): readonly ToolHeader[] | undefined;
  /** The param of an author's own method that the `Mcp-Name` header repeats. Hosts compare both. */
  mirroredParam(method: string): string | undefined;
  /** The scopes that a request needs. Hosts compare them with those of the caller. */
  requiredScopes(method: string, params: JsonObject | undefined): readonly string[];
}

/** Checks the first argument of a host. @throws {SdkError} `invalid-argument` for a value that is no server */
export function checkServer(host: string, server: unknown): void {
  if (isJsonObject(server) && isJsonObject(server.hosting)) return;
  const complaint = `expected an McpServer first, got ${describeKind(server)}`;
  const form = `${host}(new McpServer({ name: "my-server", version: "1.0.0" }))`;
  throw new SdkError("invalid-argument", `${host}: ${complaint}; write ${form}`);
}
