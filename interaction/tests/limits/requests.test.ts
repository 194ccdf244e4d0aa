import { connect as connectSocket } from "node:net";
import { Client } from "parley-mcp/client";
import { InMemorySessionStore, type SessionRecord, SocketTransport, serveSocket } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { expect, vi } from "vitest";
import { deferred } from "../../src/deferred.js";
import { callPost, enveloped, exchange, modernPost, post } from "../../src/http/http-posts.js";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { authenticate, MALLORY, POLITE, waiter } from "../../src/http/waiter.js";
import { verifies } from "../../src/verifies.js";

verifies(
  "limits:requests:in-progress",
  "the third request over maxRequests of two is refused, the two are answered, and then another one is served",
  async ({ connect }) => {
    const { server, release, started } = waiter({ maxRequests: 2 });
    const client = await connect(server);
    const running = [client.callTool("wait"), client.callTool("wait")];
    await started(2);

    await expect(client.callTool("wait")).rejects.toMatchObject({
      name: "ProtocolError",
      code: 429,
      data: { limit: "server", retryAfterMs: 1_000 },
    });
    release.resolve();

    expect((await Promise.all(running)).map(({ content }) => content)).toHaveLength(2);
    expect((await client.callTool("wait")).content).toEqual([{ type: "text", text: "done" }]);
  },
);

verifies(
  "limits:requests:cancelled",
  "a cancelled call whose handler goes on keeps its place until the handler ends",
  async ({ connect }) => {
    const { server, release, started } = waiter({ maxRequests: 1 });
    const client = await connect(server);
    const abort = new AbortController();
    const call = client.callTool("wait", {}, { signal: abort.signal });
    call.catch(() => undefined);
    await started(1);
    abort.abort();
    await expect(call).rejects.toThrow();

    await expect(client.callTool("greet")).rejects.toMatchObject({ code: 429 });
    release.resolve();
    await vi.waitFor(async () => expect((await client.callTool("greet")).content).toHaveLength(1));
  },
);

verifies(
  "limits:requests:http-status",
  "a principal at its limit gets 429, everybody gets 503 where the server is, and each is told when to come back",
  async () => {
    const { server, release, started } = waiter({ maxRequestsPerPrincipal: 1, maxRequests: 2 });
    await using host = await hostHttp(server, { authenticate, legacy: {} });
    const mallory = await host.client({ headers: MALLORY }).open();
    const polite = await host.client({ headers: POLITE }).open();
    const first = mallory.request(1, "tools/call", { name: "wait" });
    await started(1);

    const error = (limit: string) => ({ code: 429, data: { limit, retryAfterMs: 1_000 } });
    const legacy = await mallory.request(2, "tools/call", { name: "wait" });
    expect([legacy.status, legacy.header("retry-after"), await legacy.json()]).toMatchObject([
      429,
      "1",
      { id: 2, error: error("principal") },
    ]);
    const modern = await exchange(host.url, callPost("wait", {}, MALLORY));
    expect([modern.status, modern.headers.get("retry-after"), modern.json]).toMatchObject([
      429,
      "1",
      { id: 1, error: error("principal") },
    ]);

    const second = fetch(host.url, callPost("wait", {}, POLITE));
    await started(2);
    const full = await exchange(host.url, callPost("wait", {}, { "x-user": "third" }));
    expect([full.status, full.headers.get("retry-after"), full.json]).toMatchObject([
      503,
      "1",
      { error: error("server") },
    ]);
    const fullLegacy = await polite.request(3, "tools/list");
    expect([fullLegacy.status, await fullLegacy.json()]).toMatchObject([429, { error: error("principal") }]);
    release.resolve();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
  },
);

