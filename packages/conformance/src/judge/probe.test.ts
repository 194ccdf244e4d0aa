import { expect, test } from "vitest";
import { scriptedPipe } from "../mutants/scripted-pipe.fixture.js";
import { type Fault, ScriptedServer } from "../mutants/scripted-server.fixture.js";
import { StdioTarget } from "../target/stdio-target.js";
import { DEFAULT_LIMITS } from "../wire/http-exchange.js";
import { Probe } from "./probe.js";

test("a tool is slow if its call is late, and not if another method with its name is", async () => {
  const silent: Fault = {
    change: (reply, { message }) => {
      if (["prompts/get", "tools/call", "resources/read"].includes(String(message?.method))) reply.messages = [];
    },
  };
  const slowTools = new Set<string>();
  const probe = new Probe({
    target: new StdioTarget("silent", scriptedPipe(new ScriptedServer(silent)), { ...DEFAULT_LIMITS, timeoutMs: 20 }),
    revision: "2026-07-28",
    claimed: ["2026-07-28"],
    permissions: { calls: [], allowReadOnly: false },
    isProtected: false,
    timeoutMs: 20,
    isOver: () => false,
    slowTools,
    firstExchanges: new Map(),
    opened: undefined,
  });
  await probe.discover();
  await probe.ask("prompts/get", { name: "report" });
  await probe.ask("resources/read", { uri: "file:///report" });
  const before = [...slowTools];
  await probe.ask("tools/call", { name: "report", arguments: {} });
  await probe.close();

  expect([before, [...slowTools]]).toEqual([[], ["report"]]);
});
