import { describe, expect, it } from "vitest";
import type { ScriptedCall } from "./scripted-http.fixture.js";
import {
  answerTo,
  legacy,
  modern,
  notification,
  openQuietSession,
  settle,
  startStreamable,
} from "./transport-set-up.fixture.js";

const JSON_TYPE = { "content-type": "application/json" };
const NAME = "POST http://mcp.example/mcp";

describe("an answer", () => {
  it("in one JSON body is handed on before the request counts as sent", async () => {
    const { transport, http, received } = startStreamable();
    const sent = transport.send(modern(1, "tools/list"));
    (await http.next()).json(answerTo(1, { tools: [] }), { "content-type": "Application/JSON; charset=utf-8" });
    await sent;
    expect(received).toEqual([answerTo(1, { tools: [] })]);
  });

  it("is put together from however many pieces it comes in", async () => {
    const { transport, http, received } = startStreamable();
    const sent = transport.send(modern(1, "tools/list"));
    const stream = (await http.next()).stream(JSON_TYPE);
    stream.write('{"jsonrpc":"2.0",');
    stream.write('"id":1,"result":{}}');
    stream.end();
    await sent;
    expect(received).toEqual([answerTo(1)]);
  });

  it("at the end of a stream comes after what the server says before it, as it is said", async () => {
    const { transport, http, received, errors } = startStreamable();
    const sent = transport.send(modern(1, "tools/call", { name: "slow" }));
    const stream = (await http.next()).stream({ "content-type": "text/event-stream; charset=utf-8" });
    const progress = notification("notifications/progress", { progressToken: 1, progress: 1 });
    stream.write(": hello\n\nevent: other\ndata: {}\n\ndata: {\n\n");
    stream.event(progress);
    await settle();
    expect(received).toEqual([progress]);
    stream.event(answerTo("1"));
    stream.event(answerTo(9));
    await sent;
    expect(received).toEqual([progress, answerTo("1")]);
    await settle();
    expect(stream.isCancelled).toBe(true);
    const message = `${NAME} (tools/call "slow"): an event is no message (Parse error: the text is not valid JSON)`;
    expect(errors).toMatchObject([{ code: "invalid-message", message }]);
  });

  it("belongs to its own request, however many streams are open", async () => {
    const { transport, http, received } = startStreamable();
    const sent = [1, 2, 3].map((id) => transport.send(modern(id, "tools/list")));
    const calls = [await http.next(), await http.next(), await http.next()];
    const streams = calls.map((call) => call.stream());
    for (const index of [2, 0, 1]) {
      streams[index]?.event(answerTo(index + 1));
      await settle();
    }
    await Promise.all(sent);
    expect(received).toEqual([answerTo(3), answerTo(1), answerTo(2)]);
  });

  it("to a batch may come in one array or in several, and is complete when the last one is there", async () => {
    const setUp = startStreamable();
    const { transport, http, received } = setUp;
    await openQuietSession(setUp);
    received.length = 0;
    const first = transport.send([legacy(2, "ping"), legacy("3", "ping"), notification("notifications/x")]);
    (await http.next()).json([answerTo(2), answerTo("3")]);
    await first;
    const second = transport.send([legacy(4, "ping"), legacy(5, "ping")]);
    const stream = (await http.next()).stream();
    stream.event([answerTo(5)]);
    await settle();
    expect(received).toEqual([[answerTo(2), answerTo("3")], [answerTo(5)]]);
    stream.event(answerTo(4));
    await second;
  });

  it("that is an error without an id is about the request", async () => {
    const { transport, http, received } = startStreamable();
    const error = { code: -32600, message: "no" };
    for (const id of [null, undefined]) {
      const sent = transport.send(modern(1, "tools/list"));
      (await http.next()).json({ jsonrpc: "2.0", id, error });
      await sent;
    }
    expect(received).toEqual([
      { jsonrpc: "2.0", id: 1, error },
      { jsonrpc: "2.0", id: 1, error },
    ]);
  });

  it("with an error status gets the request's id, whatever the server made of it", async () => {
    const { transport, http, received } = startStreamable();
    const error = { code: -32022, message: "no", data: { supported: [] } };
    for (const id of [undefined, null, "server-error", 7]) {
      const sent = transport.send(modern(7, "tools/list"));
      (await http.next()).json({ jsonrpc: "2.0", id, error }, {}, 400);
      await sent;
    }
    expect(received).toEqual([1, 2, 3, 4].map(() => ({ jsonrpc: "2.0", id: 7, error })));
  });

  it("with an error status goes to every request of a batch", async () => {
    const setUp = startStreamable();
    const { transport, http, received } = setUp;
    await openQuietSession(setUp);
    received.length = 0;
    const sent = transport.send([legacy(2, "ping"), legacy(3, "ping")]);
    const error = { code: -32600, message: "no batches" };
    (await http.next()).json({ jsonrpc: "2.0", error }, {}, 400);
    await sent;
    expect(received).toEqual([
      { jsonrpc: "2.0", id: 2, error },
      { jsonrpc: "2.0", id: 3, error },
    ]);
  });
});