verifies("limits:requests:pipelined", "the third call on one connection is 429 while two are in progress", async () => {
  const { server, release, started, state } = waiter({ maxRequestsPerConnection: 2 });
  const onRefusal = vi.fn();
  await using host = await hostHttp(server, { onRefusal });
  const { hostname, port } = new URL(host.url);
  const socket = connectSocket(Number(port), hostname);
  let received = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    received += text;
  });
  const { headers, body } = callPost("wait");
  const head = Object.entries({ ...headers, host: `${hostname}:${port}`, "content-length": body.length });
  const request = `POST /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;

  socket.write(request.repeat(10));
  await started(2);
  await vi.waitFor(() => expect(onRefusal).toHaveBeenCalledTimes(8));
  release.resolve();

  await vi.waitFor(() => expect(received.match(/HTTP\/1\.1 \d+/g)).toHaveLength(10));
  const statuses = received.match(/HTTP\/1\.1 \d+/g)?.map((line) => line.slice(9));
  expect(statuses).toEqual(["200", "200", ...new Array(8).fill("429")]);
  expect(state.started).toBe(2);
  socket.destroy();
});

verifies(
  "limits:requests:hung-up",
  "calls whose client hangs up fill the session, and then the principal",
  async () => {
    const { server, release, started, state } = waiter({ maxRequestsPerSession: 3, maxRequestsPerPrincipal: 5 });
    await using host = await hostHttp(server, { authenticate });
    const [one, two] = [await host.client({ headers: MALLORY }).open(), await host.client({ headers: MALLORY }).open()];
    const hangUp = async (client: typeof one, id: number) => {
      const before = state.started;
      const abort = new AbortController();
      const headers = { ...MALLORY, "mcp-session-id": String(client.sessionId) };
      const call = post({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "wait" } }, headers);
      const sent = fetch(host.url, { ...call, signal: abort.signal });
      await started(before + 1);
      abort.abort();
      await expect(sent).rejects.toThrow();
    };
    for (const id of [1, 2, 3]) await hangUp(one, id);
    const third = await one.request(4, "tools/call", { name: "wait" });
    expect([third.status, await third.json()]).toMatchObject([429, { error: { data: { limit: "session" } } }]);

    for (const id of [1, 2]) await hangUp(two, id);
    const sixth = await two.request(3, "tools/call", { name: "wait" });
    expect([sixth.status, await sixth.json()]).toMatchObject([429, { error: { data: { limit: "principal" } } }]);
    release.resolve();
  },
);

verifies("limits:requests:principal", "one principal's handlers leave no mark on another's calls", async () => {
  const { server, release, started } = waiter({ maxRequestsPerPrincipal: 2 });
  await using host = await hostHttp(server, { authenticate });
  await using polite = await Client.connect({ url: host.url, headers: POLITE }, { name: "polite", version: "1.0.0" });
  const greedy = [fetch(host.url, callPost("wait", {}, MALLORY)), fetch(host.url, callPost("wait", {}, MALLORY))];
  await started(2);

  expect((await fetch(host.url, callPost("greet", {}, MALLORY))).status).toBe(429);
  expect((await polite.callTool("greet")).content).toEqual([{ type: "text", text: "hello" }]);
  release.resolve();
  expect((await Promise.all(greedy)).map(({ status }) => status)).toEqual([200, 200]);
});

verifies("limits:requests:bytes", "a second large call is refused while the first is in progress", async () => {
  const { server, release, started } = waiter({ maxBytesPerPrincipal: 400_000 });
  await using host = await hostHttp(server, { authenticate });
  const large = callPost("wait", { text: "x".repeat(80_000) }, MALLORY);
  const first = fetch(host.url, large);
  await started(1);

  const second = await exchange(host.url, large);
  expect([second.status, second.json]).toMatchObject([429, { error: { code: 429, data: { limit: "principal" } } }]);
  expect((await fetch(host.url, callPost("greet", {}, MALLORY))).status).toBe(200);
  expect((await fetch(host.url, callPost("greet", { text: "x".repeat(80_000) }, POLITE))).status).toBe(200);
  release.resolve();
  expect((await first).status).toBe(200);
});

verifies(
  "limits:requests:line-bytes",
  "a second long line over maxBytesPerConnection is refused while the first is in progress",
  async () => {
    const { server, release, started } = waiter({ maxBytesPerConnection: 400_000 });
    await using handle = await serveSocket(server, { port: 0 });
    await using client = await Client.connect(new SocketTransport(handle.address), { name: "long", version: "1.0.0" });
    const text = "x".repeat(80_000);
    const first = client.callTool("wait", { text });
    await started(1);

    await expect(client.callTool("wait", { text })).rejects.toMatchObject({ code: 429, data: { limit: "connection" } });
    expect((await client.callTool("greet")).content).toEqual([{ type: "text", text: "hello" }]);
    release.resolve();
    expect((await first).content).toEqual([{ type: "text", text: "done" }]);
  },
);

verifies(
  "limits:client:requests",
  "a server that asks three things at once of a client that works on two has one of them refused",
  async ({ connect }) => {
    const release = deferred();
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const asked = ["a", "b", "c"].map((key) => context.listRoots({ key }));
      const answers = await Promise.allSettled(asked);
      return answers.map((answer) => (answer.status === "rejected" ? answer.reason.code : "answered")).join(" ");
    });
    let waiting = 0;
    const client = await connect(server, {
      maxInboundRequests: 2,
      listRoots: async () => {
        waiting += 1;
        if (waiting === 2) release.resolve();
        await release.promise;
        return [];
      },
    });

    expect((await client.callTool("ask")).content).toEqual([{ type: "text", text: "answered answered 429" }]);
  },
);

verifies(
  "limits:notifications",
  "the third notification over maxRequests of two is refused to a modern client, and reported for a legacy one",
  async () => {
    const errors: Error[] = [];
    const { server, release } = waiter({ maxRequests: 2 }, { onError: (error) => void errors.push(error) });
    let running = 0;
    server.onNotification("acme/work", async () => {
      running += 1;
      await release.promise;
    });
    await using host = await hostHttp(server);
    const legacy = await host.client().open();
    const note = () => modernPost("acme/work", {});
    const modern = (id?: undefined) => {
      const { headers, body } = note();
      return fetch(host.url, { method: "POST", headers, body: JSON.stringify({ ...JSON.parse(body), id }) });
    };
    expect((await modern()).status).toBe(202);
    expect((await legacy.notify("acme/work")).status).toBe(202);
    await vi.waitFor(() => expect(running).toBe(2));

    expect((await modern()).status).toBe(503);
    expect((await legacy.notify("acme/work")).status).toBe(202);
    expect(errors).toMatchObject([{ message: "acme/work was dropped", cause: { code: 429 } }]);
    release.resolve();
    await vi.waitFor(async () => expect((await modern()).status).toBe(202));
  },
);

verifies(
  "limits:bytes:handshake",
  "a client that describes itself at length is told so, and one that does not is served",
  async ({ connect }) => {
    const { server } = waiter({ maxBytesPerSession: 20_000 });
    const icons = [{ src: `data:image/png;base64,${"A".repeat(20_000)}` }];
    const talkative = connect(server, { description: "x".repeat(20_000), icons });
    await expect(talkative).rejects.toMatchObject({
      code: 429,
      message: expect.stringContaining("20000 bytes"),
      data: { limit: "session" },
    });

    const client = await connect(server);
    expect((await client.callTool("greet")).content).toEqual([{ type: "text", text: "hello" }]);
  },
);

verifies(
  "limits:bytes:subscriptions",
  "a long URI is refused, and the subscription before it still hears of changes",
  async ({ connect }) => {
    const { server } = waiter({ maxBytesPerSession: 20_000 });
    const client = await connect(server);
    const subscription = await client.listen({ resource: ["a://b"] });
    await expect(client.listen({ resource: [`a://${"x".repeat(20_000)}`] })).rejects.toMatchObject({
      code: 429,
      data: { limit: "session" },
    });

    server.announce.resourceUpdated("a://b");
    expect(await subscription[Symbol.asyncIterator]().next()).toMatchObject({
      value: { kind: "resource", uri: "a://b" },
    });
  },
);

