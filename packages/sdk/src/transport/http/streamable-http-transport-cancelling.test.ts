import { afterEach, describe, expect, it, vi } from "vitest";
import { fetchHttp } from "./fetch-http.js";
import type { ScriptedCall } from "./scripted-http.fixture.js";
import type { StreamableHttpTransport } from "./streamable-http-transport.js";
import {
  answerTo,
  cancelled,
  legacy,
  modern,
  notification,
  openQuietSession,
  type SetUp,
  settle,
  startStreamable,
} from "./transport-set-up.fixture.js";

afterEach(() => {
  vi.useRealTimers();
});

describe("cancelling a modern request", () => {
  it("closes its response, and only its own, and posts nothing", async () => {
    const { transport, http, received } = startStreamable();
    const first = transport.send(modern(1, "tools/list"));
    const second = transport.send(modern(2, "tools/list"));
    const [one, two] = [await http.next(), await http.next()];
    one.stream();
    await transport.send(cancelled(1));
    expect([one.isAborted, two.isAborted]).toEqual([true, false]);
    await first;
    two.result();
    await second;
    expect(received).toEqual([answerTo(2)]);
    expect(http.log).toEqual(["POST tools/list", "POST tools/list"]);
  });

  it("works before the call has begun", async () => {
    let release = () => {};
    const { transport, http } = startStreamable({
      headers: () =>
        new Promise((resolve) => {
          release = () => resolve({});
        }),
    });
    const sent = transport.send(modern(1, "tools/list"));
    await transport.send(cancelled("1"));
    release();
    await sent;
    expect(http.calls).toEqual([]);
  });

  it("posts nothing either when it is late, matches nothing or names nothing", async () => {
    const { transport, http } = startStreamable();
    const sent = transport.send(modern(1, "tools/list"));
    (await http.next()).result();
    await sent;
    await transport.send(cancelled(1));
    await transport.send(cancelled(99));
    await transport.send(notification("notifications/cancelled"));
    expect(http.calls).toHaveLength(1);
  });

  it("leaves the successor alone that has taken its id", async () => {
    const { transport, http, received } = startStreamable();
    const first = transport.send(modern(1, "tools/list"));
    const stream = (await http.next()).stream();
    await settle();
    await transport.send(cancelled(1));
    const second = transport.send(modern(1, "tools/call", { name: "x" }));
    await first;
    const successor = await http.next();
    expect(stream.isCancelled || successor.isAborted).toBe(false);
    await transport.send(cancelled(1));
    expect(successor.isAborted).toBe(true);
    await second;
    expect(received).toEqual([]);
  });

  it("is judged by the era the request was sent in", async () => {
    const setUp = startStreamable();
    const { transport, http } = setUp;
    const probe = transport.send(modern("probe", "tools/list"));
    const call = await http.next();
    await openQuietSession(setUp);
    await transport.send(cancelled("probe"));
    expect(call.isAborted).toBe(true);
    await probe;
    expect(http.log).not.toContain("POST notifications/cancelled");
  });
});

