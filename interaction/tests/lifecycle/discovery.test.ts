import { McpServer } from "parley-mcp/server";
import { REVISIONS } from "parley-requirements";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

verifies(
  "lifecycle:discover:basic",
  "discovery tells revisions, capabilities and identity, and nothing it was not asked for",
  async ({ connect, wire }) => {
    const revisions = ["2025-06-18", "2026-07-28", "2024-11-05"] as const;
    const server = new McpServer({ name: "greeter", version: "1.2.3", revisions });
    server.tool("greet", {}, () => "hello");
    await connect(server);

    expect(wire.from("server")).toEqual([
      {
        jsonrpc: "2.0",
        id: expect.anything(),
        result: {
          resultType: "complete",
          supportedVersions: ["2026-07-28", "2025-06-18", "2024-11-05"],
          capabilities: { tools: { listChanged: true } },
          ttlMs: 0,
          cacheScope: "private",
          _meta: { "io.modelcontextprotocol/serverInfo": { name: "greeter", version: "1.2.3" } },
        },
      },
    ]);
  },
);

verifies(
  "lifecycle:discover:instructions",
  "instructions in discovery arrive word for word, and none arrive from a server without",
  async ({ connect }) => {
    const instructions = "Greet first.\nAsk later. ☕";
    const talkative = await connect(new McpServer({ name: "talkative", version: "1.0.0", instructions }));
    const silent = await connect(new McpServer({ name: "silent", version: "1.0.0" }));

    expect(talkative.instructions).toBe(instructions);
    expect(silent.instructions).toBeUndefined();
  },
);

verifies(
  "lifecycle:discover:server-identity",
  "the client shows the identity that came in the _meta of the discovery result",
  async ({ connect, wire }) => {
    const identity = {
      name: "greeter",
      version: "1.2.3",
      title: "The Greeter",
      description: "Greets whoever asks",
      websiteUrl: "https://greeter.example",
      icons: [{ src: "https://greeter.example/icon.png", mimeType: "image/png", sizes: ["48x48"] }],
    };
    const client = await connect(new McpServer(identity));

    expect(client.serverInfo).toEqual(identity);
    expect(wire.from("server")).toMatchObject([
      { result: { _meta: { "io.modelcontextprotocol/serverInfo": identity } } },
    ]);
  },
);

verifies(
  "lifecycle:discover:probe-first",
  "a client with no pin asks server/discover, and a call is the next thing it sends",
  async ({ connect, revision, wire }) => {
    const server = new McpServer({ name: "greeter", version: "1.0.0" });
    server.tool("greet", {}, () => "hello");
    const client = await connect(server, { revisions: undefined });
    await client.callTool("greet");

    expect(client.revision).toBe(revision);
    expect(wire.methods("client")).toEqual(["server/discover", "tools/call"]);
  },
);

verifies(
  "lifecycle:discover:retry-on-32022",
  "a refused probe is followed by the newest revision that both sides have",
  async ({ playServer, revision }) => {
    const { peer, connect } = playServer();
    const connecting = connect({ revisions: REVISIONS });
    const probe = await peer.receive();
    const supported = ["2099-01-01", ...REVISIONS.filter((each) => each <= revision)];
    await peer.respondError(probe, -32022, "Unsupported protocol version", { requested: "2026-07-28", supported });

    const next = await peer.receive();
    expect(probe).toMatchObject({ method: "server/discover" });
    expect(next).toMatchObject({ method: "initialize", params: { protocolVersion: revision } });

    const serverInfo = { name: "picky", version: "1.0.0" };
    await peer.respond(next, { protocolVersion: revision, capabilities: {}, serverInfo });
    expect((await connecting).revision).toBe(revision);
  },
);

verifies(
  "lifecycle:discover:no-fallback-on-modern-error",
  "a probe refused the modern way ends the attempt: no handshake follows, and the connection closes",
  async ({ playServer }) => {
    const unshared = { requested: "2026-07-28", supported: ["2099-01-01"] };
    const refusals = [
      { code: -32020, data: undefined, failure: { name: "ProtocolError", code: -32020 } },
      { code: -32021, data: { requiredCapabilities: { roots: {} } }, failure: { name: "ProtocolError", code: -32021 } },
      { code: -32022, data: unshared, failure: { name: "SdkError", code: "no-shared-revision" } },
      { code: -32022, data: undefined, failure: { name: "SdkError", code: "no-shared-revision" } },
    ];
    for (const { code, data, failure } of refusals) {
      const { peer, connect } = playServer();
      const connecting = connect({ revisions: REVISIONS }).catch((error: unknown) => error);
      await peer.respondError(await peer.receive(), code, "refused", data);

      expect(await connecting).toMatchObject(failure);
      expect(await peer.drain()).toEqual([]);
      expect(peer.isClosed).toBe(true);
    }
  },
);