describe("a request rejects", () => {
  const cases: [what: string, respond: (call: ScriptedCall) => void, error: Record<string, unknown>][] = [
    ["202", (call) => call.accept(), { code: "stream-ended", status: 202 }],
    ["204", (call) => call.respond(204), { code: "stream-ended", status: 204 }],
    ["an empty stream", (call) => call.stream().end(), { code: "stream-ended" }],
    ["an empty body", (call) => call.respond(200, JSON_TYPE, " "), { code: "stream-ended", status: 200 }],
    [
      "HTML",
      (call) => call.respond(200, { "content-type": "text/html" }, `<html>${"x".repeat(500)}`),
      {
        code: "invalid-message",
        message:
          `${NAME}: expected application/json or text/event-stream, got text/html that starts with ` +
          `${JSON.stringify(`<html>${"x".repeat(194)}`)}; check that the URL is the MCP endpoint and no login page or proxy ` +
          "answers in its place",
      },
    ],
    [
      "a body without a type",
      (call) => call.respond(200, {}, new TextEncoder().encode("hm")),
      {
        code: "invalid-message",
        message: expect.stringContaining('got a body without a content type that starts with "hm"'),
      },
    ],
    [
      "what is not JSON",
      (call) => call.respond(200, JSON_TYPE, "Oops"),
      { code: "invalid-message", message: expect.stringContaining('"Oops"'), cause: { code: -32700 } },
    ],
    [
      "what is not UTF-8",
      (call) => call.respond(200, JSON_TYPE, Uint8Array.of(0x22, 0xff, 0x22)),
      { code: "invalid-message", message: expect.stringContaining("UTF-8") },
    ],
    ["another request's answer", (call) => call.json(answerTo(9)), { code: "stream-ended" }],
    ["a stream that ends", (call) => call.stream().end(), { code: "stream-ended" }],
    [
      "a body over the limit",
      (call) => call.json(answerTo(1, { x: "x".repeat(1000) })),
      {
        code: "too-large",
        message: `${NAME}: the response is longer than 1000 bytes; raise maxMessageBytes of the target`,
      },
    ],
    ["an event over the limit", (call) => call.stream().write(`data: ${"x".repeat(1000)}`), { code: "too-large" }],
    [
      "a stream that is not UTF-8",
      (call) => call.respond(200, { "content-type": "text/event-stream" }, Uint8Array.of(0xff)),
      { code: "invalid-message" },
    ],
    [
      "a broken connection",
      (call) => call.fail(new TypeError("fetch failed")),
      { code: "connection-closed", message: `${NAME} failed: fetch failed`, cause: { message: "fetch failed" } },
    ],
    [
      "a failure without words",
      (call) => call.fail(Object.assign(new Error("x"), { message: "" })),
      { code: "connection-closed", message: `${NAME} failed` },
    ],
    [
      "a stream that breaks",
      (call) => call.stream().fail(new Error("reset")),
      { code: "stream-ended", cause: { message: "reset" } },
    ],
    [
      "404",
      (call) => call.respond(404),
      { code: "http-error", status: 404, message: `${NAME} was answered with status 404; check the path of the URL` },
    ],
    ...(
      [
        [403, "the server refuses this client: check the authorization in `headers` and its rules on origins"],
        [405, "check that the URL is the MCP endpoint"],
        [429, "the server asks to be called less often"],
        [502, "a proxy answered that cannot reach the server"],
        [503, "the server has no room at the moment, or a proxy cannot reach it"],
        [504, "a proxy waited too long for the server"],
      ] as const
    ).map(([status, advice]): [string, (call: ScriptedCall) => void, Record<string, unknown>] => [
      `${status}, with advice`,
      (call) => call.respond(status),
      { code: "http-error", status, message: expect.stringContaining(`status ${status}; ${advice}`) },
    ]),
    [
      "500 with HTML",
      (call) => call.respond(500, {}, "<h1>Oh</h1>"),
      { code: "http-error", status: 500, message: `${NAME} was answered with status 500 and said "<h1>Oh</h1>"` },
    ],
    [
      "500 with JSON that is no answer",
      (call) => call.json({ error: "oh" }, {}, 500),
      { code: "http-error", status: 500, message: expect.stringContaining("oh") },
    ],
    ["500 with broken JSON", (call) => call.respond(500, JSON_TYPE, "{"), { code: "http-error", status: 500 }],
    [
      "400 with a body over the limit",
      (call) => call.respond(400, JSON_TYPE, `"${"x".repeat(1001)}"`),
      { code: "http-error", status: 400, message: `${NAME} was answered with status 400` },
    ],
    [
      "401, with the challenge",
      (call) => call.respond(401, { "www-authenticate": 'Bearer scope="a"' }),
      {
        code: "http-error",
        status: 401,
        wwwAuthenticate: 'Bearer scope="a"',
        message: expect.stringContaining("`headers`"),
      },
    ],
    [
      "403, though it brings an error",
      (call) => call.json({ jsonrpc: "2.0", error: { code: -32000, message: "foreign origin" } }, {}, 403),
      { code: "http-error", status: 403, cause: { code: -32000, message: "foreign origin" } },
    ],
    [
      "a redirect to elsewhere",
      (call) => call.respond(307, { location: "https://other.example/mcp?secret" }),
      {
        code: "http-error",
        status: 307,
        message: expect.stringMatching(/points to https:\/\/other\.example\/mcp: connect/),
      },
    ],
  ];

  it.each(cases)("on %s", async (_what, respond, error) => {
    const { transport, http, received } = startStreamable({ maxMessageBytes: 1000 });
    const sent = transport.send(modern(1, "tools/list"));
    respond(await http.next());
    await expect(sent).rejects.toMatchObject(error);
    expect(received.filter((message) => JSON.stringify(message) === JSON.stringify(answerTo(1)))).toEqual([]);
    await settle();
    expect(http.calls).toHaveLength(1);
  });

  it("when it has more than 16 MiB by default", async () => {
    const { transport, http, received } = startStreamable();
    const rest = JSON.stringify(answerTo(1, { text: "" })).length;
    const longest = answerTo(1, { text: "x".repeat(16_777_216 - rest) });
    const sent = transport.send(modern(1, "tools/list"));
    (await http.next()).json(longest);
    await sent;
    expect(received).toHaveLength(1);

    const refused = transport.send(modern(1, "tools/list"));
    (await http.next()).json(answerTo(1, { text: "x".repeat(16_777_217 - rest) }));
    await expect(refused).rejects.toMatchObject({ code: "too-large" });
  });

  it("when it holds more than the limits allow, and an event that does is left out", async () => {
    const { transport, http, received, errors } = startStreamable({ maxJsonNodes: 12, maxJsonDepth: 3 });
    for (const [id, result] of [{ many: ["a", "b", "c", "d"] }, { a: { b: {} } }].entries()) {
      const sent = transport.send(modern(id, "tools/list"));
      (await http.next()).json(answerTo(id, result));
      const message = expect.stringMatching(/12 arrays, objects|3 levels/);
      await expect(sent).rejects.toMatchObject({ code: "invalid-message", message });
    }
    const sent = transport.send(modern(2, "tools/list"));
    const stream = (await http.next()).stream();
    stream.event(notification("notifications/message", { data: ["a", "b", "c", "d"] }));
    stream.event(answerTo(2));
    await sent;
    expect(received).toEqual([answerTo(2)]);
    expect(errors).toMatchObject([{ message: expect.stringContaining("12 arrays, objects") }]);
  });

  it("when a JSON body breaks off", async () => {
    const { transport, http } = startStreamable();
    const sent = transport.send(modern(1, "tools/list"));
    const stream = (await http.next()).stream(JSON_TYPE);
    stream.write('{"jsonrpc"');
    stream.fail(new Error("reset"));
    await expect(sent).rejects.toMatchObject({
      code: "stream-ended",
      message: `${NAME}: the response broke off: reset`,
    });
  });

  it("with what can be read of a refusal that breaks off", async () => {
    const { transport, http } = startStreamable();
    const sent = transport.send(modern(1, "tools/list"));
    const stream = (await http.next()).stream({ "content-type": "text/html" });
    stream.write("<html");
    await settle();
    stream.fail(new Error("reset"));
    await expect(sent).rejects.toMatchObject({ code: "invalid-message", message: expect.stringContaining('"<html"') });
  });

  it("if it cannot be serialized", async () => {
    const { transport, http } = startStreamable();
    await expect(transport.send(modern(1, "x", { big: 1n }))).rejects.toMatchObject({ code: "invalid-argument" });
    expect(http.calls).toEqual([]);
  });

  it("as session-expired on 404 in a session, and only there", async () => {
    const setUp = startStreamable();
    const { transport, http } = setUp;
    await openQuietSession(setUp);
    const sent = transport.send(legacy(2, "tools/list"));
    (await http.next()).json(
      { jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } },
      {},
      404,
    );
    await expect(sent).rejects.toMatchObject({ code: "session-expired", status: 404 });
    const note = transport.send(notification("notifications/custom"));
    (await http.next()).respond(404);
    await expect(note).rejects.toMatchObject({ code: "session-expired" });
    const inModern = transport.send(modern(3, "no/such"));
    (await http.next()).json({ jsonrpc: "2.0", id: 3, error: { code: -32601, message: "Method not found" } }, {}, 404);
    await inModern;
  });
});

