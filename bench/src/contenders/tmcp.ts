/**
 * tmcp has a server and no client. It is shown twice: with the faster official client of the era, as a round trip like
 * the others, and driven by bare messages, which leaves out all that a client does.
 */
import { Client } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { type Contender, type Era, REVISION } from "../contender.js";
import { type Answer, type Order, TOOL } from "../workload.js";
import { CLIENT_INFO, DirectTransport, startTmcp } from "./tmcp-server.js";

export const tmcpModern: Contender = {
  name: "tmcp",
  era: "modern",
  role: "peer",
  note: "its server with the official v2 client, for it has none",
  async start() {
    const client = new Client(CLIENT_INFO, { versionNegotiation: { mode: { pin: REVISION.modern } } });
    await client.connect(new DirectTransport(startTmcp("modern")));
    await client.listTools();
    return { call: (order) => client.callTool({ name: TOOL, arguments: order }), stop: () => client.close() };
  },
};

export const tmcpLegacy: Contender = {
  name: "tmcp",
  era: "legacy",
  role: "peer",
  note: "its server with the official v1 client, for it has none; speaks 2025-06-18, its newest legacy revision",
  async start() {
    const client = new ClientV1(CLIENT_INFO);
    await client.connect(new DirectTransport(startTmcp("legacy")));
    await client.listTools();
    // Its return type still offers the result of a revision before tools had content; `check` decides.
    const call = (order: Order) => client.callTool({ name: TOOL, arguments: order }) as Promise<Answer>;
    return { call, stop: () => client.close() };
  },
};

export const tmcpServerModern: Contender = serverOnly("modern");
export const tmcpServerLegacy: Contender = serverOnly("legacy");

function serverOnly(era: Era): Contender {
  return {
    name: "tmcp, server only",
    era,
    role: "reference",
    note: "bare messages, no client: nothing is correlated, timed out or validated on that side",
    async start() {
      const receive = startTmcp(era);
      const meta = {
        "io.modelcontextprotocol/protocolVersion": REVISION.modern,
        "io.modelcontextprotocol/clientInfo": CLIENT_INFO,
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      let lastId = 0;
      const request = async (method: string, params: Record<string, unknown>): Promise<Answer> => {
        const sent = era === "modern" ? { ...params, _meta: meta } : params;
        const response = await receive({ jsonrpc: "2.0", id: ++lastId, method, params: sent });
        return (response as { result: Answer }).result; // Checked by the caller, as every answer is.
      };
      if (era === "legacy") {
        await request("initialize", { protocolVersion: REVISION.legacy, clientInfo: CLIENT_INFO, capabilities: {} });
        await receive({ jsonrpc: "2.0", method: "notifications/initialized" });
      }
      return { call: (order) => request("tools/call", { name: TOOL, arguments: order }), stop: async () => undefined };
    },
  };
}
