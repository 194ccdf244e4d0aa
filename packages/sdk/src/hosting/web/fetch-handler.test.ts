import { describe, expect, it, onTestFinished, vi } from "vitest";
import { McpServer } from "../../server/mcp-server.js";
import type { HttpOptions } from "../http/http-options.js";
import { call, POST_HEADERS } from "../http/modern-requests.fixture.js";
import { createFetchHandler } from "./fetch-handler.js";

function setUp(options?: HttpOptions) {
  const errors: Error[] = [];
  const server = new McpServer({ name: "s", version: "1.0.0", onError: (error) => void errors.push(error) });
  server.tool("hi", {}, () => "hello");
  return { server, handler: createFetchHandler(server, options), errors };
}

/** A POST whose body comes in pieces, without a length. */
function streamed(pull: (controller: ReadableStreamDefaultController<Uint8Array>) => void, cancel = () => {}): Request {
  const { body, ...posted } = call("hi");
  expect(body).not.toBe("");
  const stream = new ReadableStream<Uint8Array>({ pull, cancel });
  // `duplex` is what the platform asks of bodies that are streams; the types do not know it.
  return new Request("http://localhost/mcp", { ...posted, body: stream, duplex: "half" } as RequestInit);
}

const status = async (response: Promise<Response>) => (await response).status;

describe("whose name a request must carry", () => {
  const at = (url: string, headers?: Record<string, string>) => new Request(url, call("hi", {}, headers));

  it("is the loopback's over plain HTTP, since nobody knows where the request came in", async () => {
    const { handler } = setUp();
    expect(await status(handler(at("http://127.0.0.1:3000/mcp")))).toBe(200);
    expect(await status(handler(at("http://mcp.example.com/mcp")))).toBe(403);
    expect(await status(handler(at("http://localhost/mcp", { host: "mcp.example.com" })))).toBe(403);
    expect(await status(setUp({ allowedHosts: ["mcp.example.com"] }).handler(at("http://mcp.example.com/")))).toBe(200);
  });

  it("is anybody's over TLS, which has proven it, unless there is a list", async () => {
    expect(await status(setUp().handler(at("https://mcp.example.com/mcp")))).toBe(200);
    expect(await status(setUp({ allowedHosts: ["a.example"] }).handler(at("https://b.example/mcp")))).toBe(403);
  });
});

describe("bodies", () => {
  it("are read piece by piece", async () => {
    const pieces = [...new TextEncoder().encode(call("hi").body)].map((byte) => Uint8Array.of(byte));
    const response = await setUp().handler(
      streamed((controller) => {
        const piece = pieces.shift();
        if (piece) controller.enqueue(piece);
        else controller.close();
      }),
    );
    expect(response.status).toBe(200);
  });

  it("are given up on at the limit", async () => {
    const cancel = vi.fn();
    const { handler } = setUp({ maxBodyBytes: 100 });
    const endless = streamed((controller) => controller.enqueue(new Uint8Array(60)), cancel);
    expect(await status(handler(endless))).toBe(413);
    expect(cancel).toHaveBeenCalledOnce();
  });

  it("are given up on after a while", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { handler } = setUp();
    const answer = handler(streamed(() => {}));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await status(answer)).toBe(408);
  });

  it("whose source fails to cancel are refused all the same, and leave no unhandled rejection", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    onTestFinished(() => void process.off("unhandledRejection", unhandled));
    const failing = () => {
      throw new Error("the source is broken");
    };
    const { handler } = setUp({ maxBodyBytes: 100, bodyTimeoutMs: 1 });

    const large = streamed((controller) => controller.enqueue(new Uint8Array(101)), failing);
    expect(await status(handler(large))).toBe(413);
    const slow = streamed(() => {}, failing);
    expect(await status(handler(slow))).toBe(408);

    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("may take for ever if told so", async () => {
    const { handler } = setUp({ bodyTimeoutMs: Number.POSITIVE_INFINITY });
    expect(await status(handler(new Request("http://localhost/", call("hi"))))).toBe(200);
  });

  it("that are not there are no JSON", async () => {
    const request = new Request("http://localhost/", { method: "POST", headers: POST_HEADERS });
    expect(await status(setUp().handler(request))).toBe(400);
  });

  it("that were read by somebody else are an error that names the remedy", async () => {
    const { handler, errors } = setUp();
    const request = new Request("http://localhost/", call("hi"));
    await request.text();
    expect(await status(handler(request))).toBe(500);
    expect(errors).toMatchObject([{ cause: { message: expect.stringContaining("parsedBody") } }]);
  });
});

describe("streams", () => {
  it("make a writer that waits for them go at the reader's pace", async () => {
    const { server, handler } = setUp();
    let written = 0;
    server.tool("flood", {}, async (_args, context) => {
      for (; written < 10_000; written += 1) await context.notify("acme/note", { text: "x".repeat(1_000) });
      return "done";
    });
    const response = await handler(new Request("http://localhost/", call("flood")));
    await vi.waitFor(() => expect(written).toBeGreaterThan(60));
    expect(written).toBeLessThan(70);
    const text = await response.text();
    expect(text.match(/acme\/note/g)).toHaveLength(10_000);
    expect(text).toContain('"done"');
  });

  it("release a writer that waits when their reader leaves", async () => {
    const { server, handler } = setUp();
    let isAborted: boolean | undefined;
    server.tool("flood", {}, async (_args, context) => {
      while (!context.signal.aborted) await context.notify("acme/note", { text: "x".repeat(100_000) });
      isAborted = true;
      return "";
    });
    const response = await handler(new Request("http://localhost/", call("flood")));
    await response.body?.cancel();
    await vi.waitFor(() => expect(isAborted).toBe(true));
  });

  it("are cut off if their writer does not wait and their reader is slow", async () => {
    const { server, handler } = setUp();
    server.tool("flood", {}, (_args, context) => {
      for (let count = 0; count < 10_000; count += 1) void context.notify("acme/note", { text: "x".repeat(1_000) });
      return "";
    });
    const response = await handler(new Request("http://localhost/", call("flood")));
    await expect(response.text()).rejects.toThrow("reads too slowly");
  });
});
