import { Client } from "parley-mcp/client";
import { serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { connectLegacy, connectTo, RawHttpServer, shakeHands } from "../../src/http/raw-http-server.js";
import { verifies } from "../../src/verifies.js";

verifies(
  ["client-transport:http:session-stored", "client-transport:http:protocol-version-header"],
  "every request after the handshake names the session and the revision that the server chose, whatever was pinned",
  async () => {
    for (const negotiated of ["2025-06-18", "2025-03-26"] as const) {
      await using server = await RawHttpServer.start(["GET", "DELETE"]);
      const { client } = await connectLegacy(server, { negotiated });
      (await server.next()).respond(405);
      const pinged = client.ping();
      (await server.next()).result({});
      await pinged;
      const closing = client.close();
      (await server.next()).respond(200);
      await closing;

      const seen = server.calls.map((call) => [call.header("mcp-session-id"), call.header("mcp-protocol-version")]);
      const expected = ["session-1", negotiated];
      expect(seen).toEqual([[undefined, undefined], expected, expected, expected, expected]);
      expect(server.log.at(-1)).toBe("DELETE");
    }
  },
);

verifies(
  "client-transport:http:probe-does-not-leak",
  "the revision of the probe is not on the handshake that follows it",
  async () => {
    await using server = await RawHttpServer.start();
    const connecting = connectTo(server, {});
    const probe = await server.next();
    expect([probe.message?.method, probe.header("mcp-protocol-version")]).toEqual(["server/discover", "2026-07-28"]);
    probe.json({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "Bad Request: not initialized" } }, 400);
    await shakeHands(server, "2025-11-25", "s-1");
    const { client } = await connecting;

    const initialize = server.calls[1];
    expect(initialize?.message?.method).toBe("initialize");
    expect(initialize?.header("mcp-protocol-version")).toBeUndefined();
    expect(initialize?.header("mcp-method")).toBeUndefined();
    await client.close();
  },
);

verifies(
  ["client-transport:http:session-404-reinitialize", "client-transport:http:404-surfaces"],
  "a session that is gone is replaced by a new one and the call made again; a second loss reaches the caller",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectLegacy(server);
    const renewed = client.ping();
    (await server.next()).respond(404);
    await shakeHands(server, "2025-11-25", "session-2");
    const again = await server.next();
    again.result({});
    await renewed;
    expect(again.header("mcp-session-id")).toBe("session-2");
    const initialize = server.calls.filter(({ message }) => message?.method === "initialize")[1];
    expect(initialize?.header("mcp-session-id")).toBeUndefined();
    const lost = client.ping();
    (await server.next()).respond(404);
    await shakeHands(server, "2025-11-25", "session-3");
    (await server.next()).respond(404);

    await expect(lost).rejects.toMatchObject({ code: "session-expired", status: 404 });
    await client.close();
  },
);

verifies(
  "client-transport:http:session-renewal-subscriptions",
  "a subscription goes on in a new session, whether a call or the stream itself finds the old one gone",
  async () => {
    const server = new McpServer({ name: "clock", version: "1.0.0" });
    server.tool("now", {}, () => "12:00");
    server.resource("clock://face", { name: "face" }, () => "12:00");
    const sessions: string[] = [];
    const onSessionOpened = ({ id }: { id: string }) => void sessions.push(id);
    await using host = await hostHttp(server, { legacy: { onSessionOpened } });
    await using client = await Client.connect(
      { url: host.url, streams: { wait: async () => {} } },
      { name: "c", version: "1.0.0", revision: "2025-11-25", reconnect: { initialDelayMs: 0 } },
    );
    const changes = (await client.listen({ tools: true, resource: ["clock://face"] }))[Symbol.asyncIterator]();
    for (const act of [() => client.callTool("now"), () => undefined]) {
      await host.client().delete({ "mcp-session-id": sessions.at(-1) ?? "" });
      await act();

      expect(await changes.next()).toEqual({ done: false, value: { kind: "restored" } });
      server.announce.resourceUpdated("clock://face");
      expect(await changes.next()).toEqual({ done: false, value: { kind: "resource", uri: "clock://face" } });
      server.announce.toolsChanged();
      expect(await changes.next()).toEqual({ done: false, value: { kind: "tools" } });
    }
    expect(new Set(sessions).size).toBe(3);
  },
);

verifies(
  "client-transport:http:close-ends-subscriptions",
  "the loop of a subscription ends when the client is closed right after its server is back, and after a call to it",
  async () => {
    const serve = (port: number) => {
      const server = new McpServer({ name: "clock", version: "1.0.0" });
      server.tool("now", {}, () => "12:00");
      server.resource("clock://face", { name: "face" }, () => "12:00");
      return serveHttp(server, { port });
    };
    const acts = [() => undefined, (client: Client) => client.callTool("now")];
    const revisions = ["2025-11-25", "2026-07-28"] as const;
    for (const [revision, act] of revisions.flatMap((each) => acts.map((act) => [each, act] as const))) {
      const lost = await serve(0);
      const client = await Client.connect(lost.url, {
        name: "c",
        version: "1.0.0",
        revisions: [revision],
        onError: () => {},
      });
      const changes = await client.listen({ tools: true, resource: ["clock://face"] });
      await lost.close();
      await using _host = await serve(lost.port);
      await act(client);
      await client.close();

      const kinds: string[] = [];
      for await (const { kind } of changes) kinds.push(kind);
      expect(kinds.filter((kind) => kind !== "restored")).toEqual([]);
    }
  },
);

