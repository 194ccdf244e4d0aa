/** The client of the official SDK, second generation. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { REVISION } from "../../contender.js";
import { TOOL } from "../../workload.js";
import type { Connect } from "../client-contender.js";

export const connect: Connect = async (url, era) => {
  const options =
    era === "modern"
      ? { versionNegotiation: { mode: { pin: REVISION.modern } } }
      : { supportedProtocolVersions: [REVISION.legacy] };
  const client = new Client({ name: "bench", version: "1.0.0" }, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  await client.listTools();
  return { call: (order) => client.callTool({ name: TOOL, arguments: order }), stop: () => client.close() };
};
