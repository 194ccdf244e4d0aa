import { expect, it, vi } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import type { JsonObject } from "../runtime/json.js";
import type { ClientCall, SendCall } from "./client-call.js";
import { KnownTools } from "./known-tools.js";
import { ToolSteps, type ToolStepsOptions } from "./tool-steps.js";

function setUp(
  answer: (call: ClientCall) => JsonObject | Error,
  outputChecks: ToolStepsOptions["outputChecks"] = "known",
) {
  const next = vi.fn<SendCall>(async (call) => {
    const answered = answer(call);
    if (answered instanceof Error) throw answered;
    return answered;
  });
  const known = new KnownTools({
    maxTools: undefined,
    maxBytes: undefined,
    checksOutput: true,
    compile: {},
    report: (error) => expect.unreachable(error.message),
  });
  const steps = new ToolSteps({ mirrorsArguments: true, session: "one" }, known, { outputChecks, maxPages: 9 });
  return { next, known, steps };
}

const CALL: ClientCall = { method: "tools/call", params: { name: "b" }, options: {} };
const inputSchema = { type: "object" };

it("finds a tool on a later page, and starts over past the cache when a cursor is refused", async () => {
  let isRefused = false;
  let calls = 0;
  const { next, known, steps } = setUp(({ method, params: { cursor } }) => {
    if (method === "tools/call") {
      calls += 1;
      return calls === 1 ? new ProtocolError(-32020, "Header mismatch") : { content: [] };
    }
    if (cursor === undefined) return { tools: [{ name: "a", inputSchema }], nextCursor: "2" };
    if (isRefused) return { tools: [{ name: "b", inputSchema }] };
    isRefused = true;
    return new ProtocolError(-32602, "Unknown cursor");
  });
  await steps.remember(CALL, next);
  expect(known.knows("b")).toBe(true);
  const listings = next.mock.calls.map(([call]) => call).filter(({ method }) => method === "tools/list");
  expect(listings.map(({ params, options }) => [params.cursor, options.fresh])).toEqual([
    [undefined, true],
    ["2", true],
    [undefined, true],
    ["2", true],
  ]);
});

it("lists the tools once for a tool that is in no list, and again after a list that failed", async () => {
  let isFailing = true;
  const execution = { taskSupport: "required" };
  const { next, steps } = setUp(() => {
    if (!isFailing) return { tools: [{ name: "a", inputSchema, execution }] };
    isFailing = false;
    return new Error("lost");
  });
  await expect(steps.taskSupport("b", {}, next)).rejects.toThrow("lost");
  expect(await steps.taskSupport("b", {}, next)).toBeUndefined();
  expect(await steps.taskSupport("b", {}, next)).toBeUndefined();
  expect(await steps.taskSupport("a", {}, next)).toBe("required");
  expect(next).toHaveBeenCalledTimes(2);
});

it("hands on a list that an extension has yet to settle", async () => {
  const { next, steps } = setUp(() => ({ resultType: "job", id: "7" }));
  const listed = await steps.remember({ method: "tools/list", params: {}, options: {} }, next);
  expect(listed).toEqual({ resultType: "job", id: "7" });
});

it("repeats a refused call with the caller's signal and without its id", async () => {
  let calls = 0;
  const { next, steps } = setUp(({ method }) => {
    if (method === "tools/list") return { tools: [{ name: "a", inputSchema }] };
    calls += 1;
    return calls === 1 ? new ProtocolError(-32020, "Header mismatch") : { content: [] };
  });
  const { signal } = new AbortController();
  const options = { id: "mine", signal, timeoutMs: 5 };
  await steps.remember({ method: "tools/call", params: { name: "a" }, options }, next);
  expect(next.mock.calls.map(([call]) => call.options)).toEqual([
    { id: "mine", signal, timeoutMs: 5 },
    { signal, fresh: true },
    { signal, timeoutMs: 5 },
  ]);
});

it("checks no output if outputs are never checked", async () => {
  const outputSchema = { type: "object", required: ["n"] };
  const answer = ({ method }: ClientCall): JsonObject =>
    method === "tools/list" ? { tools: [{ name: "b", inputSchema, outputSchema }] } : { content: [] };
  const { next, known, steps } = setUp(answer, "never");
  await steps.remember({ method: "tools/list", params: {}, options: {} }, next);
  expect(known.knows("b")).toBe(true);
  expect(await steps.checkOutput(CALL, next)).toEqual({ content: [] });
});
