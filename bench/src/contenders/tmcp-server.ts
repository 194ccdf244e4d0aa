/** The tmcp server of the workload, and the shortest ways to drive it in process. */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { McpServer } from "tmcp";
import type { Era } from "../contender.js";
import { DESCRIPTION, inputSchema, outputSchema, quoteResult, TOOL } from "../workload.js";

export const CLIENT_INFO = { name: "bench", version: "1.0.0" };

/** Takes one message and resolves with its answer, or with nothing for a notification. */
export type Receive = (message: JSONRPCMessage) => Promise<unknown>;

export function startTmcp(era: Era): Receive {
  const server = new McpServer(
    { name: "bench", version: "1.0.0", description: "bench" },
    { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
  );
  server.tool({ name: TOOL, description: DESCRIPTION, schema: inputSchema, outputSchema }, quoteResult);
  const context = era === "legacy" ? { sessionId: "bench", sessionInfo: { clientInfo: CLIENT_INFO } } : {};
  // Both packages type the same JSON-RPC messages in their own words.
  return async (message) => server.receive(message as Parameters<typeof server.receive>[0], context);
}

/** Hands a client's messages to `receive` and its answers back, with no queue or copy between. */
export class DirectTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #receive: Receive;

  constructor(receive: Receive) {
    this.#receive = receive;
  }

  async start(): Promise<void> {
    return;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const response = await this.#receive(message);
    if (response) this.onmessage?.(response as JSONRPCMessage); // What tmcp answers is JSON-RPC.
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
