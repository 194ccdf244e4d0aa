/** Every server and client that is measured over HTTP does the whole work: right answers, and both schemas enforced. */

import { Client } from "parley-mcp/client";
import { tasks } from "parley-mcp/tasks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { callInTurn } from "../client/call-in-turn.js";
import { JOB, serveConstants } from "../client/constant-server.js";
import { CLIENT_CONTENDERS } from "../client/contenders.js";
import { REVISION } from "../contender.js";
import { toolsOf } from "../tools.js";
import { MISPRICED, TOOL } from "../workload.js";
import { constantAnswer } from "./constant-answer.js";
import { HTTP_CONTENDERS } from "./contenders.js";
import type { HttpContender, HttpMode } from "./http-contender.js";
import { Load } from "./load.js";
import { TASK_CONTENDERS } from "./task-contenders.js";

const CASES = [...HTTP_CONTENDERS, ...TASK_CONTENDERS].flatMap((contender) =>
  contender.modes.map((mode) => ({ id: contender.name, mode, contender })),
);

/** Some tell the caller what the tool got wrong, some only the log; and some tell the log of everything. */
beforeAll(() => {
  vi.spyOn(console, "error").mockReturnValue();
  vi.spyOn(console, "log").mockReturnValue();
});
afterAll(() => vi.restoreAllMocks());

describe.each(CASES)("the server of $id, $mode", ({ mode, contender }) => {
  it("answers every order with its quote", async () => {
    await using server = await serving(contender, mode);
    const { accept, role, answersCalls, callsTasks } = contender;
    const constant = role === "floor" && !answersCalls ? constantAnswer(mode, toolsOf("one tool")) : undefined;
    const target = {
      url: server.url,
      mode,
      method: "tools/call",
      connections: 3,
      accept,
      constant,
      callsTasks,
    } as const;
    const { calls } = await (await Load.prepare(target)).round(callsTasks ? 20 : 1);
    expect(calls).toBeGreaterThanOrEqual(3);
  });
});

const CHECKING = CASES.filter(({ contender }) => contender.role !== "floor");

describe.each(CHECKING)("the server of $id, $mode", ({ mode, contender }) => {
  it("refuses what either schema forbids", async () => {
    await using server = await serving(contender, mode);
    const revision = mode === "modern" ? REVISION.modern : REVISION.legacy;
    const extensions = contender.callsTasks ? [tasks] : [];
    const options = { name: "test", version: "1.0.0", revision, outputChecks: "never", extensions } as const;
    await using client = await Client.connect(server.url, options);
    for (const order of [
      { sku: "a", quantity: 0 },
      { sku: MISPRICED, quantity: 1 },
    ]) {
      const answer = await client.callTool(TOOL, order).catch(() => ({ isError: true }));
      expect(answer.isError, order.sku).toBe(true);
    }
  });
});

const CLIENT_CASES = CLIENT_CONTENDERS.flatMap(({ name, eras, load }) => eras.map((era) => ({ name, era, load })));

describe.each(CLIENT_CASES)("the client of $name, $era", ({ era, load }) => {
  it("gets right answers with many in flight", async () => {
    const server = await serveConstants();
    const { connect } = await load();
    const session = await connect(server.url, era);
    const { calls } = await callInTurn(session, JOB, 8, 1);
    expect(calls).toBeGreaterThanOrEqual(8);
    await session.stop();
    await server.close();
  });
});

async function serving({ load }: HttpContender, mode: HttpMode): Promise<AsyncDisposable & { readonly url: string }> {
  const { serve } = await load();
  const { url, close } = await serve(mode, toolsOf("one tool"));
  return { url, [Symbol.asyncDispose]: close };
}