describe("cancelling a legacy request", () => {
  it("posts one message, and hears what the server takes back, but no answer, until the response ends", async () => {
    const setUp = startStreamable();
    const { transport, http, received } = setUp;
    await openQuietSession(setUp);
    received.length = 0;
    const sent = transport.send(legacy(2, "tools/call"));
    const call = await http.next();
    const stream = call.stream();
    stream.write("id: 1\ndata:\n\n");
    await settle();
    const cancel = transport.send(cancelled(2));
    const frame = await http.next();
    expect(frame.message).toEqual(cancelled(2));
    stream.event(answerTo(2));
    stream.event(cancelled("question"));
    frame.accept();
    await cancel;
    stream.end();
    await sent;
    expect(call.isAborted).toBe(false);
    expect(received).toEqual([cancelled("question")]);
    expect(http.log.filter((entry) => entry === "POST notifications/cancelled")).toHaveLength(1);
  });

  it("resumes nothing, also when the stream ends before the message is accepted", async () => {
    const setUp = startStreamable();
    const { transport, http } = setUp;
    await openQuietSession(setUp);
    const sent = transport.send(legacy(2, "tools/call"));
    const stream = (await http.next()).stream();
    stream.write("id: 1\ndata:\n\n");
    await settle();
    const cancel = transport.send(cancelled(2));
    const frame = await http.next();
    stream.end();
    await sent;
    frame.accept();
    await cancel;
    await settle();
    expect(http.log.filter((entry) => entry === "GET")).toHaveLength(1);
  });

  it.each<[what: string, respond: (call: ScriptedCall) => void]>([
    ["204", (call) => call.respond(204)],
    ["an empty stream", (call) => call.stream().end()],
  ])("takes %s as the answer to the cancellation", async (_what, respond) => {
    const setUp = startStreamable();
    const { transport, http } = setUp;
    await openQuietSession(setUp);
    const sent = transport.send(legacy(2, "tools/call"));
    const call = await http.next();
    const cancel = transport.send(cancelled(2));
    respond(call);
    await sent;
    (await http.next()).accept();
    await cancel;
  });

  it("of a batch goes on for the rest of it", async () => {
    const setUp = startStreamable();
    const { transport, http, received } = setUp;
    await openQuietSession(setUp);
    received.length = 0;
    const sent = transport.send([legacy(2, "ping"), legacy(3, "ping")]);
    const call = await http.next();
    const cancel = transport.send(cancelled(2));
    (await http.next()).accept();
    await cancel;
    expect(call.isAborted).toBe(false);
    call.json([answerTo(3)]);
    await sent;
    expect(received).toEqual([[answerTo(3)]]);
  });

  /** A session whose HTTP client says when the requests that come are on their way. */
  async function openWithSender(sent: () => Promise<void>) {
    const send = fetchHttp((url, init) => setUp.http.fetch(url, init));
    const setUp: SetUp<StreamableHttpTransport> = startStreamable({
      http: (call) => {
        call.controller.attach({ abort: () => undefined, sent });
        return send(call);
      },
    });
    await openQuietSession(setUp);
    void setUp.transport.send(legacy(2, "tools/call")).catch(() => undefined);
    await setUp.http.next();
    return setUp;
  }

  it("does not overtake the request, where the HTTP client can tell that it has left", async () => {
    let leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    vi.useFakeTimers();
    const { transport, http } = await openWithSender(() => left);
    const cancel = transport.send(cancelled(2));
    await vi.advanceTimersByTimeAsync(249);
    expect(http.log).not.toContain("POST notifications/cancelled");
    leave();
    (await http.next()).accept();
    await cancel;
  });

  it("does not wait for ever until the request has left", async () => {
    vi.useFakeTimers();
    const { transport, http } = await openWithSender(() => new Promise(() => undefined));
    const cancel = transport.send(cancelled(2));
    await vi.advanceTimersByTimeAsync(250);
    (await http.next()).accept();
    await cancel;
  });

  it("posts nothing once the connection is closed", async () => {
    let leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const { transport, http } = await openWithSender(() => left);
    const refused = expect(transport.send(cancelled(2))).rejects.toMatchObject({ code: "connection-closed" });
    const closing = transport.close();
    leave();
    await refused;
    (await http.next()).respond(204);
    await closing;
    expect(http.log).not.toContain("POST notifications/cancelled");
  });

  it("posts what it cannot match: the server may know it", async () => {
    const setUp = startStreamable();
    await openQuietSession(setUp);
    const cancel = setUp.transport.send(cancelled(99));
    (await setUp.http.next()).accept();
    await cancel;
  });

  it.each([202, 500])("lets go of a response that does not end by itself, the message answered %i", async (status) => {
    const setUp = startStreamable({ closeTimeoutMs: 50 });
    const { transport, http } = setUp;
    await openQuietSession(setUp);
    vi.useFakeTimers();
    const sent = transport.send(legacy(2, "tools/call"));
    const call = await http.next();
    const cancel = transport.send(cancelled(2)).catch((error: unknown) => error);
    (await http.next()).respond(status);
    if (status === 500) expect(await cancel).toMatchObject({ code: "http-error", status: 500 });
    else await cancel;
    await vi.advanceTimersByTimeAsync(49);
    expect(call.isAborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(call.isAborted).toBe(true);
    await sent;
    expect(vi.getTimerCount()).toBe(0);
  });
});

it("gives up on a server that does not accept a message in time", async () => {
  vi.useFakeTimers();
  const { transport, http } = startStreamable({ acceptTimeoutMs: 500 });
  const sent = transport.send(notification("notifications/custom"));
  const refused = expect(sent).rejects.toMatchObject({
    code: "request-timeout",
    message:
      "POST http://mcp.example/mcp: the server did not accept a message within 500 ms; acceptTimeoutMs allows more",
  });
  const call = await http.next();
  await vi.advanceTimersByTimeAsync(499);
  expect(call.isAborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await refused;
  expect(vi.getTimerCount()).toBe(0);
});

it("leaves a server 30 seconds to accept a message by default", async () => {
  vi.useFakeTimers();
  const { transport, http } = startStreamable();
  const refused = expect(transport.send(notification("notifications/custom"))).rejects.toMatchObject({
    code: "request-timeout",
  });
  const call = await http.next();
  await vi.advanceTimersByTimeAsync(29_999);
  expect(call.isAborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await refused;
});
