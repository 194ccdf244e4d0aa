import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { PingTimer } from "./ping-timer.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function setUp(ping: () => Promise<unknown>) {
  const sent = vi.fn(ping);
  const onSilence = vi.fn();
  const timer = new PingTimer({ intervalMs: 100, ping: sent, onSilence });
  return { timer, sent, onSilence };
}

it.each([
  ["answered", async () => ({})],
  ["answered with an error", () => Promise.reject(new ProtocolError(-32601, "no ping"))],
  ["lost with the connection", () => Promise.reject(new SdkError("connection-closed", "gone"))],
])("goes on after a ping that was %s", async (_what, ping) => {
  const { timer, sent, onSilence } = setUp(ping);
  await vi.advanceTimersByTimeAsync(350);
  expect(sent.mock.calls).toEqual([[100], [100], [100]]);
  timer.stop();
  await vi.advanceTimersByTimeAsync(350);
  expect(sent).toHaveBeenCalledTimes(3);
  expect(onSilence).not.toHaveBeenCalled();
});

it("reports silence once and stops", async () => {
  const late = new SdkError("request-timeout", "late");
  const { sent, onSilence } = setUp(() => Promise.reject(late));
  await vi.advanceTimersByTimeAsync(350);
  expect(sent).toHaveBeenCalledOnce();
  expect(onSilence.mock.calls).toEqual([[expect.objectContaining({ code: "connection-closed", cause: late })]]);
  expect(vi.getTimerCount()).toBe(0);
});

it("says nothing of a ping that it no longer waits for", async () => {
  const { timer, onSilence } = setUp(async () => {
    timer.stop();
    throw new SdkError("request-timeout", "late");
  });
  await vi.advanceTimersByTimeAsync(350);
  expect(onSilence).not.toHaveBeenCalled();
});