verifies("limits:bytes:acknowledged", "streams whose filters hold junk leave room for more", async () => {
  const { server } = waiter({ maxBytesPerPrincipal: 100_000, maxBytesPerSession: 20_000 });
  const asked: unknown[] = [];
  server.use(async (call, next) => {
    const result = await next(call.params);
    if (call.method === "subscriptions/listen") asked.push(call.params.notifications);
    return result;
  });
  await using host = await hostHttp(server, { authenticate });
  const listening = (junk: string, meta = {}) =>
    modernPost(
      "subscriptions/listen",
      enveloped({ notifications: { toolsListChanged: true, junk }, more: junk }, meta),
      MALLORY,
    );
  const streams: Response[] = [];
  for (let count = 0; count < 3; count++) streams.push(await fetch(host.url, listening("x".repeat(10_000))));
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);

  const retained = await exchange(host.url, listening("", { "com.example/junk": "x".repeat(20_000) }));
  expect(retained).toMatchObject({ status: 429, json: { error: { data: { limit: "session" } } } });
  await host[Symbol.asyncDispose]();
  await Promise.all(streams.map((stream) => stream.text()));
  expect(asked).toEqual(streams.map(() => ({ toolsListChanged: true })));
});

verifies(
  "limits:bytes:principal",
  "the sessions of one principal hold a bounded number of bytes, which are free again after their end",
  async () => {
    const { server } = waiter({ maxBytesPerSession: 20_000, maxBytesPerPrincipal: 25_000 });
    await using host = await hostHttp(server, { authenticate });
    const opening = (headers: Record<string, string>) =>
      host.client({ headers, capabilities: { experimental: { x: { text: "x".repeat(7_000) } } } });
    const first = await opening(MALLORY).open();
    const refused = await opening(MALLORY).initialize();
    expect([refused.status, refused.header("retry-after"), await refused.json()]).toMatchObject([
      429,
      "1",
      { error: { code: 429, data: { limit: "principal" } } },
    ]);
    expect(refused.header("mcp-session-id")).toBeNull();
    expect((await opening(POLITE).initialize()).status).toBe(200);

    await first.delete();
    expect((await opening(MALLORY).initialize()).status).toBe(200);
  },
);