describe("what needs no answer", () => {
  it.each([notification("notifications/custom"), answerTo("q"), [answerTo("q"), answerTo("r")]])(
    "is sent once it is accepted: %j",
    async (message) => {
      const { transport, http, received } = startStreamable();
      for (const status of [202, 200, 204]) {
        const sent = transport.send(message);
        (await http.next()).respond(status);
        await sent;
      }
      expect(received).toEqual([]);
    },
  );

  it("rejects if it is refused", async () => {
    const { transport, http, received } = startStreamable();
    const refused = transport.send(notification("notifications/custom"));
    (await http.next()).json({ jsonrpc: "2.0", error: { code: -32600, message: "not now" } }, {}, 400);
    await expect(refused).rejects.toMatchObject({
      code: "http-error",
      status: 400,
      message: `${NAME} was answered with status 400 and said "not now"`,
      cause: { code: -32600 },
    });
    expect(received).toEqual([]);
  });
});

describe("a redirect on the same origin", () => {
  it("is followed with method and body, a few times", async () => {
    const { transport, http, received } = startStreamable();
    const sent = transport.send(modern(1, "tools/list"));
    (await http.next()).respond(307, { location: "/mcp/" });
    const call = await http.next();
    expect(call.url.href).toBe("http://mcp.example/mcp/");
    expect(call.init).toMatchObject({ method: "POST", headers: { "mcp-method": "tools/list" } });
    call.result();
    await sent;
    expect(received).toHaveLength(1);
  });

  it.each([
    ["in circles", 308, "/mcp", 6],
    ["with a method that may change", 302, "/mcp/", 1],
    ["without a target", 307, undefined, 1],
    ["to nonsense", 307, "http://[", 1],
  ])("is not followed %s", async (_how, status, location, calls) => {
    const { transport, http } = startStreamable();
    const sent = transport.send(modern(1, "tools/list"));
    for (let call = 0; call < calls; call++)
      (await http.next()).respond(status, location === undefined ? {} : { location });
    await expect(sent).rejects.toMatchObject({ code: "http-error", status });
    expect(http.calls).toHaveLength(calls);
  });
});
