/** Contract: every request settles in time, and leaves no timer behind. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { InboundRequest } from "../dispatcher.js";
import { type Connect, everythingDelivered } from "./connection.fixture.js";

const never = () => new Promise<never>(() => undefined);

/** A handler that never answers; `report` sends progress for the request it got last. */
function reluctant() {
  let last: InboundRequest | undefined;
  const request = (inbound: InboundRequest) => {
    last = inbound;
    return never();
  };
  const report = async (progress: number) => {
    await last?.notify("notifications/progress", { progressToken: last.id, progress });
    await everythingDelivered();
  };
  return { request, report };
}

export function timeoutContract(connect: Connect): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("rejects after its timeout and tells the peer", async () => {
    const signals: AbortSignal[] = [];
    await using connection = await connect({
      right: {
        request: ({ signal }) => {
          signals.push(signal);
          return never();
        },
      },
    });
    const call = connection.left.request("work", {}, { id: "slow", timeoutMs: 500 });
    const rejected = expect(call).rejects.toMatchObject({ code: "request-timeout", message: /work.*500 ms/ });
    await everythingDelivered();
    vi.advanceTimersByTime(499);
    expect(signals[0]?.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    await rejected;
    await everythingDelivered();
    expect(signals[0]?.aborted).toBe(true);
    expect(connection.wire.at(-1)?.message).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: "slow", reason: expect.stringContaining("500 ms") },
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("waits a minute by default, and as long as the dispatcher's own option says", async () => {
    await using usual = await connect({ right: { request: never } });
    await using patient = await connect({ right: { request: never }, leftOptions: { timeoutMs: 90_000 } });
    const settled: string[] = [];
    const calls = [
      usual.left.request("work").catch(() => settled.push("usual")),
      patient.left.request("work").catch(() => settled.push("patient")),
    ];
    vi.advanceTimersByTime(59_999);
    await everythingDelivered();
    expect(settled).toEqual([]);
    vi.advanceTimersByTime(1);
    await everythingDelivered();
    expect(settled).toEqual(["usual"]);
    vi.advanceTimersByTime(30_000);
    await Promise.all(calls);
    expect(settled).toEqual(["usual", "patient"]);
  });

  it("sets no timer for Infinity, and does not fire at once for a very long wait", async () => {
    await using connection = await connect({ right: { request: never } });
    const endless = connection.left.request("work", {}, { timeoutMs: Number.POSITIVE_INFINITY });
    expect(vi.getTimerCount()).toBe(0);
    const long = connection.left.request("work", {}, { timeoutMs: 2 ** 40 });
    vi.advanceTimersByTime(2 ** 31 - 2);
    await everythingDelivered();
    expect(connection.wire).toHaveLength(2);
    const both = Promise.allSettled([endless, long]);
    await connection.left.close();
    expect(await both).toMatchObject([
      { reason: { code: "connection-closed" } },
      { reason: { code: "connection-closed" } },
    ]);
  });

  it.each([{ timeoutMs: 0 }, { timeoutMs: -1 }, { timeoutMs: Number.NaN }, { maxTimeoutMs: 0 }])(
    "refuses %j and sends nothing",
    async (options) => {
      await using connection = await connect();
      const call = connection.left.request("work", {}, { ...options, id: 7 });
      await expect(call).rejects.toMatchObject({ code: "invalid-argument", message: /imeoutMs must be a positive/ });
      expect(connection.wire).toEqual([]);
      expect(vi.getTimerCount()).toBe(0);
      expect(await connection.left.request("work", {}, { id: 7 })).toEqual({});
    },
  );

  it("refuses a default timeout that is not positive", async () => {
    await expect(connect({ leftOptions: { timeoutMs: 0 } })).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it("does not restart the wait on progress unless asked to", async () => {
    const { request, report } = reluctant();
    await using connection = await connect({ right: { request } });
    const call = connection.left.request("work", {}, { timeoutMs: 100, onProgress: () => undefined });
    const rejected = expect(call).rejects.toMatchObject({ code: "request-timeout" });
    await everythingDelivered();
    vi.advanceTimersByTime(99);
    await report(1);
    vi.advanceTimersByTime(1);
    await rejected;
  });

  it("restarts the wait on progress when asked to, up to the longest wait in all", async () => {
    const { request, report } = reluctant();
    await using connection = await connect({ right: { request } });
    const seen: number[] = [];
    const call = connection.left.request(
      "work",
      {},
      {
        timeoutMs: 100,
        resetTimeoutOnProgress: true,
        maxTimeoutMs: 250,
        onProgress: ({ progress }) => seen.push(progress),
      },
    );
    const rejected = expect(call).rejects.toMatchObject({ code: "request-timeout", message: /250 ms/ });
    await everythingDelivered();
    for (const step of [1, 2, 3]) {
      vi.advanceTimersByTime(80);
      await report(step);
    }
    expect(seen).toEqual([1, 2, 3]);
    vi.advanceTimersByTime(10);
    await rejected;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("lets a restarted wait run out when progress stops", async () => {
    const { request, report } = reluctant();
    await using connection = await connect({ right: { request } });
    const options = { timeoutMs: 100, resetTimeoutOnProgress: true, onProgress: () => undefined };
    const rejected = expect(connection.left.request("work", {}, options)).rejects.toMatchObject({
      code: "request-timeout",
      message: expect.stringMatching(/within 100 ms/),
    });
    await everythingDelivered();
    vi.advanceTimersByTime(80);
    await report(1);
    vi.advanceTimersByTime(100);
    await rejected;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("restarts the wait on progress that nobody listens to", async () => {
    const { request, report } = reluctant();
    await using connection = await connect({ right: { request } });
    const call = connection.left.request("work", {}, { timeoutMs: 100, resetTimeoutOnProgress: true });
    const rejected = expect(call).rejects.toMatchObject({ code: "request-timeout" });
    await everythingDelivered();
    vi.advanceTimersByTime(80);
    await report(1);
    vi.advanceTimersByTime(80);
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    vi.advanceTimersByTime(20);
    await rejected;
  });

  it("ends an hour of endless progress by itself", async () => {
    const { request, report } = reluctant();
    await using connection = await connect({ right: { request } });
    const options = { timeoutMs: 1_800_000, resetTimeoutOnProgress: true, onProgress: () => undefined };
    const rejected = expect(connection.left.request("work", {}, options)).rejects.toMatchObject({
      message: expect.stringMatching(/within 3600000 ms/),
    });
    await everythingDelivered();
    for (const step of [1, 2, 3]) {
      vi.advanceTimersByTime(1_200_000);
      if (step < 3) await report(step);
    }
    await rejected;
  });

  it("takes the shorter of timeout and longest wait when progress does not restart", async () => {
    await using connection = await connect({ right: { request: never } });
    const call = connection.left.request("work", {}, { timeoutMs: 100, maxTimeoutMs: 50 });
    vi.advanceTimersByTime(50);
    await expect(call).rejects.toMatchObject({ code: "request-timeout", message: /50 ms/ });
  });

  it("leaves no timer behind, however a request settles", async () => {
    await using connection = await connect({
      right: { request: ({ method }) => (method === "fails" ? Promise.reject(new Error("no")) : {}) },
    });
    const stop = new AbortController();
    await connection.left.request("work", {}, { resetTimeoutOnProgress: true });
    await connection.left.request("fails").catch(() => undefined);
    const aborted = connection.left.request("work", {}, { signal: stop.signal });
    stop.abort();
    await aborted.catch(() => undefined);
    expect(vi.getTimerCount()).toBe(0);
  });
}
