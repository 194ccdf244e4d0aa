/** The tmcp server in every mode. */
import { exhibit } from "../exhibit.js";
import { lack } from "../features.js";
import { legacy, modern, overStdio } from "../modes.js";
import { ANSWERS } from "../peer-client.js";
import type { ServerPeer } from "../server-peer.js";
import { builtProgram, listening, spawned } from "./program.js";

const overHttp = listening(builtProgram("tmcp-http"), { kind: "http", path: "/mcp" });
const byStdio = spawned(builtProgram("tmcp-stdio"));
const noRoots = lack("roots are not asked for in this era", "roots");

export const tmcp: ServerPeer = {
  name: "tmcp",
  packageName: "tmcp",
  // It asks one thing after the other.
  exhibit: { ...exhibit, rounds: { ...exhibit.rounds, text: `${ANSWERS.name}, green` } },
  modes: [
    { name: "stdio", era: "legacy", revision: "2025-06-18", lacks: { ...legacy, ...overStdio }, start: byStdio },
    {
      name: "HTTP stateful",
      era: "legacy",
      revision: "2025-06-18",
      lacks: { ...legacy, ...lack("no event ids", "resumption") },
      start: overHttp,
    },
    { name: "modern HTTP", era: "modern", revision: "2026-07-28", lacks: { ...modern, ...noRoots }, start: overHttp },
    {
      name: "modern stdio",
      era: "modern",
      revision: "2026-07-28",
      lacks: { ...modern, ...overStdio, ...noRoots },
      start: byStdio,
    },
  ],
};
