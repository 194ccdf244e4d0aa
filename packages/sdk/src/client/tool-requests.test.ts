import { expect, it, vi } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import type { JsonObject } from "../protocol/json.js";
import { KnownTools } from "./known-tools.js";
import type { FetchOptions } from "./open-connection.js";
import { ToolRequests } from "./tool-requests.js";

type Answer = (method: string, params: JsonObject, options?: FetchOptions) => JsonObject | Error;

function setUp(answer: Answer) {
  const request = vi.fn(async (method: string, params: JsonObject, options?: FetchOptions) => {
    const answered = answer(method, params, options);
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
  const verdict = { revision: "2026-07-28", server: {} } as const;
  const link = { request, verdict, mirrorsArguments: true, session: "one" };
  return { request, known, requests: new ToolRequests(link, known, 9) };
}

const inputSchema = { type: "object" };

it("finds a tool on a later page, and starts over past the cache when a cursor is refused", async () => {
  let isRefused = false;
  const { request, known, requests } = setUp((_method, { cursor }) => {
    if (cursor === undefined) return { tools: [{ name: "a", inputSchema }], nextCursor: "2" };
    if (isRefused) return { tools: [{ name: "b", inputSchema }] };
    isRefused = true;
    return new ProtocolError(-32602, "Unknown cursor");
  });
  await requests.find("b", {});
  expect(known.knows("b")).toBe(true);
  expect(request.mock.calls.map(([, params, options]) => [params.cursor, options?.fresh])).toEqual([
    [undefined, undefined],
    ["2", undefined],
    [undefined, true],
    ["2", true],
  ]);
});

it("hands on a list that an extension has yet to settle", async () => {
  const { requests } = setUp(() => ({ resultType: "job", id: "7" }));
  expect(await requests.request("tools/list", {})).toEqual({ resultType: "job", id: "7" });
});

it("repeats a refused call with the caller's signal and without its id", async () => {
  let calls = 0;
  const { request, requests } = setUp((method) => {
    if (method === "tools/list") return { tools: [{ name: "a", inputSchema }] };
    calls += 1;
    return calls === 1 ? new ProtocolError(-32020, "Header mismatch") : { content: [] };
  });
  const { signal } = new AbortController();
  await requests.request("tools/call", { name: "a" }, { id: "mine", signal, timeoutMs: 5 });
  expect(request.mock.calls.map(([, , options]) => options)).toEqual([
    { id: "mine", signal, timeoutMs: 5, reissue: false },
    { signal, fresh: true },
    { signal, timeoutMs: 5, reissue: false },
  ]);
});
