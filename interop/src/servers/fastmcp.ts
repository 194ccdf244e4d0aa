/** The fastmcp server in every mode. */
import { exhibit } from "../exhibit.js";
import { lack } from "../features.js";
import { legacy, overSse, overStdio, stateless } from "../modes.js";
import { ANSWERS } from "../peer-client.js";
import type { ServerPeer } from "../server-peer.js";
import { builtProgram, listening, spawned } from "./program.js";

const http = builtProgram("fastmcp-http");
const revision = "2025-11-25";
const lacks = { ...legacy, ...lack("lists come in one page", "pagination") };

export const fastMcp: ServerPeer = {
  name: "fastmcp",
  packageName: "fastmcp",
  // It asks one thing after the other.
  exhibit: { ...exhibit, rounds: { ...exhibit.rounds, text: `${ANSWERS.name}, green` } },
  modes: [
    {
      name: "stdio",
      era: "legacy",
      revision,
      lacks: { ...lacks, ...overStdio },
      start: spawned(builtProgram("fastmcp-stdio")),
    },
    {
      name: "HTTP stateful",
      era: "legacy",
      revision,
      lacks: { ...lacks, ...lack("asks for them once, before a client can have opened a stream", "roots") },
      start: listening(http, { kind: "http", path: "/mcp" }),
    },
    {
      name: "HTTP stateless",
      era: "legacy",
      revision,
      lacks: { ...lacks, ...stateless, ...lack("logs to sessions alone", "logging") },
      start: listening(http, { kind: "http", path: "/mcp", args: ["stateless"] }),
    },
    {
      name: "HTTP+SSE",
      era: "legacy",
      revision,
      lacks: { ...lacks, ...overSse },
      start: listening(http, { kind: "sse", path: "/sse" }),
    },
  ],
};
