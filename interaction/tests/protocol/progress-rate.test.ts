import { Client, type ProgressReport } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { expect, vi } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

/** Runs with a clock that stands still until it is told otherwise. Microtasks go on. */
async function withClock(body: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    await body();
  } finally {
    vi.useRealTimers();
  }
}

verifies(
  "protocol:progress:rate-limit",
  "ten quick reports become three: the first, the latest after an interval, and the last before the result",
  async ({ connect }) => {
    const events: unknown[] = [];
    const reported = deferred();
    const goOn = deferred();
    const server = new McpServer({ name: "worker", version: "1.0.0", progressIntervalMs: 100 });
    server.tool("work", {}, async (_args, context) => {
      for (let step = 1; step <= 5; step += 1) await context.progress(step, 10, `step ${step}`);
      reported.resolve();
      await goOn.promise;
      for (let step = 6; step <= 10; step += 1) await context.progress(step, 10, `step ${step}`);
      return "done";
    });
    const client = await connect(server);

    await withClock(async () => {
      const onProgress = ({ progress }: ProgressReport) => void events.push(progress);
      const call = client.callTool("work", {}, { onProgress, timeoutMs: 10_000 });
      await reported.promise;
      await vi.advanceTimersByTimeAsync(99);
      expect(events).toEqual([1]);
      await vi.advanceTimersByTimeAsync(1);
      expect(events).toEqual([1, 5]);
      goOn.resolve();
      events.push((await call).content);
      expect(vi.getTimerCount()).toBe(0);
    });

    expect(events).toEqual([1, 5, 10, [{ type: "text", text: "done" }]]);
  },
);

verifies(
  "protocol:progress:rate-limit-ends",
  "a report that waits is not sent after a cancellation, and no timer is left",
  async ({ connect, wire }) => {
    const stop = new AbortController();
    const reported = deferred();
    const stopped = deferred();
    const server = new McpServer({ name: "worker", version: "1.0.0", progressIntervalMs: 100 });
    server.tool("work", {}, async (_args, context) => {
      await context.progress(1);
      await context.progress(2);
      reported.resolve();
      await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
      await context.progress(3);
      stopped.resolve();
      return "too late";
    });
    const client = await connect(server);

    await withClock(async () => {
      const call = client.callTool("work", {}, { onProgress: () => undefined, signal: stop.signal });
      await reported.promise;
      stop.abort();
      await expect(call).rejects.toMatchObject({ code: "request-aborted" });
      await stopped.promise;
      expect(vi.getTimerCount()).toBe(0);
    });

    expect(wire.methods("server").filter((method) => method === "notifications/progress")).toHaveLength(1);
  },
);

verifies(
  "protocol:progress:rate-limit-client",
  "five quick reports of a client's handler become the first and the last, and an interval of 0 is refused",
  async ({ connect }) => {
    const events: unknown[] = [];
    const server = new McpServer({ name: "asker", version: "1.0.0" });
    server.handle("acme/ask", async (_params, context) => {
      const onProgress = ({ progress }: ProgressReport) => void events.push(progress);
      events.push(await context.request("acme/work", {}, { onProgress }));
      return {};
    });
    const client = await connect(server, { progressIntervalMs: 100 });
    client.handle("acme/work", async (_params, context) => {
      for (let step = 1; step <= 5; step += 1) await context.progress(step, 5);
      return { done: true };
    });

    await withClock(async () => void (await client.request("acme/ask")));

    expect(events).toEqual([1, 5, { done: true }]);
    expect(() => new Client({ name: "c", version: "1.0.0", progressIntervalMs: 0 })).toThrow("progressIntervalMs");
  },
);
