import { expect, it, vi } from "vitest";
import type { JsonRpcAnswer } from "../../wire/json-rpc.js";
import { LoggedResponse } from "./access-log.js";
import { Cors } from "./cors.js";
import type { HttpRequest, HttpResponse } from "./http-host.js";
import { RefusalReport } from "./refusal-report.js";

const data = { limit: "principal", retryAfterMs: 1_000 };
const REFUSED: JsonRpcAnswer = { jsonrpc: "2.0", id: 1, error: { code: 429, message: "Too many requests", data } };
const FAILED: JsonRpcAnswer = { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "Internal error" } };
const DONE: JsonRpcAnswer = { jsonrpc: "2.0", id: 1, result: {} };

/** The wrappers look at nothing else of a request. */
const request = {
  method: "POST",
  path: "/",
  header: () => undefined,
  onDisconnect: () => {},
} as unknown as HttpRequest;

function plainResponse() {
  const sink = { write: () => true, end: () => {} };
  return { send: vi.fn(), stream: vi.fn(() => sink), sink };
}

it("tells of answers that a limit refuses, and of no others", () => {
  const report = vi.fn();
  const response = new RefusalReport(plainResponse(), report);
  for (const answer of [REFUSED, FAILED, DONE]) response.refused(answer);
  expect(report).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ name: "HttpRefusal", status: 429, error: REFUSED.error }),
  );
});

it("passes the response on", () => {
  const inner = plainResponse();
  const response = new RefusalReport(inner, vi.fn());
  response.send(200, { a: "b" }, "body");
  expect(inner.send).toHaveBeenCalledExactlyOnceWith(200, { a: "b" }, "body");
  expect(response.stream({ c: "d" })).toBe(inner.sink);
  expect(inner.stream).toHaveBeenCalledExactlyOnceWith({ c: "d" });
});

it.each<[string, (response: HttpResponse) => HttpResponse]>([
  ["watched", (response) => new LoggedResponse(request, response, vi.fn())],
  ["cross-origin", (response) => new Cors({ origins: "any" }).expose(request, response)],
])("hears of a refusal through a %s response, where somebody listens", (_name, wrap) => {
  const report = vi.fn();
  wrap(new RefusalReport(plainResponse(), report)).refused?.(REFUSED);
  wrap(plainResponse()).refused?.(REFUSED);
  expect(report).toHaveBeenCalledOnce();
});
