/** Programs that let a client which only starts commands reach a server over HTTP. The client behind them is official v1. */
import { lack, lackAllBut } from "../features.js";
import type { ClientPeer, Endpoint } from "../peer-client.js";
import { scriptOf } from "../programs.js";
import { officialV1 } from "./official-v1.js";

const CARRIED = [
  ...(["connect", "tools", "structured output", "tool error", "invalid arguments", "unknown tool"] as const),
  ...(["parallel calls", "pagination", "resources", "unknown resource", "templates", "prompts", "completion"] as const),
  ...(["ping", "progress", "logging", "resource updates", "list changes", "closing"] as const),
] as const;

export const mcpRemote: ClientPeer = {
  name: "mcp-remote",
  packageName: "mcp-remote",
  lacks: lackAllBut("not carried on", ...CARRIED),
  connect: (endpoint, wanted, hear) =>
    officialV1.connect(
      throughCommand("mcp-remote", addressOf(endpoint), "--allow-http", "--transport", `${endpoint.kind}-only`),
      wanted,
      hear,
    ),
};

export const supergateway: ClientPeer = {
  name: "supergateway",
  packageName: "supergateway",
  lacks: {
    ...lackAllBut("not carried on", ...CARRIED),
    ...lack("notifications are not carried on", "progress", "logging", "resource updates", "list changes"),
  },
  connect: (endpoint, wanted, hear) => {
    const option = endpoint.kind === "sse" ? "--sse" : "--streamableHttp";
    const command = throughCommand("supergateway", option, addressOf(endpoint), "--logLevel", "none");
    return officialV1.connect(command, wanted, hear);
  },
};

function addressOf(endpoint: Endpoint): string {
  if (endpoint.kind === "stdio") throw new Error("A bridge leads to HTTP");
  return endpoint.url;
}

function throughCommand(packageName: string, ...args: readonly string[]): Endpoint {
  return { kind: "stdio", command: process.execPath, args: [scriptOf(packageName), ...args] };
}
