/** What a client can connect to, and how it gets a dispatcher for it. */
import { connectDirect } from "../dispatch/direct-dispatcher.js";
import type { Accept, Dispatcher, DispatcherOptions } from "../dispatch/dispatcher.js";
import { JsonRpcDispatcher } from "../dispatch/json-rpc-dispatcher.js";
import type { Transport } from "../transport/transport.js";
import type { JsonRpcMessage } from "../wire/json-rpc.js";

/** A server in the same process: an `McpServer` is one. */
export interface InProcessServer {
  accept: Accept;
  readonly dispatcherOptions: DispatcherOptions;
  /** Sees every message as the JSON-RPC message it stands for. */
  tap?(from: "client" | "server", message: JsonRpcMessage): void;
}

export type ConnectTarget = InProcessServer | Transport;

export async function dispatcherFor(
  target: ConnectTarget,
  accept: Accept,
  options: DispatcherOptions,
): Promise<Dispatcher> {
  if (!("accept" in target)) return JsonRpcDispatcher.start(target, accept, options);
  const [client] = connectDirect(accept, (dispatcher) => target.accept(dispatcher), {
    left: options,
    right: target.dispatcherOptions,
    ...(target.tap && { tap: (side, message) => target.tap?.(side === "left" ? "client" : "server", message) }),
  });
  return client;
}
