/** The targets that a client can connect to, and the dispatcher for each. */
import { platform } from "#platform";
import { connectDirect } from "../dispatch/direct-dispatcher.js";
import type { AcceptConnection, ConnectionEntry, Dispatcher, DispatcherOptions } from "../dispatch/dispatcher.js";
import { JsonRpcDispatcher } from "../dispatch/json-rpc-dispatcher.js";
import { describeKind } from "../errors/option-table.js";
import { SdkError } from "../errors/sdk-error.js";
import { isJsonObject } from "../runtime/json.js";
import type { HttpClientOptions, HttpDispatcher } from "../transport/http/http-client-options.js";
import { HttpTransport } from "../transport/http/http-transport.js";
import type { ServerCommand } from "../transport/server-command.js";
import type { Transport } from "../transport/transport.js";
import type { JsonRpcMessage } from "../wire/json-rpc.js";

/** A server in the same process: an `McpServer` is one. */
export interface InProcessServer {
  readonly hosting: ConnectionEntry;
  /** Called with the JSON-RPC form of every message. */
  tap?(from: "client" | "server", message: JsonRpcMessage): void;
}

/** A server over HTTP: its URL, and options of the connection. */
export interface HttpTarget extends Omit<HttpClientOptions, "onError"> {
  readonly url: string | URL;
  /**
   * Makes the connections on Node: a dispatcher of the `undici` package, such as an `Agent` with certificates or a
   * `ProxyAgent`. `fetch` and `http` take precedence over it.
   * @defaultValue the proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name, else connections of the platform's HTTP client
   */
  readonly dispatcher?: HttpDispatcher | undefined;
}

/** Makes a transport. The client calls it again when the connection was lost. */
export type TransportFactory = () => Transport | Promise<Transport>;

/** A target of `Client.connect`: a URL, a program to start, a server of this process, or a transport. */
export type ConnectTarget = string | URL | HttpTarget | ServerCommand | InProcessServer | Transport | TransportFactory;

/** A member of each kind of target that is an object. */
const TARGET_MEMBERS = ["url", "command", "hosting", "send"];

/** @throws {SdkError} `invalid-argument` for a value that is no target */
export function checkTarget(target: unknown): void {
  if (typeof target === "string" || typeof target === "function" || target instanceof URL) return;
  if (isJsonObject(target) && TARGET_MEMBERS.some((member) => member in target)) return;
  const got = isJsonObject(target)
    ? `an object with ${Object.keys(target).join(", ") || "no members"}`
    : describeKind(target);
  const expected = "expected a URL, { url }, { command, args }, an McpServer or a transport";
  throw new SdkError("invalid-argument", `connect: ${expected}, got ${got}`);
}

/** Whether a lost connection to the target can be opened again. A transport works once; an in-process server is never lost. */
export function canReopen(target: ConnectTarget): boolean {
  return typeof target !== "object" || target instanceof URL || "url" in target || "command" in target;
}

export function isCommand(target: ConnectTarget): target is ServerCommand {
  return typeof target === "object" && "command" in target;
}

export async function dispatcherFor(
  target: ConnectTarget,
  accept: AcceptConnection,
  options: DispatcherOptions,
): Promise<Dispatcher> {
  if (typeof target === "object" && "hosting" in target) return joinInProcess(target, accept, options);
  return JsonRpcDispatcher.start(await transportFor(target, options), accept, options);
}

function transportFor(
  target: Exclude<ConnectTarget, InProcessServer>,
  options: DispatcherOptions,
): Transport | Promise<Transport> {
  if (typeof target === "function") return target();
  if (typeof target === "string" || target instanceof URL) return transportFor({ url: target }, options);
  if (isCommand(target)) return platform.spawn(target);
  if (!("url" in target)) return target;
  const { url, dispatcher, ...given } = target;
  const http = dispatcher === undefined ? platform.http : platform.dispatcherHttp(dispatcher);
  return new HttpTransport(url, { ...given, onError: options.onError }, http);
}

function joinInProcess(target: InProcessServer, accept: AcceptConnection, options: DispatcherOptions): Dispatcher {
  const { hosting } = target;
  const [client] = connectDirect(accept, (dispatcher) => hosting.accept(dispatcher), {
    left: options,
    right: hosting.dispatcherOptions,
    ...(target.tap && { tap: (side, message) => target.tap?.(side === "left" ? "client" : "server", message) }),
  });
  return client;
}
