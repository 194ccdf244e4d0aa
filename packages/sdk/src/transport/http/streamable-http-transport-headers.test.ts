import { describe, expect, it, vi } from "vitest";
import { StreamableHttpTransport } from "./streamable-http-transport.js";
import {
  answerTo,
  cancelled,
  legacy,
  modern,
  notification,
  openQuietSession,
  openSession,
  startStreamable,
  URL_OF_SERVER,
} from "./transport-set-up.fixture.js";

describe("headers of modern messages", () => {
  it("mirror revision, method and name, and accept both kinds of answer", async () => {
    const { transport, http } = startStreamable();
    const sent = transport.send(modern(1, "tools/call", { name: "add" }));
    const call = await http.next();
    expect(call.url.href).toBe(URL_OF_SERVER);
    expect(call.init.headers).toEqual({
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "add",
    });
    expect(call.message).toEqual(modern(1, "tools/call", { name: "add" }));
    call.result();
    await sent;
  });

  it.each([
    ["resources/read", { uri: "file:///a b" }, "file:///a b"],
    ["prompts/get", { name: "世界" }, "=?base64?5LiW55WM?="],
    ["tools/call", { name: 7 }, undefined],
    ["tools/list", { name: "x" }, undefined],
  ])("take the name of %s from %o", async (method, params, expected) => {
    const { transport, http } = startStreamable();
    void transport.send(modern(1, method, params)).catch(() => undefined);
    expect((await http.next()).header("mcp-name")).toBe(expected);
    await transport.close();
  });

  it("carry what the sender of one message adds, below the protocol's and above the connection's", async () => {
    const { transport, http } = startStreamable({ headers: { "X-Trace": "all", "Mcp-Method": "x", Accept: "*/*" } });
    const sent = transport.send(modern(1, "tools/list"), {
      headers: { "x-trace": "one", "Mcp-Param-Region": "eu", "MCP-Protocol-Version": "1" },
    });
    const call = await http.next();
    expect(call.init.headers).toMatchObject({
      "x-trace": "one",
      "mcp-param-region": "eu",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/list",
      accept: "application/json, text/event-stream",
    });
    call.result();
    await sent;
  });

  it("leave the session out, even if a server hands one out", async () => {
    const { transport, http } = startStreamable();
    const first = transport.send(modern(1, "tools/list"));
    (await http.next()).result({}, { "mcp-session-id": "s-1" });
    await first;
    const second = transport.send(modern(2, "tools/list"));
    const call = await http.next();
    expect(call.header("mcp-session-id")).toBeUndefined();
    call.result();
    await second;
    await transport.close();
    expect(http.log).toEqual(["POST tools/list", "POST tools/list"]);
  });

  it("stand on messages that carry no envelope, too", async () => {
    const { transport, http } = startStreamable();
    const first = transport.send(modern(1, "tools/list"));
    (await http.next()).result();
    await first;
    const note = transport.send(notification("notifications/custom"));
    const call = await http.next();
    expect(call.init.headers).toMatchObject({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "notifications/custom",
    });
    call.accept();
    await note;
    const answer = transport.send(answerTo("q"));
    const answered = await http.next();
    expect(answered.header("mcp-protocol-version")).toBe("2026-07-28");
    expect(answered.header("mcp-method")).toBeUndefined();
    answered.accept();
    await answer;
  });
});

