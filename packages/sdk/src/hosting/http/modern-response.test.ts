import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Receiver } from "../../dispatch/dispatcher.js";
import { ProtocolError } from "../../errors/protocol-error.js";
import type { SdkError } from "../../errors/sdk-error.js";
import type { JsonObject } from "../../runtime/json.js";
import { McpServer } from "../../server/mcp-server.js";
import type { ServerContext } from "../../server/server-context.js";
import { ServerLimits } from "../../server/server-limits.js";
import { createFetchHandler } from "../web/fetch-handler.js";
import type { EventSink, HttpRequest } from "./http-host.js";
import type { HttpOptions } from "./http-options.js";
import { modern, withEnvelope } from "./modern-requests.fixture.js";
import { ModernResponse } from "./modern-response.js";

function setUp(act: (context: ServerContext) => unknown, options: HttpOptions = {}) {
  const errors: Error[] = [];
  const server = new McpServer({ name: "s", version: "1.0.0", onError: (error) => void errors.push(error) });
  server.handle("acme/act", (_params, context) => act(context));
  const handler = createFetchHandler(server, options);
  onTestFinished(() => handler.close());
  const request = (signal?: AbortSignal, id = 1) => {
    const posted = modern("acme/act", withEnvelope({}, { progressToken: "p" }), {}, id);
    return handler(new Request("http://localhost/mcp", { ...posted, ...(signal && { signal }) }));
  };
  return { server, handler, request, errors };
}

const json = async (response: Response) => JSON.parse(await response.text());

async function events(response: Response): Promise<JsonObject[]> {
  const blocks = (await response.text()).split("\n\n").filter((block) => block.startsWith("data: "));
  return blocks.map((block) => JSON.parse(block.slice("data: ".length)));
}

describe("an answer", () => {
  it("is a JSON body as long as nothing precedes it", async () => {
    const response = await setUp(() => ({ a: 1 })).request();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({ "content-type": "application/json" });
    expect(await json(response)).toMatchObject({ jsonrpc: "2.0", id: 1, result: { a: 1, resultType: "complete" } });
  });

  it("ends a stream if something does", async () => {
    const { request } = setUp(async (context) => {
      await context.progress(1, 2);
      await context.notify("acme/note");
      return {};
    });
    const response = await request();
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    });
    expect(await events(response)).toEqual([
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "p", progress: 1, total: 2 } },
      { jsonrpc: "2.0", method: "acme/note" },
      expect.objectContaining({ id: 1, result: expect.any(Object) }),
    ]);
  });

  it.each([
    [-32700, 400],
    [-32600, 400],
    [-32601, 404],
    [-32020, 400],
    [-32021, 400],
    [-32022, 400],
    [-32602, 200],
    [-32603, 200],
    [7, 200],
  ])("with error %s has status %s, and keeps the error's data", async (code, status) => {
    const data = { why: 1, requiredCapabilities: {}, supported: [], requested: "" };
    const { request } = setUp(() => {
      throw new ProtocolError(code, "deliberate", { data });
    });
    const response = await request();
    expect(response.status).toBe(status);
    expect(await json(response)).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code, message: "deliberate", data },
    });
  });

  it("with an error is an event like others once there is a stream", async () => {
    const { request } = setUp(async (context) => {
      await context.progress(1);
      throw new ProtocolError(-32601, "gone");
    });
    const response = await request();
    expect(response.status).toBe(200);
    expect((await events(response)).at(-1)).toMatchObject({ id: 1, error: { code: -32601 } });
  });

  it("is an opaque -32603 for a crash", async () => {
    const { request, errors } = setUp(() => {
      throw new Error("secret");
    });
    expect(await json(await request())).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32603, message: "Internal error" },
    });
    expect(errors).toMatchObject([{ code: "handler-failed", cause: { message: "secret" } }]);
  });

  it("is -32603 for a result that JSON cannot express", async () => {
    const { request, errors } = setUp(() => ({ n: 1n }));
    expect(await json(await request())).toMatchObject({ id: 1, error: { code: -32603, message: "Internal error" } });
    expect(errors).toMatchObject([{ code: "handler-failed" }]);
  });
});