verifies("limits:shares:sessions", "a principal that opens sessions without end costs others none", async () => {
  const { server } = waiter({});
  await using host = await hostHttp(server, { authenticate, legacy: { maxSessions: 4 } });
  const polite = await host.client({ headers: POLITE }).open();
  for (let count = 0; count < 6; count++) {
    const client = await host.client({ headers: MALLORY }).open();
    if (count < 3) await client.get();
  }
  expect((await polite.request(1, "ping")).status).toBe(200);
  const third = await host.client({ headers: { "x-user": "third" } }).open();
  expect((await third.request(1, "ping")).status).toBe(200);
  expect((await polite.request(2, "ping")).status).toBe(200);
});

verifies(
  "limits:shares:subscriptions",
  "the oldest listen stream of the principal with the most ends with its result at the limit, for one with fewer",
  async () => {
    const { server } = waiter({}, { maxListenStreams: 3 });
    await using host = await hostHttp(server, { authenticate });
    const connectAs = (headers: Record<string, string>) =>
      Client.connect({ url: host.url, headers }, { name: "listener", version: "1.0.0" });
    await using mallory = await connectAs(MALLORY);
    await using polite = await connectAs(POLITE);
    const [oldest] = [
      await mallory.listen({ tools: true }),
      await mallory.listen({ tools: true }),
      await mallory.listen({ tools: true }),
    ];

    const listening = await polite.listen({ tools: true });
    await expect(oldest[Symbol.asyncIterator]().next()).resolves.toMatchObject({ done: true });
    await expect(mallory.listen({ tools: true })).rejects.toMatchObject({ code: 429, data: { limit: "server" } });
    server.announce.toolsChanged();
    expect(await listening[Symbol.asyncIterator]().next()).toMatchObject({ value: { kind: "tools" } });
  },
);

verifies(
  "limits:sse:refused-batches",
  "closing a server after refused batches returns at once, although the grace is an hour",
  async () => {
    const { server } = waiter({});
    const host = await hostHttp(server, { legacy: { sse: true }, shutdownGraceMs: 3_600_000 });
    const client = host.client();
    const stream = await client.send("GET", {}, undefined, new URL("/sse", host.url).href);
    const { data } = (await stream.event()) ?? {};
    const messages = new URL(String(data), host.url).href;
    const batch = Array.from({ length: 50 }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }));
    const sent = await client.send("POST", { "content-type": "application/json" }, batch, messages);
    expect(sent.status).toBe(202);
    expect(await stream.message()).toMatchObject({ error: { code: -32600 } });

    await host.handle.close();
  },
);

/** Forgets a record only when it is let. */
class SlowStore extends InMemorySessionStore {
  readonly release = deferred();

  override async delete(id: string): Promise<void> {
    await this.release.promise;
    return super.delete(id);
  }
}

verifies(
  "limits:session:deleted-is-gone",
  "POSTs to a deleted session are 404 before and after a slow store has forgotten it",
  async () => {
    const { server } = waiter({});
    const sessionStore = new SlowStore();
    await using host = await hostHttp(server, { legacy: { sessionStore } });
    const client = await host.client().open();
    const deleting = client.delete();
    await vi.waitFor(async () => expect((await client.request(1, "ping")).status).toBe(404));
    sessionStore.release.resolve();
    expect((await deleting).status).toBe(204);
    expect((await client.request(2, "ping")).status).toBe(404);
  },
);

verifies("limits:session:store", "the records of others survive a principal that opens sessions", async () => {
  const { server } = waiter({});
  const sessionStore = new InMemorySessionStore({ maxSessions: 3 });
  await using first = await hostHttp(server, { authenticate, legacy: { sessionStore } });
  await using second = await hostHttp(server, { authenticate, legacy: { sessionStore } });
  const polite = await first.client({ headers: POLITE }).open();
  for (let count = 0; count < 6; count++) await first.client({ headers: MALLORY }).open();
  expect(sessionStore.size).toBe(3);
  const moved = second.client({ headers: POLITE });
  moved.sessionId = polite.sessionId;
  expect((await moved.request(1, "ping")).status).toBe(200);
  const record: SessionRecord | undefined = await sessionStore.get(String(polite.sessionId));
  expect(record?.principal).toBe("polite");
});
