import { expect, it, vi } from "vitest";
import { LoggedResponse } from "./access-log.js";
import type { EventSink, HttpRequest } from "./http-host.js";

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
  const observer = vi.fn();
  const watched = new LoggedResponse(request, { send: vi.fn(), stream: () => sink }, observer);
  watched.describe("tools/list", undefined);
  const stream = watched.stream({});
  expect(stream.write("a")).toBe(true);
  expect(stream.drained?.()).toBeUndefined();
  stream.end();
  stream.end();
  leave();
  expect(sink.end).toHaveBeenCalledTimes(2);
  expect(observer).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ method: "tools/list", isStream: true }));
});