describe("headers of legacy messages", () => {
  it("name the revision that the server chose and the session, from the handshake's result on", async () => {
    const setUp = startStreamable();
    const { transport, http } = setUp;
    await openSession(setUp, { revision: "2025-06-18" });
    const [initialize, initialized] = http.calls;
    expect(initialize?.header("mcp-protocol-version")).toBeUndefined();
    expect(initialize?.header("mcp-session-id")).toBeUndefined();
    const expected = { "mcp-protocol-version": "2025-06-18", "mcp-session-id": "s-1" };
    expect(initialized?.init.headers).toMatchObject(expected);
    const stream = await http.next();
    expect(stream.init).toMatchObject({ method: "GET", headers: { ...expected, accept: "text/event-stream" } });
    stream.respond(405);
    void transport.send(legacy(2, "tools/call", { name: "add" })).catch(() => undefined);
    const called = await http.next();
    expect(called.init.headers).toMatchObject(expected);
    expect(called.header("mcp-method")).toBeUndefined();
    const closing = transport.close();
    const deleted = await http.next();
    expect(deleted.init).toMatchObject({ method: "DELETE", headers: expected });
    deleted.respond(200);
    await closing;
  });

  it("do not inherit the revision of a probe, nor do they take one that does not exist", async () => {
    const { transport, http } = startStreamable();
    void transport.send(modern(1, "server/discover")).catch(() => undefined);
    const initialized = transport.send(legacy(2, "initialize", { protocolVersion: "2025-11-25" }));
    await http.next();
    const call = await http.next();
    expect(call.header("mcp-protocol-version")).toBeUndefined();
    expect(call.header("mcp-method")).toBeUndefined();
    call.result({ protocolVersion: "2019-01-01\r\nx: y" });
    await initialized;
    const note = transport.send(notification("notifications/custom"));
    const sent = await http.next();
    expect(sent.header("mcp-protocol-version")).toBeUndefined();
    sent.accept();
    await note;
    await transport.close();
  });

  it("start afresh with another handshake, which ends the stream of the first", async () => {
    const setUp = startStreamable();
    const { transport, http } = setUp;
    await openSession(setUp);
    const stream = await http.next();
    stream.stream();
    const again = transport.send(legacy(2, "initialize"));
    expect(stream.isAborted).toBe(true);
    const call = await http.next();
    expect(call.init.headers).not.toHaveProperty("mcp-session-id");
    expect(call.init.headers).not.toHaveProperty("mcp-protocol-version");
    call.result({ protocolVersion: "2025-03-26" }, { "mcp-session-id": "s-2" });
    await again;
    const listed = transport.send(legacy(3, "tools/list"));
    const next = await http.next();
    expect(next.init.headers).toMatchObject({ "mcp-protocol-version": "2025-03-26", "mcp-session-id": "s-2" });
    next.result();
    await listed;
  });

  it("keep to the session a request was sent in when it is cancelled", async () => {
    const setUp = startStreamable();
    const { transport, http } = setUp;
    await openQuietSession(setUp);
    const request = transport.send(legacy(2, "tools/list"));
    await http.next();
    void transport.send(legacy(3, "initialize")).catch(() => undefined);
    await http.next();
    const cancel = transport.send(cancelled(2));
    const frame = await http.next();
    expect(frame.init.headers).toMatchObject({ "mcp-session-id": "s-1" });
    frame.accept();
    await Promise.all([cancel, request]);
  });

  it("learn nothing from what is no answer to the handshake", async () => {
    const { transport, http } = startStreamable();
    const sent = transport.send(legacy(1, "initialize"));
    (await http.next()).json([1]);
    await expect(sent).rejects.toMatchObject({ code: "stream-ended" });
  });

  it("refuse a session id that no header can carry", async () => {
    const { transport, http } = startStreamable();
    const sent = transport.send(legacy(1, "initialize"));
    (await http.next()).result({}, { "mcp-session-id": "two words" });
    await expect(sent).rejects.toMatchObject({ code: "invalid-message" });
  });
});

describe("the connection's own headers", () => {
  it("go on every verb, asked for anew each time", async () => {
    let count = 0;
    const setUp = startStreamable({ headers: async () => ({ Authorization: `Bearer ${++count}` }) });
    const { transport, http } = setUp;
    await openQuietSession(setUp);
    const closing = transport.close();
    (await http.next()).respond(204);
    await closing;
    expect(http.calls.map((call) => [call.init.method, call.header("authorization")])).toEqual([
      ["POST", "Bearer 1"],
      ["POST", "Bearer 2"],
      ["GET", "Bearer 3"],
      ["DELETE", "Bearer 4"],
    ]);
  });

  it("reject the message if they cannot be had", async () => {
    const cause = new Error("no token");
    const { transport } = startStreamable({ headers: () => Promise.reject(cause) });
    await expect(transport.send(modern(1, "tools/list"))).rejects.toMatchObject({
      code: "connection-closed",
      message: "POST http://mcp.example/mcp failed: no token",
      cause,
    });
  });
});

describe("the URL", () => {
  it.each([
    ["nonsense", /Not a URL/],
    ["ftp://mcp.example/", /not by ftp:/],
    ["http://user@mcp.example/", /headers/],
    ["http://:secret@mcp.example/", /headers/],
  ])("%s is refused", (url, message) => {
    expect(() => new StreamableHttpTransport(url)).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringMatching(message) }),
    );
  });

  it("is called with the platform's fetch where none is given, as a plain function", async () => {
    const fetch = vi.fn(
      async () => new Response(JSON.stringify(answerTo(1)), { headers: { "content-type": "application/json" } }),
    );
    vi.stubGlobal("fetch", fetch);
    try {
      const transport = new StreamableHttpTransport(new URL(URL_OF_SERVER));
      await transport.send(modern(1, "tools/list"));
      expect(fetch).toHaveBeenCalledTimes(1);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
