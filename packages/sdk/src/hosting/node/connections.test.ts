import { once } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { call } from "../http/modern-requests.fixture.js";
import { listen, RawClient, rawPost, untilClosed } from "./node-host.fixture.js";

describe("a connection", () => {
  it("that sends nothing at all, or nothing more, is closed", async () => {
    const { http } = await listen({ headersTimeoutMs: 40, idleConnectionMs: 40 });
    const silent = new RawClient(http.port);
    const idle = new RawClient(http.port);
    idle.write(rawPost(call("hi")));
    await Promise.all([silent.closed, idle.closed]);
    expect(idle.received).toContain("hello");
  });

  it("at the limit takes the place of one that is idle for a second, and of none that was just used", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { http } = await listen({ maxConnections: 1 });
    const first = new RawClient(http.port);
    first.write(rawPost(call("hi")));
    await first.until("hello");
    vi.advanceTimersByTime(999);
    const early = new RawClient(http.port);
    await early.closed;
    expect(early.received).toContain('"data":{"limit":"server","retryAfterMs":1000}');
    vi.advanceTimersByTime(1);
    const second = new RawClient(http.port);
    second.write(rawPost(call("hi")));
    await second.until("hello");
    await first.closed;
  });

  it.each([
    [503, { maxConnections: 1 }],
    [429, { maxConnectionsPerAddress: 1, sharedAddresses: [] }],
  ])("at the limit is %s where no other is idle, and what it sends is not served", async (status, limits) => {
    let release = () => {};
    let runs = 0;
    const { http } = await listen(limits, (server) => {
      server.tool("wait", {}, async () => {
        runs += 1;
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return "waited";
      });
    });
    const first = new RawClient(http.port);
    first.write(rawPost(call("wait")));
    await vi.waitFor(() => expect(runs).toBe(1));
    const refused = Array.from({ length: 70 }, () => new RawClient(http.port));
    for (const client of refused) client.write(rawPost(call("wait")));
    await Promise.all(refused.map(({ closed }) => closed));
    const told = refused.filter(({ received }) => received.startsWith(`HTTP/1.1 ${status} `));
    expect(told.length).toBeGreaterThan(0);
    expect(told[0]?.received).toContain("retry-after: 1");
    expect(runs).toBe(1);
    release();
    await first.until("waited");
  });

  it("that is refused is told so, also after many others", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { http } = await listen({ maxConnections: 1 });
    const first = new RawClient(http.port);
    first.write(rawPost(call("hi")));
    await first.until("hello");
    for (let count = 0; count < 66; count += 1) {
      const refused = new RawClient(http.port);
      await refused.closed;
      expect(refused.received).toMatch(/^HTTP\/1\.1 503 /);
    }
  });

  it("that is refused is closed in time, and of many some are closed at once", async () => {
    const started = vi.fn();
    const { http } = await listen({ maxConnections: 1 }, (server) => {
      server.tool("wait", {}, () => {
        started();
        return new Promise<string>(() => {});
      });
    });
    new RawClient(http.port).write(rawPost(call("wait")));
    await vi.waitFor(() => expect(started).toHaveBeenCalledOnce());
    const refused = Array.from({ length: 80 }, () => new RawClient(http.port, { allowHalfOpen: true }));
    await Promise.all(refused.map(({ socket }) => once(socket, "end")));
    expect(refused.filter(({ received }) => received === "").length).toBeGreaterThan(0);
    const [told] = refused.filter(({ received }) => received.includes("503"));
    await untilClosed(told as RawClient);
  });

  it("may not have a limit that is none", async () => {
    await expect(listen({ maxConnections: 0 })).rejects.toMatchObject({ code: "invalid-argument" });
  });
});
