/** A client and a server joined in this process, in any revision, with every message they exchange open to view. */
import { Client } from "../client/client.js";
import type { ClientOptions } from "../client/client-options.js";
import type { McpServer } from "../server/mcp-server.js";
import { createMemoryTransports } from "../transport/memory-transport.js";
import { recordTransport } from "../transport/recording-transport.js";
import type { JsonRpcMessage } from "../wire/json-rpc.js";

/** One message that crossed, and who sent it. An array is a batch. */
export interface WireEntry {
  readonly from: "client" | "server";
  readonly message: JsonRpcMessage | readonly JsonRpcMessage[];
}

export interface InProcessOptions extends Partial<ClientOptions> {
  /**
   * `direct` hands objects over as they are; `json-rpc` sends them as text, as a socket would.
   * @defaultValue "direct"
   */
  over?: "direct" | "json-rpc" | undefined;
  /** Sees every message as it crosses. */
  record?: ((entry: WireEntry) => void) | undefined;
}

/**
 * Connects a client to a server without a socket. `revisions: ["2025-06-18"]` holds the conversation to a revision.
 *
 * @example
 * await using client = await connectInProcess(server, { over: "json-rpc", revisions: ["2025-06-18"] });
 */
export async function connectInProcess(server: McpServer, options: InProcessOptions = {}): Promise<Client> {
  const { over = "direct", record, ...given } = options;
  const client = new Client({ name: "in-process-client", version: "0.0.0", ...given });
  if (over === "direct") {
    await client.open({
      hosting: server.hosting,
      ...(record && { tap: (from, message) => record({ from, message }) }),
    });
    return client;
  }
  const [near, far] = createMemoryTransports();
  await server.serve(far);
  await client.open(record ? recordClientSide(near, record) : near);
  return client;
}

function recordClientSide(transport: Parameters<typeof recordTransport>[0], record: (entry: WireEntry) => void) {
  return recordTransport(transport, (direction, message) =>
    // The server's side of an in-process pair is this package's own, so what is received is a message.
    record({ from: direction === "sent" ? "client" : "server", message: message as JsonRpcMessage }),
  );
}