it("a notification that JSON cannot express rejects and opens no stream", async () => {
  const { request } = setUp(async (context) => {
    await expect(context.notify("acme/note", { n: 1n })).rejects.toMatchObject({ code: "invalid-argument" });
    return {};
  });
  expect((await request()).headers.get("content-type")).toBe("application/json");
});

it("requests with equal ids do not meet", async () => {
  const { request } = setUp(async (context) => ({ id: context.requestId }));
  const answers = await Promise.all([request(), request(), request()]);
  for (const answer of answers) expect((await json(answer)).result).toMatchObject({ id: 1 });
});

describe("a client that leaves", () => {
  it("aborts the handler of a JSON answer, and is sent nothing", async () => {
    const client = new AbortController();
    const { request } = setUp(async (context) => {
      client.abort();
      expect(context.signal.aborted).toBe(true);
      expect(context.signal.reason).toMatchObject({ code: "connection-closed" });
      await expect(context.notify("acme/late")).rejects.toMatchObject({ code: "context-ended" });
      return {};
    });
    const response = await request(client.signal);
    expect(response.status).toBe(499);
    expect(await response.text()).toBe("");
  });

  it("aborts the handler of a stream", async () => {
    const aborted = deferred();
    const { request, errors } = setUp(async (context) => {
      await context.progress(1);
      context.signal.addEventListener("abort", () => aborted.resolve());
      await aborted.promise;
      throw new Error("too late for anybody but the log");
    });
    const response = await request();
    await response.body?.cancel();
    await aborted.promise;
    await vi.waitFor(() => expect(errors).toMatchObject([{ code: "handler-failed" }]));
  });

  it("before its request was read runs no handler", async () => {
    const act = vi.fn(() => ({}));
    const { handler, request } = setUp(act);
    const client = new AbortController();
    client.abort();
    expect((await request(client.signal)).status).toBe(499);
    await request();
    await handler.close();
    expect(act).toHaveBeenCalledOnce();
  });
});

describe("a quiet stream", () => {
  it("says that it is alive, until it ends", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const released = deferred();
    const { request } = setUp(async (context) => {
      await context.progress(1);
      await released.promise;
      return {};
    });
    const response = await request();
    await vi.advanceTimersByTimeAsync(31_000);
    released.resolve();
    const text = await response.text();
    expect(text.match(/^:$/gm)).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("keeps silent if told to", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { request } = setUp(
      async (context) => {
        await context.progress(1);
        expect(vi.getTimerCount()).toBe(0);
        return {};
      },
      { keepAliveMs: Number.POSITIVE_INFINITY },
    );
    expect(await events(await request())).toHaveLength(2);
  });

  it("whose client reads too slowly is cut off, by a message or by a sign of life", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const outcomes: unknown[] = [];
    const { request } = setUp(
      async (context) => {
        const isChatty = outcomes.length > 0;
        await context.notify("acme/large", { text: "x".repeat(100) });
        if (isChatty) await context.notify("acme/more").catch((error: unknown) => void outcomes.push(error));
        else await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
        outcomes.push(context.signal.aborted);
        return {};
      },
      { maxQueuedBytes: 50 },
    );
    const silent = await request();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(outcomes).toEqual([true]);
    await expect(silent.text()).rejects.toThrow("reads too slowly");
    const chatty = await request();
    await vi.advanceTimersByTimeAsync(0);
    expect(outcomes).toMatchObject([true, { code: "connection-closed" }, true]);
    await expect(chatty.text()).rejects.toThrow("reads too slowly");
  });
});

it("runs a discovery to its end although its client has left, since it cannot be cancelled", async () => {
  const { server, handler } = setUp(() => ({}));
  const [reached, released, ended] = [deferred(), deferred(), deferred()];
  server.use(async (_message, next) => {
    reached.resolve();
    await released.promise;
    const result = await next();
    ended.resolve();
    return result;
  });
  const left = new AbortController();
  const posted = { ...modern("server/discover"), signal: left.signal };
  const asked = handler(new Request("http://localhost/mcp", posted));
  await reached.promise;
  left.abort();
  released.resolve();
  await ended.promise;
  await Promise.allSettled([asked]);
});

