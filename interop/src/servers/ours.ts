/** Our server in every mode. */
import { InMemoryEventStore, type LegacyOptions, serveHttp } from "parley-mcp/node";
import { exhibit } from "../exhibit.js";
import { legacy, modern, overSse, overStdio, plainJson, stateless } from "../modes.js";
import type { RunningServer, ServerPeer } from "../server-peer.js";
import { ourServer } from "./ours-definition.js";
import { builtProgram, spawned } from "./program.js";

/** Where the page of `programs/browser.js` comes from. */
const PAGE_ORIGIN = "http://127.0.0.1:9";

export const ours: ServerPeer = {
  name: "Parley",
  packageName: "parley-mcp",
  exhibit,
  modes: [
    {
      name: "stdio",
      era: "legacy",
      revision: "2025-11-25",
      lacks: { ...legacy, ...overStdio },
      start: spawned(builtProgram("ours-stdio")),
    },
    {
      name: "HTTP stateful",
      era: "legacy",
      revision: "2025-11-25",
      lacks: legacy,
      start: () => serve({ eventStore: new InMemoryEventStore(), retryMs: 20 }),
    },
    {
      name: "HTTP stateless",
      era: "legacy",
      revision: "2025-11-25",
      lacks: { ...legacy, ...stateless },
      start: () => serve({ stateless: true }),
    },
    {
      name: "HTTP JSON",
      era: "legacy",
      revision: "2025-11-25",
      lacks: { ...legacy, ...plainJson },
      start: () => serve({ jsonResponses: true }),
    },
    {
      name: "HTTP+SSE",
      era: "legacy",
      revision: "2025-11-25",
      lacks: { ...legacy, ...overSse },
      start: () => serve({ sse: true }, "/sse"),
    },
    { name: "modern HTTP", era: "modern", revision: "2026-07-28", lacks: modern, start: () => serve({}) },
    {
      name: "modern stdio",
      era: "modern",
      revision: "2026-07-28",
      lacks: { ...modern, ...overStdio },
      start: spawned(builtProgram("ours-stdio")),
    },
  ],
};

async function serve(options: LegacyOptions, path?: string): Promise<RunningServer> {
  const host = await serveHttp(ourServer(), { legacy: options, cors: { origins: [PAGE_ORIGIN] } });
  const endpoint = path
    ? { kind: "sse" as const, url: new URL(path, host.url).href }
    : { kind: "http" as const, url: host.url };
  return { endpoint, [Symbol.asyncDispose]: () => host.close() };
}
