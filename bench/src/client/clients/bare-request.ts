/** What clients that know nothing of the protocol send, and how they look at the answer. */
import { type Era, REVISION } from "../../contender.js";
import { type Answer, type Order, TOOL } from "../../workload.js";

const META = {
  "io.modelcontextprotocol/protocolVersion": REVISION.modern,
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

export function bareHeaders(era: Era): Record<string, string> {
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": REVISION[era],
    ...(era === "modern" && { "mcp-method": "tools/call", "mcp-name": TOOL }),
  };
}

export function bareBody(era: Era, id: number, order: Order): string {
  const params = { name: TOOL, arguments: order, ...(era === "modern" && { _meta: META }) };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}

/** @throws {Error} if it answers something else. */
export function bareResult(id: number, message: { readonly id?: unknown; readonly result?: Answer }): Answer {
  if (message.id !== id || message.result === undefined) throw new Error(`expected the answer to ${id}`);
  return message.result;
}
