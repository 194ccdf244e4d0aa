import { McpServer, type ServerContext } from "parley-mcp/server";
import { expect, vi } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

/** From here to the end of the block time stands still, and moves only by `pass`. */
function stopTheClock() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  return {
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
    [Symbol.dispose]: () => void vi.useRealTimers(),
  };
}

/** A server with one method that never answers, and the contexts it was called with. */
function reluctantServer() {
  const contexts: ServerContext[] = [];
  const server = new McpServer({ name: "reluctant", version: "1.0.0" });
  server.handle("acme/wait", (_params, context) => {
    contexts.push(context);
    return new Promise(() => undefined);
  });
  server.handle("acme/quick", () => ({ served: true }));
  return { server, contexts };
}

verifies("protocol:timeout:basic", "a call rejects when its own time is up, not before", async ({ connect }) => {
  const { server } = reluctantServer();
  const client = await connect(server);
  using clock = stopTheClock();

  const rejections: unknown[] = [];
  client.request("acme/wait", {}, { timeoutMs: 250 }).catch((error) => rejections.push(error));
  await clock.pass(249);
  expect(rejections).toEqual([]);
  await clock.pass(1);

  expect(rejections).toMatchObject([
    { name: "SdkError", code: "request-timeout", message: expect.stringMatching(/acme\/wait.*250 ms/) },
  ]);
});

verifies(
  "protocol:timeout:by-default",
  "a minute without an answer ends the call, and no less",
  async ({ connect }) => {
    const { server } = reluctantServer();
    const client = await connect(server);
    using clock = stopTheClock();

    const rejections: unknown[] = [];
    client.request("acme/wait").catch((error) => rejections.push(error));
    await clock.pass(59_999);
    expect(rejections).toEqual([]);
    await clock.pass(1);

    expect(rejections).toMatchObject([{ code: "request-timeout", message: expect.stringContaining("60000 ms") }]);
  },
);

verifies(
  "protocol:timeout:session-default",
  "the timeout given when connecting ends a call that has none, and gives way to one that has",
  async ({ connect }) => {
    const { server } = reluctantServer();
    // Connecting takes real time, so the clock stops afterwards and the timeout is long enough for it.
    const client = await connect(server, { timeoutMs: 25_000 });
    using clock = stopTheClock();

    const rejections: unknown[] = [];
    const note = (call: string) => (error: { code: unknown }) => rejections.push(`${call}: ${error.code}`);
    client.request("acme/wait").catch(note("default"));
    client.request("acme/wait", {}, { timeoutMs: 10_000 }).catch(note("shorter"));
    client.request("acme/wait", {}, { timeoutMs: 40_000 }).catch(note("longer"));

    await clock.pass(10_000);
    expect(rejections).toEqual(["shorter: request-timeout"]);
    await clock.pass(14_999);
    expect(rejections).toHaveLength(1);
    await clock.pass(1);
    expect(rejections.slice(1)).toEqual(["default: request-timeout"]);
    await clock.pass(15_000);
    expect(rejections.slice(2)).toEqual(["longer: request-timeout"]);
  },
);

verifies(
  "protocol:timeout:sends-cancellation",
  "a call whose time is up sends one cancellation, and the handler's signal aborts",
  async ({ connect, wire }) => {
    const aborted = deferred<unknown>();
    const server = new McpServer({ name: "reluctant", version: "1.0.0" });
    server.handle("acme/wait", (_params, { signal }) => {
      return new Promise(() => signal.addEventListener("abort", () => aborted.resolve(signal.reason)));
    });
    const client = await connect(server);
    using clock = stopTheClock();

    const call = client.request("acme/wait", {}, { id: "w", timeoutMs: 250 }).catch(({ code }) => code);
    await clock.pass(250);

    expect(await call).toBe("request-timeout");
    expect(await aborted.promise).toMatchObject({ name: "SdkError", code: "request-aborted" });
    const notices = wire.from("client").filter((message) => "method" in message && !("id" in message));
    expect(notices.at(-1)).toMatchObject({ method: "notifications/cancelled", params: { requestId: "w" } });
    expect(wire.methods("client").filter((method) => method === "notifications/cancelled")).toHaveLength(1);
  },
);

verifies(
  "protocol:timeout:reset-on-progress",
  "progress gives a call its full time again if it asked for that, and none to the call beside it",
  async ({ connect }) => {
    const { server, contexts } = reluctantServer();
    const client = await connect(server);
    using clock = stopTheClock();

    const rejections: unknown[] = [];
    const options = { timeoutMs: 100, onProgress: () => undefined };
    const note = (call: string) => (error: { code: unknown }) => rejections.push(`${call}: ${error.code}`);
    client.request("acme/wait", {}, { ...options, resetTimeoutOnProgress: true }).catch(note("resetting"));
    client.request("acme/wait", {}, options).catch(note("plain"));
    await clock.pass(80);
    for (const context of contexts) await context.progress(1);
    await clock.pass(20);
    expect(rejections).toEqual(["plain: request-timeout"]);
    await clock.pass(79);
    expect(rejections).toHaveLength(1);
    await clock.pass(1);

    expect(contexts).toHaveLength(2);
    expect(rejections).toEqual(["plain: request-timeout", "resetting: request-timeout"]);
  },
);

verifies(
  "protocol:timeout:max-total",
  "a call whose timeout keeps restarting ends at its maximum",
  async ({ connect }) => {
    const { server, contexts } = reluctantServer();
    const client = await connect(server);
    using clock = stopTheClock();

    const rejections: unknown[] = [];
    const reports: number[] = [];
    const options = { timeoutMs: 100, resetTimeoutOnProgress: true, maxTimeoutMs: 250 };
    const onProgress = ({ progress }: { progress: number }) => void reports.push(progress);
    client.request("acme/wait", {}, { ...options, onProgress }).catch((error) => rejections.push(error));
    for (const step of [1, 2, 3]) {
      await clock.pass(80);
      await contexts[0]?.progress(step);
    }
    await clock.pass(9);
    expect(rejections).toEqual([]);
    await clock.pass(1);

    expect(reports).toEqual([1, 2, 3]);
    expect(rejections).toMatchObject([
      { name: "SdkError", code: "request-timeout", message: expect.stringContaining("250 ms") },
    ]);
  },
);

verifies("protocol:timeout:session-survives", "a call after a timeout is served", async ({ connect }) => {
  const { server } = reluctantServer();
  const client = await connect(server);
  using clock = stopTheClock();

  const call = client.request("acme/wait", {}, { timeoutMs: 250 }).catch(({ code }) => code);
  await clock.pass(250);
  expect(await call).toBe("request-timeout");

  expect(await client.request("acme/quick")).toMatchObject({ served: true });
});
