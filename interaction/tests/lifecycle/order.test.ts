import { McpServer, type McpServerOptions, ProtocolError } from "parley-mcp/server";
import { REVISIONS } from "parley-requirements";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

/** A server whose tool waits until it is let go, and says whether it was aborted meanwhile. */
function waiter(limits: McpServerOptions["limits"] = {}) {
  const server = new McpServer({ name: "waiter", version: "1.0.0", limits });
  const [started, release] = [deferred(), deferred()];
  server.tool("wait", {}, async (_args, { signal }) => {
    started.resolve();
    await release.promise;
    return signal.aborted ? "aborted" : "not aborted";
  });
  return { server, started, release };
}

function openingOf(revision: string) {
  return { protocolVersion: revision, capabilities: {}, clientInfo: { name: "other", version: "0.0.0" } };
}

function modernParams(name: string) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return { name, _meta };
}

verifies(
  "lifecycle:initialized-notification",
  "one notifications/initialized goes out between the handshake's answer and the first call",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "greeter", version: "1.0.0" });
    server.tool("greet", {}, () => "hello");
    const client = await connect(server);
    await client.callTool("greet");
    await client.callTool("greet");

    const steps = wire.connections[0]?.entries.map(({ from, message }) =>
      "method" in message ? `${from}: ${message.method}` : `${from}: answer`,
    );
    expect(steps).toEqual([
      "client: initialize",
      "server: answer",
      "client: notifications/initialized",
      "client: tools/call",
      "server: answer",
      "client: tools/call",
      "server: answer",
    ]);
    expect(wire.from("client")[1]).not.toHaveProperty("id");
  },
);

verifies(
  "lifecycle:pre-initialization-ordering",
  "nothing follows initialize until it is answered",
  async ({ playServer, revision }) => {
    const { peer, connect } = playServer();
    const connecting = connect();

    const opening = await peer.receive();
    expect(opening.method).toBe("initialize");
    expect(await peer.drain()).toEqual([]);

    const serverInfo = { name: "slow", version: "1.0.0" };
    await peer.respond(opening, { protocolVersion: revision, capabilities: {}, serverInfo });
    await connecting;
    expect(await peer.drain()).toEqual([{ jsonrpc: "2.0", method: "notifications/initialized" }]);
  },
);

verifies(
  ["lifecycle:pre-initialization-ordering", "lifecycle:server-waits-for-initialized"],
  "a handler may ping the client before notifications/initialized, and ask it nothing else",
  async ({ playClient, revision }) => {
    const refusal = deferred<unknown>();
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.handle("acme/look", async (_params, context) => {
      await context.request("ping");
      refusal.resolve(await context.request("roots/list").catch((error: unknown) => error));
      return {};
    });
    server.handle("acme/look-again", (_params, context) => context.request("roots/list"));
    const peer = await playClient(server);
    const opening = { capabilities: { roots: {} }, clientInfo: { name: "slow", version: "1.0.0" } };
    // Neither of these two makes the client ready: one is too early, one says something else.
    await peer.notify("notifications/initialized");
    await peer.request(1, "initialize", { protocolVersion: revision, ...opening });
    await peer.notify("notifications/roots/list_changed");

    await peer.send({ jsonrpc: "2.0", id: 2, method: "acme/look" });
    const ping = await peer.receive();
    expect(ping).toMatchObject({ method: "ping" });
    await peer.respond(ping, {});
    expect(await peer.receive()).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
    expect(await refusal.promise).toMatchObject({ name: "SdkError", code: "not-initialized" });

    await peer.notify("notifications/initialized");
    await peer.send({ jsonrpc: "2.0", id: 3, method: "acme/look-again" });
    expect(await peer.receive()).toMatchObject({ method: "roots/list" });
  },
);

verifies(
  "lifecycle:requests-before-initialized",
  "a request ahead of the handshake is refused with both ways in, and the handshake is still open to it",
  async ({ playClient, revision }) => {
    const server = new McpServer({ name: "greeter", version: "1.0.0" });
    server.tool("greet", {}, () => {
      throw new Error("served before the handshake");
    });
    const peer = await playClient(server);

    const early = await peer.request(1, "tools/call", { name: "greet" });
    const earlyToo = await peer.request(2, "tools/list", { _meta: { progressToken: 1 } });

    for (const answer of [early, earlyToo]) expect(answer).toMatchObject({ error: { code: -32602 } });
    expect(early).toMatchObject({ error: { message: expect.stringMatching(/initialize.*params\._meta/) } });
    const opening = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "hasty", version: "1.0.0" } };
    expect(await peer.request(3, "initialize", opening)).toMatchObject({ result: { protocolVersion: revision } });
    expect(await peer.request(4, "tools/list")).toMatchObject({ result: { tools: [{ name: "greet" }] } });
  },
);

verifies(
  "lifecycle:initialize:anew",
  "a client after a second initialize is served under its own handshake, and requests of the one before get no answer",
  async ({ openClient, revision }) => {
    const server = new McpServer({ name: "greeter", version: "1.0.0" });
    const [running, aborted] = [deferred(), deferred<unknown>()];
    server.tool("hang", {}, async (_args, { signal }) => {
      signal.addEventListener("abort", () => aborted.resolve(signal.reason));
      running.resolve();
      await aborted.promise;
      return "an answer to the client before";
    });
    server.tool("who", {}, (_args, { clientInfo, revision: spoken }) => `${clientInfo?.name} ${spoken}`);
    const other = REVISIONS.find((one) => one !== revision) ?? revision;
    const opening = { protocolVersion: other, capabilities: {}, clientInfo: { name: "other", version: "0.0.0" } };
    const peer = await openClient(server);
    await peer.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "hang" } });
    await running.promise;

    const opened = await peer.request(1, "initialize", opening);
    const answer = await peer.request(2, "tools/call", { name: "who" });

    expect(await aborted.promise).toMatchObject({ code: "request-aborted" });
    expect(opened).toMatchObject({ id: 1, result: { protocolVersion: other } });
    expect(answer).toMatchObject({ id: 2, result: { content: [{ type: "text", text: `other ${other}` }] } });
  },
);

