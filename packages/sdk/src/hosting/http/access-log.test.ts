import { expect, it, vi } from "vitest";
import type { JsonRpcAnswer } from "../../wire/json-rpc.js";
import { ObservedResponse } from "./access-log.js";
import { Cors } from "./cors.js";
import type { EventSink, HttpRequest, HttpResponse } from "./http-host.js";

it("passes a stream through, tells of its end once, and ignores a client that leaves afterwards", () => {
  const sink = { write: vi.fn(() => true), end: vi.fn() } satisfies EventSink;
  let leave = () => {};
  // The response looks at nothing else of its request.
  const request = {
    method: "POST",
    path: "/",
    onDisconnect: (listener: () => void) => {
      leave = listener;
    },
  } as HttpRequest;
  const onResponse = vi.fn();
  const observed = new ObservedResponse(request, { send: vi.fn(), stream: () => sink }, { onResponse });
  observed.describe("tools/list", undefined);
  const stream = observed.stream({});
  expect(stream.write("a")).toBe(true);
  expect(stream.drained?.()).toBeUndefined();
  stream.end();
  stream.end();
  leave();
  expect(sink.end).toHaveBeenCalledTimes(2);
  expect(onResponse).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ method: "tools/list", isStream: true }));
});

const data = { limit: "principal", retryAfterMs: 1_000 };
const REFUSED: JsonRpcAnswer = { jsonrpc: "2.0", id: 1, error: { code: 429, message: "Too many requests", data } };
const FAILED: JsonRpcAnswer = { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "Internal error" } };
const DONE: JsonRpcAnswer = { jsonrpc: "2.0", id: 1, result: {} };

/** The wrappers look at nothing else of a request. */
const REQUEST = { method: "POST", path: "/", header: () => undefined } as unknown as HttpRequest;

function plainResponse() {
  const sink = { write: () => true, end: () => {} };
  return { send: vi.fn(), stream: vi.fn(() => sink), refused: vi.fn() };
}

it("tells of answers that a limit refuses, and of no others", () => {
  const onRefusal = vi.fn();
  const response = new ObservedResponse(REQUEST, plainResponse(), { onRefusal });
  for (const answer of [REFUSED, FAILED, DONE]) response.refused(answer);
  expect(onRefusal).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ name: "HttpRefusal", status: 429, error: REFUSED.error }),
  );
});

it("passes the response on if only refusals are observed", () => {
  const inner = plainResponse();
  const response = new ObservedResponse(REQUEST, inner, { onRefusal: vi.fn() });
  response.send(200, { a: "b" }, "body");
  expect(inner.send).toHaveBeenCalledExactlyOnceWith(200, { a: "b" }, "body");
  response.stream({ c: "d" });
  expect(inner.stream).toHaveBeenCalledExactlyOnceWith({ c: "d" });
});

it.each<[string, (response: HttpResponse) => HttpResponse]>([
  ["an observed", (response) => new ObservedResponse(REQUEST, response, {})],
  ["a cross-origin", (response) => new Cors({ origins: "any" }).expose(REQUEST, response)],
])("passes a refusal through %s response, to a host that listens and to one that does not", (_name, wrap) => {
  const host = plainResponse();
  wrap(host).refused?.(REFUSED);
  const { refused: _, ...deaf } = plainResponse();
  wrap(deaf).refused?.(REFUSED);
  expect(host.refused).toHaveBeenCalledExactlyOnceWith(REFUSED);
});
