/** The client of the official SDK, first generation. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type Answer, type Order, TOOL } from "../../workload.js";
import type { Connect } from "../client-contender.js";

export const connect: Connect = async (url) => {
  const client = new Client({ name: "bench", version: "1.0.0" });
  // Its transports do not quite fit its own interface where optional properties are exact.
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport);
  await client.listTools();
  // Its return type still offers the result of a revision before tools had content; `check` decides.
  const call = (order: Order) => client.callTool({ name: TOOL, arguments: order }) as Promise<Answer>;
  return { call, stop: () => client.close() };
};
