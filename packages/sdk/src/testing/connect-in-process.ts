/** Connects a client and a server in one process, in any revision, and records every message. */
import { Client } from "../client/client.js";
import type { ClientOptions } from "../client/client-options.js";
import type { InboundRequest } from "../dispatch/dispatcher.js";
import { SdkError } from "../errors/sdk-error.js";
import type { JsonObject } from "../runtime/json.js";
import type { McpServer } from "../server/mcp-server.js";
import { createMemoryTransports } from "../transport/memory-transport.js";
import { recordTransport } from "../transport/recording-transport.js";
import type { JsonRpcMessage } from "../wire/json-rpc.js";

/** One message and its sender. An array is a batch. */
export interface WireEntry {
  readonly from: "client" | "server";
  readonly message: JsonRpcMessage | readonly JsonRpcMessage[];
}

/** Options of `connectInProcess`, besides those of the client. */
export interface InProcessOptions extends Partial<ClientOptions> {
  /**
   * `direct` hands objects over as they are; `json-rpc` sends them as text, as a socket would.
   * @defaultValue "direct"
   */
  over?: "direct" | "json-rpc" | undefined;
  /**
   * Reject a call with the exception that its handler threw, instead of the error result that clients get. Only with `direct`.
   * A `ToolError` and a `ProtocolError` are answered as usual.
   * @defaultValue false
   */
  throwHandlerErrors?: boolean | undefined;
  /** Called with every message when it is sent. @defaultValue none */
  record?: ((entry: WireEntry) => void) | undefined;
}

/**
 * Connects a client to a server without a socket. `revisions: ["2025-06-18"]` holds the conversation to a revision.
 *
 * @example
 * await using client = await connectInProcess(server, { over: "json-rpc", revisions: ["2025-06-18"] });
 */
export async function connectInProcess(server: McpServer, options: InProcessOptions = {}): Promise<Client> {
  const { over = "direct", record, throwHandlerErrors = false, ...given } = options;
  if (throwHandlerErrors && over !== "direct") {
    throw new SdkError("invalid-argument", 'throwHandlerErrors: expected over: "direct", which passes exceptions on');
  }
  const client = new Client({ name: "in-process-client", version: "0.0.0", ...given });
  if (over === "direct") {
    const onHandlerError = throwHandlerErrors ? rethrowHandlerErrors(client) : undefined;
    await client.open({
      hosting: { ...server.hosting, accept: (dispatcher) => server.hosting.accept(dispatcher, { onHandlerError }) },
      ...(record && { tap: (from, message) => record({ from, message }) }),
    });
    return client;
  }
  const [near, far] = createMemoryTransports();
  await server.serve(far);
  await client.open(record ? recordClientSide(near, record) : near);
  return client;
}

/** Marks the params of a request with its call. A symbol never reaches the wire. */
const CALL: unique symbol = Symbol("call");

interface MarkedCall {
  thrown?: { readonly error: unknown };
}

/** Adds middleware that rejects a call with the exception of its handler. Returns the `onHandlerError` of the server. */
function rethrowHandlerErrors(client: Client): (error: unknown, request: InboundRequest) => void {
  client.use(async ({ kind, direction, params }, next) => {
    if (kind !== "request" || direction !== "outbound") return next();
    const call: MarkedCall = {};
    const outcome = await Promise.allSettled([next({ ...params, [CALL]: call } as JsonObject)]);
    if (call.thrown) throw call.thrown.error;
    const [settled] = outcome;
    if (settled.status === "rejected") throw settled.reason;
    return settled.value;
  });
  return (error, { params }) => {
    const call = (params as { readonly [CALL]?: MarkedCall } | undefined)?.[CALL];
    if (call) call.thrown = { error };
  };
}

function recordClientSide(transport: Parameters<typeof recordTransport>[0], record: (entry: WireEntry) => void) {
  return recordTransport(transport, (direction, message) =>
    // This package serializes both sides of an in-process pair, so every received value is a message.
    record({ from: direction === "sent" ? "client" : "server", message: message as JsonRpcMessage }),
  );
}