verifies(
  "client-transport:http:session-lost-midway",
  "a call whose stream had begun rejects when its session is gone, and the next one opens another",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    const http = { streams: { wait: async () => {} } };
    const { client } = await connectLegacy(server, { http, client: { reconnect: false } });
    (await server.next()).respond(405);
    const lost = client.callTool("once");
    const call = await server.next();
    call.stream();
    call.write("id: 1\ndata:\n\n");
    call.end();
    (await server.next()).respond(404);
    await expect(lost).rejects.toMatchObject({ code: "stream-ended", cause: { code: "session-expired" } });
    const pinged = client.ping();
    (await server.next()).respond(404);
    await shakeHands(server, "2025-11-25", "session-2");
    const stream = await server.next();
    (await server.next()).result({});
    await pinged;

    expect([stream.verb, server.log.filter((entry) => entry === "POST tools/call").length]).toEqual(["GET", 1]);
    stream.respond(405);
    await client.close();
  },
);

verifies(
  ["client-transport:http:sse-405-tolerated", "client-transport:http:terminate-405-ok"],
  "a server without a standalone stream, which ends sessions itself, is no reason to complain",
  async () => {
    await using server = await RawHttpServer.start();
    const { client, errors } = await connectLegacy(server);
    const pinged = client.ping();
    (await server.next()).result({});
    await pinged;
    await client.close();

    expect(server.log).toContain("GET");
    expect(server.log.at(-1)).toBe("DELETE");
    expect(errors).toEqual([]);
  },
);

verifies(
  "client-transport:http:session-deleted",
  "closing sends DELETE with the session's id, once, and nothing after it",
  async () => {
    await using server = await RawHttpServer.start(["DELETE"]);
    const { client } = await connectLegacy(server);
    const closing = client.close();
    const ending = await server.next();
    ending.respond(200);
    await closing;
    await client.close();

    expect(ending.header("mcp-session-id")).toEqual(expect.any(String));
    expect(server.log.filter((call) => call === "DELETE")).toHaveLength(1);
    expect(server.log.at(-1)).toBe("DELETE");
  },
);

verifies(
  "client-transport:http:close-is-bounded",
  "closing does not wait for ever for a server to end the session, and reports that it did not",
  async () => {
    await using server = await RawHttpServer.start(["DELETE"]);
    const { client, errors } = await connectLegacy(server, { http: { closeTimeoutMs: 50 } });
    await client.close();

    expect(errors).toMatchObject([{ code: "request-timeout" }]);
  },
);

verifies(
  "client-transport:http:cancel-posts-frame",
  "a legacy call that is given up posts exactly one cancellation, and its stream is not resumed",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    const { client } = await connectLegacy(server);
    (await server.next()).respond(405);
    const controller = new AbortController();
    const called = client.callTool("slow", {}, { signal: controller.signal });
    const call = await server.next();
    call.stream();
    call.write("id: 1\ndata:\n\n");
    controller.abort();
    await expect(called).rejects.toMatchObject({ code: "request-aborted" });
    const frame = await server.next();
    frame.accept();
    await call.closed;
    const pinged = client.ping();
    (await server.next()).result({});
    await pinged;

    expect(frame.message).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: call.message?.id },
    });
    expect(server.log.slice(3)).toEqual(["POST tools/call", "POST notifications/cancelled", "POST ping"]);
    await client.close();
  },
);

verifies(
  "client-transport:http:cancel-closes-stream",
  "a modern call that is given up closes its own response, and nothing is posted",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectTo(server, { client: { revision: "2026-07-28" } });
    const controller = new AbortController();
    const given = client.callTool("slow", {}, { signal: controller.signal });
    const kept = client.callTool("quick");
    const calls = [await server.next(), await server.next()];
    const slow = calls.find(({ message }) => message?.params?.name === "slow");
    const quick = calls.find(({ message }) => message?.params?.name === "quick");
    slow?.stream();
    controller.abort();
    await expect(given).rejects.toMatchObject({ code: "request-aborted" });
    await slow?.closed;
    quick?.result({ resultType: "complete", content: [] });
    await kept;

    expect(server.log).toEqual(["POST tools/call", "POST tools/call"]);
    await client.close();
  },
);

verifies(
  ["client-transport:http:cancel-before-start", "client-transport:http:cancel-spares-successor"],
  "a call can be given up before its request has begun, and another that takes its id is its own",
  async () => {
    await using server = await RawHttpServer.start();
    const token = deferred<Record<string, string>>();
    const headers = () => token.promise;
    const { client } = await connectTo(server, { http: { headers }, client: { revision: "2026-07-28" } });
    const controller = new AbortController();
    const first = client.callTool("first", {}, { id: "same", signal: controller.signal });
    controller.abort();
    await expect(first).rejects.toMatchObject({ code: "request-aborted" });
    const successor = new AbortController();
    const second = client.callTool("second", {}, { id: "same", signal: successor.signal });
    token.resolve({});
    const call = await server.next();
    successor.abort();
    await expect(second).rejects.toMatchObject({ code: "request-aborted" });
    await call.closed;
    const third = client.callTool("third", {}, { id: "same" });
    (await server.next()).result({ resultType: "complete", content: [{ type: "text", text: "third" }] });

    expect((await third).content).toEqual([{ type: "text", text: "third" }]);
    expect(server.calls.map(({ message }) => message?.params?.name)).toEqual(["second", "third"]);
    await client.close();
  },
);
