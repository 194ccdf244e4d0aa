import { expect, it, onTestFinished, vi } from "vitest";
import { WebResponse } from "./web-response.js";

it("writes nothing to a stream that has ended, and says so", async () => {
  const onCancel = vi.fn();
  const response = new WebResponse({ maxQueuedBytes: 1_000, stallTimeoutMs: 1_000 }, onCancel);
  const sink = response.stream({ "x-own": "1" });
  expect(sink.write("data: a\n\n")).toBe(true);
  sink.end();
  sink.end();
  expect(sink.write("data: b\n\n")).toBe(false);
  expect(sink.drained?.()).toBeUndefined();
  const sent = await response.sent;
  expect(sent.headers.get("x-own")).toBe("1");
  expect(await sent.text()).toBe("data: a\n\n");
  expect(onCancel).not.toHaveBeenCalled();
});

it("gives up on a reader that takes nothing for too long while somebody waits for it", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const onCancel = vi.fn();
  const response = new WebResponse({ maxQueuedBytes: 1_000_000, stallTimeoutMs: 1_000 }, onCancel);
  const sink = response.stream({});
  const reader = (await response.sent).body?.getReader();
  for (let count = 0; count < 3; count += 1) sink.write("x".repeat(100_000));
  const drained = sink.drained?.();
  expect(sink.drained?.()).toBe(drained);
  await vi.advanceTimersByTimeAsync(900);
  await reader?.read();
  await vi.advanceTimersByTimeAsync(900);
  expect(onCancel).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(100);
  await drained;
  expect(onCancel).toHaveBeenCalledOnce();
  expect(sink.write("more")).toBe(false);
  await expect(reader?.read()).rejects.toThrow("reads too slowly");
  expect(vi.getTimerCount()).toBe(0);
});

it("has nothing against a reader that catches up in time", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const response = new WebResponse({ maxQueuedBytes: 1_000_000, stallTimeoutMs: 1_000 }, () => {});
  const sink = response.stream({});
  const reader = (await response.sent).body?.getReader();
  for (let count = 0; count < 3; count += 1) sink.write("x".repeat(100_000));
  await reader?.read();
  const drained = sink.drained?.();
  for (let count = 0; count < 2; count += 1) await reader?.read();
  await drained;
  expect(vi.getTimerCount()).toBe(0);
  expect(sink.drained?.()).toBeUndefined();
});

const LONG = "ü€😀x".repeat(100_000);

it("hands a long body out at the reader's pace, whole", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const response = new WebResponse({ maxQueuedBytes: 1_000, stallTimeoutMs: 1_000 }, () => {});
  response.send(200, { "x-own": "1" }, LONG);
  const sent = await response.sent;
  expect(sent.headers.get("x-own")).toBe("1");
  await vi.advanceTimersByTimeAsync(900);
  expect((await sent.text()) === LONG).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

it("lets a long body go that nobody reads on, or that is cancelled", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const limits = { maxQueuedBytes: 1_000, stallTimeoutMs: 1_000 };
  const [stalled, cancelled] = [new WebResponse(limits, () => {}), new WebResponse(limits, () => {})];
  for (const response of [stalled, cancelled]) response.send(200, {}, LONG);
  await (await cancelled.sent).body?.cancel();
  const reader = (await stalled.sent).body?.getReader();
  await vi.advanceTimersByTimeAsync(900);
  await reader?.read();
  await vi.advanceTimersByTimeAsync(900);
  await reader?.read();
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(reader?.read()).rejects.toThrow("reads too slowly");
  expect(vi.getTimerCount()).toBe(0);
});

it("makes the response in a continuation, since another request of a worker may be the one that answers", async () => {
  const created = vi.fn();
  const { Response: Original } = globalThis;
  vi.stubGlobal(
    "Response",
    class extends Original {
      constructor(...given: ConstructorParameters<typeof Original>) {
        super(...given);
        created();
      }
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const limits = { maxQueuedBytes: 1_000, stallTimeoutMs: 1_000 };
  const [plain, stream] = [new WebResponse(limits, () => {}), new WebResponse(limits, () => {})];
  plain.send(202, {});
  stream.stream({}).end();
  expect(created).not.toHaveBeenCalled();
  expect([(await plain.sent).status, (await stream.sent).status]).toEqual([202, 200]);
  expect(created).toHaveBeenCalledTimes(2);
});

it.each([
  ["a status that does not exist", 99, {}, undefined],
  ["a body where there must be none", 204, {}, "text"],
  ["a header that breaks lines", 200, { "x-own": "line\nbreak" }, undefined],
])("refuses %s at once", (_what, status, headers, body) => {
  const response = new WebResponse({ maxQueuedBytes: 1_000, stallTimeoutMs: 1_000 }, () => {});
  expect(() => response.send(status, headers, body)).toThrow();
});

it("takes a write while the queue is at its limit, and none once the queue is over it", () => {
  const response = new WebResponse({ maxQueuedBytes: 10, stallTimeoutMs: 1_000 }, () => {});
  const sink = response.stream({});
  const written = ["x".repeat(10), "y", "z"].map((text) => sink.write(text));
  expect(written).toEqual([true, true, false]);
});