describe("shutting down", () => {
  it("waits for what is being served, and ends subscriptions with their result", async () => {
    const { server, handler, request } = setUp(async () => {
      await released.promise;
      return { done: true };
    });
    server.tool("t", {}, () => "");
    const released = deferred();
    const slow = request();
    const params = withEnvelope({ notifications: { toolsListChanged: true } });
    const listening = await handler(new Request("http://localhost/mcp", modern("subscriptions/listen", params, {}, 2)));
    const closing = handler.close();
    expect((await events(listening)).at(-1)).toMatchObject({ id: 2, result: { resultType: "complete" } });
    released.resolve();
    await closing;
    expect((await json(await slow)).result).toMatchObject({ done: true });
  });

  it("ends a subscription that was on its way to its handler", async () => {
    const { server, handler } = setUp(() => ({}));
    const released = deferred();
    const waiting = deferred();
    server.use(async (_message, next) => {
      waiting.resolve();
      await released.promise;
      return next();
    });
    server.tool("t", {}, () => "");
    const params = withEnvelope({ notifications: { toolsListChanged: true } });
    const listening = handler(new Request("http://localhost/mcp", modern("subscriptions/listen", params, {}, 2)));
    await waiting.promise;
    const closing = handler.close();
    released.resolve();
    expect((await events(await listening)).at(-1)).toMatchObject({ id: 2, result: { resultType: "complete" } });
    await closing;
  });

  it("gives up on what takes too long, and says so", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const signals: AbortSignal[] = [];
    const { handler, request } = setUp((context) => {
      signals.push(context.signal);
      return new Promise(() => {});
    });
    const stuck = request();
    await vi.advanceTimersByTimeAsync(0);
    const closing = handler.close();
    await vi.advanceTimersByTimeAsync(10_000);
    await closing;
    const response = await stuck;
    expect(response.status).toBe(503);
    expect(await json(response)).toMatchObject({ id: 1, error: { code: -32603 } });
    expect(signals[0]?.aborted).toBe(true);
  });
});

describe("apart from a server", () => {
  function exchangeWith(receive: Receiver["request"]) {
    const sent: unknown[] = [];
    const sink: EventSink = { write: (text) => sent.push(text) > 0, end: () => void sent.push("end") };
    const receiver: Receiver = { request: receive, notification: () => {} };
    const ended = vi.fn();
    const host = {
      receiver,
      revisions: [],
      report: () => {},
      keepAliveMs: 1_000,
      limits: new ServerLimits().connection,
      ended,
    };
    const response = { send: (status: number) => void sent.push(status), stream: () => sink };
    const load = { requests: 0, bytes: 0 };
    const exchange = new ModernResponse(host, { jsonrpc: "2.0", id: 1, method: "m" }, response, undefined, load);
    // The exchange asks its request for nothing else.
    const request = { onDisconnect: vi.fn<HttpRequest["onDisconnect"]>() } as unknown as HttpRequest;
    exchange.serve(request);
    const leave = vi.mocked(request.onDisconnect).mock.lastCall?.[0];
    return { exchange, sent, ended, leave };
  }

  it("sends no requests", async () => {
    const error = deferred<unknown>();
    exchangeWith(async (inbound) => {
      await inbound.request("roots/list").catch(error.resolve);
      return {};
    });
    expect(await error.promise).toMatchObject({ code: "method-not-in-revision" } satisfies Partial<SdkError>);
  });

  it("writes to a sink that knows nothing of draining, and ends once", async () => {
    const { exchange, sent, ended, leave } = exchangeWith(async (inbound) => {
      await inbound.notify("acme/note");
      return {};
    });
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce());
    exchange.shutDown();
    leave?.();
    expect(ended).toHaveBeenCalledOnce();
    expect(sent).toEqual([expect.stringContaining("acme/note"), expect.stringContaining('"result"'), "end"]);
  });
});

function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
