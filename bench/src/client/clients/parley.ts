/** Parley's client as it comes. */
import { Client } from "parley-mcp/client";
import { REVISION } from "../../contender.js";
import { TOOL } from "../../workload.js";
import type { Connect } from "../client-contender.js";

export const connect: Connect = async (url, era) => {
  const client = await Client.connect(url, { name: "bench", version: "1.0.0", revision: REVISION[era] });
  await client.listTools();
  return { call: (order) => client.callTool(TOOL, order), stop: () => client.close() };
};