verifies(
  "lifecycle:discover:fallback-method-not-found",
  "any error that no modern server sends is followed by initialize",
  async ({ playServer, revision }) => {
    const codes = [-32601, -32602, -32600, -32603, -32700, -32000, -32002, -32019, -32023, -32042, 0, 42];
    const serverInfo = { name: "old", version: "1.0.0" };
    for (const code of codes) {
      const { peer, connect } = playServer();
      const connecting = connect({ revisions: [revision, "2026-07-28"] });
      await peer.respondError(await peer.receive(), code, "what?", { supported: ["2026-07-28"] });

      const next = await peer.receive();
      expect(next, `${code}`).toMatchObject({ method: "initialize", params: { protocolVersion: revision } });
      await peer.respond(next, { protocolVersion: revision, capabilities: {}, serverInfo });
      expect((await connecting).revision).toBe(revision);
    }
  },
);

verifies(
  "lifecycle:discover:fallback-odd-result",
  "a result that is no discovery result is followed by initialize",
  async ({ playServer, revision }) => {
    const whole = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} };
    const { supportedVersions: _none, ...withoutVersions } = whole;
    const oddities = [
      {},
      { tools: [] },
      withoutVersions,
      { ...whole, supportedVersions: "2026-07-28" },
      { ...whole, capabilities: undefined },
    ];
    for (const oddity of oddities) {
      const { peer, connect } = playServer();
      const connecting = connect({ revisions: [revision, "2026-07-28"] });
      await peer.respond(await peer.receive(), oddity);

      const next = await peer.receive();
      expect(next, JSON.stringify(oddity)).toMatchObject({ method: "initialize" });
      const serverInfo = { name: "odd", version: "1.0.0" };
      await peer.respond(next, { protocolVersion: revision, capabilities: {}, serverInfo });
      expect((await connecting).revision).toBe(revision);
    }
  },
);

verifies(
  "lifecycle:discover:fallback-silent",
  "an unanswered probe is followed by initialize, and its late answer changes nothing",
  async ({ playServer, revision }) => {
    const { peer, connect } = playServer();
    const reported: Error[] = [];
    const onError = (error: Error) => void reported.push(error);
    const connecting = connect({ revisions: [revision, "2026-07-28"], probeTimeoutMs: 5, onError });
    const probe = await peer.receive();

    const next = await peer.receive();
    expect(next).toMatchObject({ method: "initialize", params: { protocolVersion: revision } });
    await peer.respond(probe, { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} });
    const serverInfo = { name: "slow", version: "1.0.0" };
    await peer.respond(next, { protocolVersion: revision, capabilities: {}, serverInfo });
    const client = await connecting;

    expect(client.revision).toBe(revision);
    expect(reported).toMatchObject([{ name: "SdkError", code: "unexpected-answer" }]);
    expect(await peer.receive()).toMatchObject({ method: "notifications/initialized" });
    const pong = client.ping();
    await peer.respond(await peer.receive(), {});
    await pong;
  },
);

verifies(
  "lifecycle:discover:slow-modern-server",
  "a modern server that was too slow for the probe and refuses the handshake is spoken to in its own revision",
  async ({ playServer, revision }) => {
    const { peer, connect } = playServer();
    // Long enough for the second probe to be answered in time on a busy machine.
    const connecting = connect({ revisions: REVISIONS, probeTimeoutMs: 200, onError: () => undefined });
    const capabilities = { tools: {} };
    const discovery = {
      resultType: "complete",
      supportedVersions: [revision],
      capabilities,
      ttlMs: 0,
      cacheScope: "private",
    };
    const late = await peer.receive();
    const handshake = await peer.receive();
    await peer.respond(late, discovery);
    const refusal = { requested: "2025-11-25", supported: [revision] };
    await peer.respondError(handshake, -32022, "Unsupported protocol version", refusal);

    const again = await peer.receive();
    expect(again).toMatchObject({ method: "server/discover" });
    await peer.respond(again, discovery);
    const client = await connecting;
    expect(client.revision).toBe(revision);
    expect(client.serverCapabilities).toEqual(capabilities);
  },
);

verifies(
  "lifecycle:discover:network-error-raises",
  "a connection that breaks under the probe fails connecting, with no handshake after it",
  async ({ playServer, revision, wire }) => {
    const { peer, connect } = playServer();
    const connecting = connect({ revisions: [revision, "2026-07-28"] }).catch((error: unknown) => error);
    await peer.receive();
    await peer.close();

    // The message tells the probe's own failure from that of a handshake tried after it.
    const message = expect.stringContaining("server/discover");
    expect(await connecting).toMatchObject({ name: "SdkError", code: "connection-closed", message });
    expect(wire.methods("client")).toEqual(["server/discover"]);
  },
);
