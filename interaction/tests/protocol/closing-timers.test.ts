import { McpServer } from "parley-mcp/server";
import { expect, onTestFinished, vi } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

verifies(
  "protocol:close:no-timers",
  "a closed connection has no timer left, and when its calls would have timed out, those of the next one go on",
  async ({ connect }) => {
    const release = deferred();
    const server = new McpServer({ name: "slow", version: "1.0.0" });
    server.handle("acme/wait", async () => {
      await release.promise;
      return { done: true };
    });
    const first = await connect(server);
    const second = await connect(server);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());

    const lost = first.request("acme/wait", {}, { timeoutMs: 100 }).catch(({ code }) => code);
    await first.close();
    const left = vi.getTimerCount();
    const kept = second.request("acme/wait", {}, { timeoutMs: 1_000 });
    await vi.advanceTimersByTimeAsync(500);
    release.resolve();

    expect(left).toBe(0);
    expect(await lost).toBe("connection-closed");
    expect(await kept).toMatchObject({ done: true });
    expect(vi.getTimerCount()).toBe(0);
  },
);
