import { McpServer } from "parley-mcp/server";
import { createFetchHandler } from "parley-mcp/web";
import { expect, onTestFinished } from "vitest";
import { deferred } from "../../src/deferred.js";
import { callPost, outcomeOf, type Post, post, refused } from "../../src/http/http-posts.js";
import { verifies } from "../../src/verifies.js";

/** A body in parts, and whether somebody still takes them. */
function streamed(part: Uint8Array, count: number) {
  const seen = { pulled: 0, isCancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      seen.pulled += 1;
      if (seen.pulled <= count) controller.enqueue(part);
      else if (count > 0) controller.close();
      // With nothing to give it never ends.
      else return new Promise<void>(() => {});
      return undefined;
    },
    cancel() {
      seen.isCancelled = true;
    },
  });
  return { body, seen };
}

function request(given: Post, body: Uint8Array | ReadableStream<Uint8Array>, headers: Record<string, string> = {}) {
  const init = { ...given, headers: { ...given.headers, ...headers }, body, duplex: "half" };
  return new Request("http://localhost/mcp", init as RequestInit);
}

verifies(
  ["hosting:http:body-limit", "hosting:http:slow-writer-408", "hosting:http:parse-error-400"],
  "the web-standard handler refuses bodies that are too large, too slow or not UTF-8, and reads no more of them",
  async () => {
    const server = new McpServer({ name: "greeter", version: "1.0.0", onError: () => {} });
    server.tool("greet", {}, () => "hello");
    const handler = createFetchHandler(server, { maxBodyBytes: 10_000, bodyTimeoutMs: 20 });
    const large = streamed(new Uint8Array(4_000).fill(0x20), 1_000);
    expect(await outcomeOf(handler(request(post(""), large.body)))).toMatchObject(refused(413, -32600));
    expect([large.seen.isCancelled, large.seen.pulled < 10]).toEqual([true, true]);
    const announced = streamed(new Uint8Array(1), 1_000);
    const length = { "content-length": "67108864" };
    expect(await outcomeOf(handler(request(post(""), announced.body, length)))).toMatchObject(refused(413, -32600));
    expect(announced.seen.pulled).toBeLessThan(3);
    const endless = streamed(new Uint8Array(0), 0);
    expect(await outcomeOf(handler(request(post(""), endless.body)))).toMatchObject(refused(408, -32600));
    expect(endless.seen.isCancelled).toBe(true);
    const sound = new TextEncoder().encode(callPost("greet").body);
    for (const spoilt of [Uint8Array.of(0x22, 0xff, 0x22), Uint8Array.of(0xef, 0xbb, 0xbf, ...sound)]) {
      expect(await outcomeOf(handler(request(callPost("greet"), spoilt)))).toMatchObject(refused(400, -32700));
      const parsed = handler(new Request("http://localhost/mcp", callPost("greet")), { parsedBody: spoilt });
      expect(await outcomeOf(parsed)).toMatchObject(refused(400, -32700));
    }
    expect((await handler(request(callPost("greet"), sound))).status).toBe(200);
  },
);

verifies(
  "hosting:http:modern:disconnect-aborts",
  "the web-standard handler aborts a handler by the request's signal and by cancelling the stream, and sends nothing more",
  { judge: "not-written-down" },
  async () => {
    const server = new McpServer({ name: "waiter", version: "1.0.0", onError: () => {} });
    const [started, late] = [deferred<AbortSignal>(), deferred<unknown>()];
    server.tool("wait", {}, async (_args, { signal }) => {
      started.resolve(signal);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return "too late";
    });
    server.tool("talk", {}, async (_args, context) => {
      await context.notify("acme/begun");
      await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
      late.resolve(await context.notify("acme/late").catch((error: unknown) => error));
      return "";
    });
    const handler = createFetchHandler(server);
    const client = new AbortController();
    const gone = handler(new Request("http://localhost/mcp", { ...callPost("wait"), signal: client.signal }));
    const signal = await started.promise;
    client.abort();
    expect([signal.aborted, (await gone).status]).toEqual([true, 499]);
    const stream = await handler(new Request("http://localhost/mcp", callPost("talk")));
    await stream.body?.cancel();
    expect(await late.promise).toMatchObject({ code: "context-ended" });
  },
);

verifies(
  "hosting:http:modern:backpressure",
  "the web-standard handler cuts off a reader whom a handler floods without waiting",
  { judge: "not-written-down" },
  async () => {
    const server = new McpServer({ name: "hasty", version: "1.0.0", onError: () => {} });
    const refusals: unknown[] = [];
    const signals: AbortSignal[] = [];
    server.tool("flood", {}, async (_args, context) => {
      signals.push(context.signal);
      const sent = Array.from({ length: 10_000 }, () => context.notify("acme/note", { text: "x".repeat(1_000) }));
      for (const outcome of await Promise.allSettled(sent)) {
        if (outcome.status === "rejected") refusals.push(outcome.reason.code);
      }
      return "";
    });
    const response = await createFetchHandler(server)(new Request("http://localhost/mcp", callPost("flood")));
    await expect(response.text()).rejects.toThrow("reads too slowly");
    expect(signals[0]?.aborted).toBe(true);
    expect(refusals.length).toBeGreaterThan(8_000);
  },
);

verifies(
  ["hosting:http:dns-rebinding", "transport:streamable-http:origin-validation"],
  "the web-standard handler, which cannot see where a request came from, takes plain HTTP for loopback",
  async () => {
    const server = new McpServer({ name: "greeter", version: "1.0.0" });
    server.tool("greet", {}, () => "hello");
    const handler = createFetchHandler(server);
    const status = async (url: string, headers = {}) =>
      (await outcomeOf(handler(new Request(url, callPost("greet", {}, headers))))).status;
    expect(await status("http://localhost:3000/mcp", { origin: "http://localhost:6274" })).toBe(200);
    expect(await status("http://evil.example.com/mcp")).toBe(403);
    expect(await status("http://localhost/mcp", { origin: "http://evil.example.com" })).toBe(403);
    for (const origin of ["https://evil.example.com", "http://localhost:6274"]) {
      expect(await status("https://mcp.example.com/mcp", { origin })).toBe(403);
    }
  },
);

verifies(
  "hosting:http:web-body-source",
  "a body that is too large or too slow, and whose source fails to cancel, is refused without an unhandled rejection",
  async () => {
    const unhandled: unknown[] = [];
    const hear = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", hear);
    onTestFinished(() => void process.off("unhandledRejection", hear));
    const server = new McpServer({ name: "greeter", version: "1.0.0", onError: () => {} });
    const handler = createFetchHandler(server, { maxBodyBytes: 1_000, bodyTimeoutMs: 20 });
    const broken = (bytes: number) =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => (bytes > 0 ? controller.enqueue(new Uint8Array(bytes)) : new Promise<void>(() => {})),
        cancel() {
          throw new Error("the source is broken");
        },
      });

    expect(await outcomeOf(handler(request(post(""), broken(1_001))))).toMatchObject(refused(413, -32600));
    expect(await outcomeOf(handler(request(post(""), broken(0))))).toMatchObject({ status: 408 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  },
);
