import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { HttpClientOptions } from "./http-client-options.js";
import { SseClientTransport } from "./sse-client-transport.js";
import { answerTo, begin, legacy, notification, prepare, settle } from "./transport-set-up.fixture.js";

const URL_OF_STREAM = "http://mcp.example/sse?key=1";
const GET = "GET http://mcp.example/sse";

afterEach(() => {
  vi.useRealTimers();
});

function prepareOlder(options: HttpClientOptions = {}) {
  return prepare((given) => new SseClientTransport(URL_OF_STREAM, given), options);
}

async function open(options: HttpClientOptions = {}, endpoint = "/messages?session=1") {
  const setUp = prepareOlder(options);
  const started = begin(setUp);
  const call = await setUp.http.next();
  const stream = call.stream();
  stream.write(`event: endpoint\ndata: ${endpoint}\n\n`);
  await started;
  return { ...setUp, call, stream };
}

describe("opening", () => {
  it("waits for the event that names where messages go", async () => {
    const setUp = prepareOlder({ headers: { authorization: "Bearer 1" } });
    let isStarted = false;
    const started = Promise.resolve(begin(setUp)).then(() => {
      isStarted = true;
    });
    const call = await setUp.http.next();
    expect(call.init).toMatchObject({
      method: "GET",
      headers: { accept: "text/event-stream", authorization: "Bearer 1" },
    });
    expect(call.url.href).toBe(URL_OF_STREAM);
    const stream = call.stream();
    stream.write(": hello\n\ndata: {}\n\n");
    await settle();
    expect(isStarted).toBe(false);
    stream.write("event: endpoint\ndata: messages?session=1\n\n");
    await started;
    const sent = setUp.transport.send(legacy(1, "initialize"));
    const post = await setUp.http.next();
    expect(post.url.href).toBe("http://mcp.example/messages?session=1");
    expect(post.init).toMatchObject({
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer 1" },
    });
    post.accept();
    await sent;
  });

  it.each(["http://other.example/messages", "https://mcp.example/messages", "//other.example/", "http://["])(
    "refuses to send messages to %s",
    async (endpoint) => {
      await expect(open({}, endpoint)).rejects.toMatchObject({
        code: "invalid-message",
        message: expect.stringContaining(`must name a URL of http://mcp.example, got ${JSON.stringify(endpoint)}`),
      });
    },
  );

  it("fails if the server has no such stream, or ends it before", async () => {
    const refused = prepareOlder();
    const first = begin(refused);
    (await refused.http.next()).respond(404);
    await expect(first).rejects.toMatchObject({ code: "http-error", status: 404 });
    const ended = prepareOlder();
    const second = begin(ended);
    (await ended.http.next()).stream().end();
    await expect(second).rejects.toMatchObject({
      code: "stream-ended",
      message: `${GET}: the event stream ended before the endpoint event`,
    });
    await expect(ended.transport.send(legacy(1, "initialize"))).rejects.toMatchObject({ code: "connection-closed" });
    expect([refused.closings, ended.closings]).toEqual([[], []]);
  });

  it("does not wait for ever", async () => {
    vi.useFakeTimers();
    const setUp = prepareOlder({ acceptTimeoutMs: 200 });
    const refused = expect(begin(setUp)).rejects.toMatchObject({
      code: "request-timeout",
      message: `${GET}: no endpoint event within 200 ms; acceptTimeoutMs allows more`,
    });
    (await setUp.http.next()).stream();
    await vi.advanceTimersByTimeAsync(200);
    await refused;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("messages", () => {
  it("are held to the limits on JSON", async () => {
    const { received, stream, errors } = await open({ maxJsonNodes: 8 });
    stream.event(notification("notifications/message", { data: [[], []] }));
    stream.event(notification("notifications/message"));
    await settle();
    expect(received).toEqual([notification("notifications/message")]);
    expect(errors).toMatchObject([{ message: expect.stringContaining("8 arrays, objects") }]);
  });

  it("come over the stream, and go out with the revision that was agreed on", async () => {
    const { transport, http, received, stream, errors } = await open();
    const opening = transport.send(legacy(1, "initialize"));
    (await http.next()).accept();
    await opening;
    const hello = notification("notifications/message");
    stream.event(hello);
    stream.event(answerTo(1, { protocolVersion: "2024-11-05" }));
    stream.write("data: {\n\n");
    stream.write('event: other\ndata: "x"\n\n');
    await settle();
    expect(received).toEqual([hello, answerTo(1, { protocolVersion: "2024-11-05" })]);
    const message = `${GET}: an event is no message (Parse error: the text is not valid JSON)`;
    expect(errors).toMatchObject([{ code: "invalid-message", message }]);
    const sent = transport.send(legacy(2, "ping"), { headers: { "x-one": "1" } });
    const call = await http.next();
    expect(call.init.headers).toEqual({
      "content-type": "application/json",
      "mcp-protocol-version": "2024-11-05",
      "x-one": "1",
    });
    call.respond(200, {}, "Accepted");
    await sent;
    stream.event(answerTo(2));
    await settle();
    expect(received).toHaveLength(3);
  });

  it("reject if the server refuses them, or takes too long", async () => {
    const { transport, http } = await open({ acceptTimeoutMs: 100 });
    const refused = transport.send(legacy(1, "ping"));
    (await http.next()).respond(400, {}, "no");
    await expect(refused).rejects.toMatchObject({
      code: "http-error",
      status: 400,
      message: 'POST http://mcp.example/messages was answered with status 400 and said "no"',
    });
    vi.useFakeTimers();
    const late = expect(transport.send(legacy(2, "ping"))).rejects.toMatchObject({ code: "request-timeout" });
    await vi.advanceTimersByTimeAsync(100);
    await late;
  });

  it("in flight together share no signal that would warn of too many listeners", async () => {
    const { transport, http } = await open();
    const sent = [1, 2].map((id) => transport.send(legacy(id, "ping")));
    const [one, two] = [await http.next(), await http.next()];
    expect(one.init.signal).not.toBe(two.init.signal);
    const added = vi.spyOn(AbortSignal.prototype, "addEventListener");
    onTestFinished(() => added.mockRestore());
    const third = transport.send(legacy(3, "ping"));
    const three = await http.next();
    expect(new Set(added.mock.contexts)).toEqual(new Set([three.init.signal]));
    for (const call of [one, two, three]) call.accept();
    await Promise.all([...sent, third]);
    transport.close();
    expect([one, two, three].map((call) => call.isAborted)).toEqual([false, false, false]);
  });

  it("over the limit cost the connection", async () => {
    const { stream, closings } = await open({ maxMessageBytes: 100 });
    stream.write(`data: ${"x".repeat(200)}`);
    await settle();
    expect(closings).toMatchObject([{ code: "too-large" }]);
  });
});

describe("the end", () => {
  it("of the stream is the end of the connection", async () => {
    const { transport, stream, closings } = await open({ onError: undefined });
    stream.write("data: {\n\n");
    stream.end();
    await settle();
    expect(closings).toMatchObject([{ code: "stream-ended", message: `${GET}: the event stream ended` }]);
    await expect(transport.send(legacy(1, "ping"))).rejects.toMatchObject({ code: "connection-closed" });
    transport.close();
    expect(closings).toHaveLength(1);
  });

  it("keeps the reason of a loss", async () => {
    const { stream, closings } = await open();
    stream.fail(new Error("reset"));
    await settle();
    expect(closings).toMatchObject([{ code: "stream-ended", cause: { message: "reset" } }]);
  });

  it("by this side aborts all there is and says so once", async () => {
    const { transport, http, call, stream, received, closings } = await open();
    const sent = expect(transport.send(legacy(1, "ping"))).rejects.toMatchObject({ code: "connection-closed" });
    const post = await http.next();
    stream.event(answerTo(1));
    transport.close();
    transport.close();
    await sent;
    await settle();
    expect([call.isAborted, post.isAborted]).toEqual([true, true]);
    expect(closings).toEqual([undefined]);
    expect(received).toEqual([]);
  });
});