verifies(
  "lifecycle:initialize:anew:modern-requests",
  "a call that names its own revision is answered after the handshake of another client",
  async ({ openClient, revision }) => {
    const { server, release, started } = waiter();
    const peer = await openClient(server);
    await peer.send({ jsonrpc: "2.0", id: "modern", method: "tools/call", params: modernParams("wait") });
    await started.promise;

    const opened = await peer.request(2, "initialize", openingOf(revision));
    release.resolve();

    expect(opened).toMatchObject({ id: 2, result: { protocolVersion: revision } });
    expect(await peer.receive()).toMatchObject({ id: "modern", result: { content: [{ text: "not aborted" }] } });
  },
);

verifies(
  "lifecycle:initialize:anew:refused",
  "a second initialize at the limit of its connection is refused, and calls in progress and the first handshake go on",
  async ({ openClient, revision }) => {
    const { server, release, started } = waiter({ maxRequestsPerConnection: 2 });
    const peer = await openClient(server);
    await peer.send({ jsonrpc: "2.0", id: "modern", method: "tools/call", params: modernParams("wait") });
    await started.promise;

    await peer.send({ jsonrpc: "2.0", id: "legacy", method: "tools/call", params: { name: "wait" } });
    const atLimit = await peer.request(2, "initialize", openingOf(revision));
    release.resolve();

    expect(atLimit).toMatchObject({ error: { code: 429, data: { limit: "connection" } } });
    expect(await peer.receive()).toMatchObject({ id: "modern", result: { content: [{ text: "not aborted" }] } });
    expect(await peer.receive()).toMatchObject({ id: "legacy", result: { content: [{ text: "not aborted" }] } });
    expect(await peer.request(3, "tools/list")).toMatchObject({ result: { tools: [{ name: "wait" }] } });
  },
);

verifies(
  "lifecycle:initialize:anew:refused",
  "a second initialize under the id of a modern call in progress is refused, and the call and the first handshake go on",
  // The judge takes the answer to the call for that of the initialize with the same id.
  { judge: "no-valid-form" },
  async ({ openClient, revision }) => {
    const { server, release, started } = waiter();
    const peer = await openClient(server);
    await peer.send({ jsonrpc: "2.0", id: "modern", method: "tools/call", params: modernParams("wait") });
    await started.promise;

    const inUse = await peer.request("modern", "initialize", openingOf(revision));
    release.resolve();

    expect(inUse).toMatchObject({ error: { code: -32600 } });
    expect(await peer.receive()).toMatchObject({ id: "modern", result: { content: [{ text: "not aborted" }] } });
    expect(await peer.request(3, "tools/list")).toMatchObject({ result: { tools: [{ name: "wait" }] } });
  },
);

verifies(
  "lifecycle:initialize:refused",
  "a handshake that middleware turns away opens no session, and the next one may",
  async ({ playClient, revision }) => {
    const server = new McpServer({ name: "picky", version: "1.0.0" });
    server.tool("greet", {}, () => "hello");
    server.use(({ context }, next) => {
      if (context?.clientInfo?.name === "stranger") throw new ProtocolError(4000, "I do not know you");
      return next();
    });
    const peer = await playClient(server);
    const opening = { protocolVersion: revision, capabilities: {} };

    const stranger = { ...opening, clientInfo: { name: "stranger", version: "1.0.0" } };
    expect(await peer.request(1, "initialize", stranger)).toMatchObject({ error: { code: 4000 } });
    expect(await peer.request(2, "tools/list")).toMatchObject({ error: { code: -32602 } });
    const friend = { ...opening, clientInfo: { name: "friend", version: "1.0.0" } };
    expect(await peer.request(3, "initialize", friend)).toMatchObject({ result: { protocolVersion: revision } });
    expect(await peer.request(4, "tools/list")).toMatchObject({ result: { tools: [{ name: "greet" }] } });
  },
);

verifies(
  "lifecycle:connect:errors-reported",
  "onError hears of answers that nobody waits for before connecting is over, and the connection serves calls",
  async ({ playServer, revision, era }) => {
    const reported: Error[] = [];
    const { peer, connect } = playServer();
    const connecting = connect({ onError: (error) => void reported.push(error) });
    const opening = await peer.receive();
    await peer.send({ jsonrpc: "2.0", id: "nobody's", result: {} });
    await peer.send({ jsonrpc: "2.0", error: { code: -32700, message: "Parse error" } });
    const known = { capabilities: {}, serverInfo: { name: "noisy", version: "1.0.0" } };
    const modern = { resultType: "complete", supportedVersions: [revision], ttlMs: 0, cacheScope: "private" };
    await peer.respond(opening, { ...known, ...(era === "modern" ? modern : { protocolVersion: revision }) });
    const client = await connecting;

    expect(reported).toMatchObject([
      { name: "SdkError", code: "unexpected-answer" },
      { name: "SdkError", code: "unexpected-answer", cause: { code: -32700 } },
    ]);
    if (era === "legacy") expect(await peer.receive()).toMatchObject({ method: "notifications/initialized" });
    const answer = client.request("acme/ask");
    await peer.respond(await peer.receive(), { ok: true, resultType: "complete" });
    expect(await answer).toMatchObject({ ok: true });
  },
);
