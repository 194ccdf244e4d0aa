import { describe, expect, it } from "vitest";
import { fetchHttp } from "./fetch-http.js";
import { HttpTransport } from "./http-transport.js";
import {
  answerTo,
  begin,
  legacy,
  modern,
  notification,
  openQuietSession,
  prepare,
  settle,
  URL_OF_SERVER,
} from "./transport-set-up.fixture.js";

function start() {
  const setUp = prepare((options) => new HttpTransport(URL_OF_SERVER, options));
  void begin(setUp);
  return setUp;
}

describe("HttpTransport", () => {
  it("tells the connection's headers, and sends those that it is given back", async () => {
    let count = 0;
    const headers = () => ({ authorization: `Bearer ${++count}` });
    const { transport, http } = prepare(({ fetch = globalThis.fetch, ...options }) => {
      return new HttpTransport(URL_OF_SERVER, { ...options, headers }, fetchHttp(fetch));
    });
    const connectionHeaders = (await transport.connectionHeaders()) ?? {};
    expect(connectionHeaders).toEqual({ authorization: "Bearer 1" });
    const sent = transport.send(modern(1, "tools/list"), { connectionHeaders });
    const call = await http.next();
    expect(call.header("authorization")).toBe("Bearer 1");
    call.result();
    await sent;
  });

  it("says what to write instead of an authorization of another shape", () => {
    const authorization = { clientName: "My program" } as never;
    expect(() => new HttpTransport(URL_OF_SERVER, { authorization })).toThrow("write `authorization: oauth({ … })`");
  });

  it("says why the headers cannot be had, and has none without a source", async () => {
    const failing = new HttpTransport(URL_OF_SERVER, { headers: () => Promise.reject(new Error("no token")) });
    await expect(failing.connectionHeaders()).rejects.toMatchObject({
      code: "connection-closed",
      message: "POST http://mcp.example/mcp failed: no token",
    });
    expect(await new HttpTransport(URL_OF_SERVER).connectionHeaders()).toEqual({});
  });

  it.each(["fetch", "http"])("does not know the headers that a %s of the caller's own sends", async (name) => {
    const own = { [name]: () => Promise.reject(new Error("unused")), headers: { "x-known": "1" } };
    expect(await new HttpTransport(URL_OF_SERVER, own).connectionHeaders()).toBeUndefined();
  });

  it("is Streamable HTTP with a server that speaks it", async () => {
    const setUp = start();
    const { transport, http, received, closings } = setUp;
    await openQuietSession(setUp);
    const sent = transport.send(legacy(2, "ping"));
    (await http.next()).result();
    await sent;
    expect(received).toHaveLength(2);
    const closing = transport.close();
    (await http.next()).respond(200);
    await closing;
    await transport.close();
    expect(closings).toEqual([undefined]);
  });

  it.each([400, 404, 405])("takes to the older transport when the handshake is refused with %i", async (status) => {
    const { transport, http, received, closings } = start();
    const probe = expect(transport.send(modern(0, "server/discover"))).rejects.toMatchObject({
      code: "connection-closed",
    });
    await http.next();
    const opening = transport.send(legacy(1, "initialize"));
    (await http.next()).respond(status, {}, "Cannot POST /mcp");
    const get = await http.next();
    expect(get.init).toMatchObject({ method: "GET", headers: { accept: "text/event-stream" } });
    const stream = get.stream();
    stream.write("event: endpoint\ndata: /messages\n\n");
    const again = await http.next();
    expect(again.url.href).toBe("http://mcp.example/messages");
    expect(again.message).toEqual(legacy(1, "initialize"));
    again.accept();
    await opening;
    await probe;
    stream.event(answerTo(1, { protocolVersion: "2024-11-05" }));
    await settle();
    expect(received).toEqual([answerTo(1, { protocolVersion: "2024-11-05" })]);
    const ready = transport.send(notification("notifications/initialized"));
    const note = await http.next();
    expect(note.url.href).toBe("http://mcp.example/messages");
    note.accept();
    await ready;
    await transport.close();
    expect(closings).toEqual([undefined]);
    expect(http.log).toEqual([
      "POST server/discover",
      "POST initialize",
      "GET",
      "POST initialize",
      "POST notifications/initialized",
    ]);
  });

  it("opens no older stream once it is closed", async () => {
    const { transport, http, closings } = start();
    const opening = transport.send(legacy(1, "initialize"));
    const refused = http.next().then((call) => call.respond(404));
    const failed = expect(opening).rejects.toMatchObject({ code: "http-error", status: 404 });
    await refused;
    await transport.close();
    await failed;
    expect(http.log).toEqual(["POST initialize"]);
    expect(closings).toEqual([undefined]);
  });

  it("closes an older stream that is being opened", async () => {
    const { transport, http, closings } = start();
    const opening = transport.send(legacy(1, "initialize"));
    (await http.next()).respond(404);
    const get = await http.next();
    const failed = expect(opening).rejects.toMatchObject({
      code: "connection-closed",
      message: "The connection is closed",
    });
    await transport.close();
    expect(get.isAborted).toBe(true);
    await failed;
    expect(closings).toEqual([undefined]);
  });

  it("closes an older stream that has not named its endpoint", async () => {
    const { transport, http } = start();
    const opening = transport.send(legacy(1, "initialize"));
    (await http.next()).respond(404);
    const get = await http.next();
    get.stream().write(": hello\n\n");
    await settle();
    const failed = expect(opening).rejects.toMatchObject({ code: "connection-closed" });
    await transport.close();
    expect(get.isAborted).toBe(true);
    await failed;
    expect(http.log).toEqual(["POST initialize", "GET"]);
  });

  it("passes the loss of the older transport on", async () => {
    const { transport, http, closings } = start();
    const opening = transport.send(legacy(1, "initialize"));
    (await http.next()).respond(404);
    const stream = (await http.next()).stream();
    stream.write("event: endpoint\ndata: /messages\n\n");
    (await http.next()).accept();
    await opening;
    stream.end();
    await settle();
    expect(closings).toMatchObject([{ code: "stream-ended" }]);
    await transport.close();
    expect(closings).toHaveLength(1);
  });

  it("rejects with both reasons if there is no older transport either", async () => {
    const { transport, http } = start();
    const opening = transport.send(legacy(1, "initialize"));
    (await http.next()).respond(404);
    (await http.next()).respond(405);
    await expect(opening).rejects.toMatchObject({
      code: "http-error",
      status: 404,
      message: expect.stringMatching(/^POST .* status 404; .*HTTP\+SSE.*: GET .* status 405/),
      cause: { code: "http-error", status: 405 },
    });
  });

  it.each([401, 403])("rejects with the older transport's own %i", async (status) => {
    const { transport, http } = start();
    const opening = transport.send(legacy(1, "initialize"));
    (await http.next()).respond(405);
    (await http.next()).respond(status, { "www-authenticate": "Bearer" });
    await expect(opening).rejects.toMatchObject({ code: "http-error", status, wwwAuthenticate: "Bearer" });
  });

  it.each([
    ["the handshake meets another status", legacy(1, "initialize"), 500],
    ["it was no handshake", modern(1, "server/discover"), 404],
  ])("stays if %s", async (_why, message, status) => {
    const { transport, http } = start();
    const sent = transport.send(message);
    (await http.next()).respond(status);
    await expect(sent).rejects.toMatchObject({ code: "http-error", status });
    expect(http.calls).toHaveLength(1);
  });

  it("takes to it also when a JSON-RPC error beside the 405 says as much", async () => {
    const status = 405;
    const { transport, http, received } = start();
    const opening = transport.send(legacy(1, "initialize"));
    (await http.next()).json({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "not here" } }, {}, status);
    (await http.next()).respond(405);
    await expect(opening).rejects.toMatchObject({ code: "http-error", status });
    expect(received).toEqual([]);
  });

  it.each([
    [400, -32000],
    [400, -32022],
    [404, -32601],
    [404, -32022],
  ])("stays if the handshake is answered with %i and the error %i", async (status, code) => {
    const { transport, http, received } = start();
    const sent = transport.send(legacy(1, "initialize"));
    const error = { code, message: "no" };
    (await http.next()).json({ jsonrpc: "2.0", id: 1, error }, {}, status);
    await sent;
    expect(received).toEqual([{ jsonrpc: "2.0", id: 1, error }]);
    expect(http.calls).toHaveLength(1);
  });
});
