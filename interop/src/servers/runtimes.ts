/** Our server on runtimes other than Node: the handler for web-standard runtimes, and stdio where there is one. */
import { exhibit } from "../exhibit.js";
import { legacy, modern, overStdio } from "../modes.js";
import { moduleOf, runtime } from "../programs.js";
import type { ServerMode, ServerPeer } from "../server-peer.js";
import { builtProgram, listeningBy, runBy } from "./program.js";

type Command = () => readonly [string, ...string[]];

export const runtimeServers: readonly ServerPeer[] = [
  peerOf("Parley on Bun", "bun", {
    http: () => [runtime("bun"), moduleOf("serve-bun.js")],
    stdio: () => [runtime("bun"), builtProgram("ours-stdio")],
  }),
  peerOf("Parley on Deno", "deno", {
    http: () => [runtime("deno"), "run", "--allow-all", "--node-modules-dir=manual", moduleOf("serve-deno.js")],
    stdio: () => [runtime("deno"), "run", "--allow-all", "--node-modules-dir=manual", builtProgram("ours-stdio")],
  }),
  peerOf("Parley on workerd", "miniflare", {
    http: () => [process.execPath, moduleOf("serve-workerd.js")],
    modernLacks: { cancellation: "the runtime tells nobody that a client is gone before a response has begun" },
  }),
];

interface RuntimePrograms {
  readonly http: Command;
  readonly stdio?: Command;
  readonly modernLacks?: ServerMode["lacks"];
}

function peerOf(name: string, packageName: string, { http, stdio, modernLacks }: RuntimePrograms): ServerPeer {
  // A runtime that is a process of its own behind the command ends with it only if the command is asked to end.
  const overHttp = () => listeningBy(http(), { kind: "http", path: "/mcp", signal: "SIGTERM" });
  const modes: ServerMode[] = [
    {
      name: "HTTP stateful",
      era: "legacy",
      revision: "2025-11-25",
      lacks: { ...legacy, resumption: "has no event store" },
      start: overHttp,
    },
    {
      name: "modern HTTP",
      era: "modern",
      revision: "2026-07-28",
      lacks: { ...modern, ...modernLacks },
      start: overHttp,
    },
  ];
  if (stdio) {
    const start = async () => runBy(...stdio());
    modes.push(
      { name: "stdio", era: "legacy", revision: "2025-11-25", lacks: { ...legacy, ...overStdio }, start },
      { name: "modern stdio", era: "modern", revision: "2026-07-28", lacks: { ...modern, ...overStdio }, start },
    );
  }
  return { name, packageName, exhibit, modes };
}
