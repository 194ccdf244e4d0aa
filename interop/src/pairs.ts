/** Every column of the matrix. */
import { aiSdk } from "./clients/ai-sdk.js";
import { mcpRemote, supergateway } from "./clients/bridges.js";
import { inBrowser } from "./clients/browser.js";
import { inspector } from "./clients/inspector.js";
import { langChain } from "./clients/langchain.js";
import { officialV1 } from "./clients/official-v1.js";
import { officialV2 } from "./clients/official-v2.js";
import { openAiAgents } from "./clients/openai-agents.js";
import { ours as ourClient } from "./clients/ours.js";
import type { Pair } from "./matrix/run-pair.js";
import type { ClientPeer } from "./peer-client.js";
import type { ServerPeer } from "./server-peer.js";
import { everything } from "./servers/everything.js";
import { fastMcp } from "./servers/fastmcp.js";
import { mcpLite } from "./servers/mcp-lite.js";
import { officialV1 as officialV1Server } from "./servers/official-v1.js";
import { officialV2 as officialV2Server } from "./servers/official-v2.js";
import { ours as ourServer } from "./servers/ours.js";
import { publishedServers } from "./servers/published.js";
import { runtimeServers } from "./servers/runtimes.js";
import { tmcp } from "./servers/tmcp.js";

/** Those that take little time. */
export const quickPairs: readonly Pair[] = [
  ...pairsOf(officialV1, ourServer, ({ era }) => era === "legacy"),
  ...pairsOf(officialV2, ourServer),
  // It speaks the modern era over HTTP alone.
  ...pairsOf(aiSdk, ourServer, ({ name }) => name !== "modern stdio"),
  ...[officialV1Server, officialV2Server, tmcp, mcpLite].flatMap((server) => pairsOf(ourClient, server)),
  ...pairsOf(ourClient, fastMcp, isStateful),
];

/** Those that start many processes, or large ones. */
export const slowPairs: readonly Pair[] = [
  ...pairsOf(ourClient, fastMcp, (mode) => !isStateful(mode)),
  ...pairsOf(ourClient, everything),
  ...pairsOf(inspector, ourServer),
  // It takes the modern era wherever it finds it.
  ...pairsOf(openAiAgents, ourServer, ({ era, name }) => era === "modern" || name === "HTTP+SSE"),
  ...pairsOf(langChain, ourServer, ({ era }) => era === "legacy"),
  ...pairsOf(inBrowser, ourServer, ({ name }) => !name.includes("stdio")),
  ...[mcpRemote, supergateway].flatMap((bridge) =>
    pairsOf(bridge, ourServer, ({ name }) => name === "HTTP stateful" || name === "HTTP+SSE"),
  ),
  ...[...publishedServers, ...runtimeServers].flatMap((server) => pairsOf(ourClient, server)),
];

/** Both sides are ours: shows that the checks can be met in every mode. */
export const ownPairs: readonly Pair[] = pairsOf(ourClient, ourServer);

function isStateful({ name }: Pair["mode"]): boolean {
  return name === "HTTP stateful";
}

function pairsOf(client: ClientPeer, server: ServerPeer, fits: (mode: Pair["mode"]) => boolean = () => true): Pair[] {
  return server.modes.filter(fits).map((mode) => ({ client, server, mode }));
}
