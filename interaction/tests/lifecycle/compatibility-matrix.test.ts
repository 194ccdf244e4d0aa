import { McpServer } from "parley-mcp/server";
import { REVISIONS } from "parley-requirements";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const MODERN = ["2026-07-28"] as const;

verifies(
  "lifecycle:matrix:modern-client-modern-server",
  "a modern-only client and a modern-only server hold a conversation",
  async ({ connect, revision }) => {
    const server = new McpServer({ name: "modern", version: "1.0.0", revisions: MODERN });
    server.tool("era", {}, (_args, context) => `${context.era} ${context.revision}`);
    const client = await connect(server, { revisions: MODERN });

    expect(await client.callTool("era")).toMatchObject({ content: [{ text: `modern ${revision}` }] });
    expect([client.era, client.revision]).toEqual(["modern", revision]);
  },
);

verifies(
  "lifecycle:matrix:modern-client-legacy-server",
  "a modern client sends a legacy server its probe and nothing else, and says what would help",
  async ({ connect, connection, revision, wire }) => {
    const server = new McpServer({ name: "old", version: "1.0.0", revisions: [revision] });

    const failure = await connect(server, { revisions: MODERN }).catch((error: unknown) => error);

    const message = expect.stringMatching(/2026-07-28.*legacy revision/);
    expect(failure).toMatchObject({ name: "SdkError", code: "no-shared-revision", message });
    // What the server said to the probe is kept, for whoever has to find out why.
    const isOverHttp = connection.startsWith("http") || connection === "fetch";
    expect(failure).toMatchObject({ cause: { name: "ProtocolError", code: isOverHttp ? -32600 : -32602 } });
    expect(wire.methods("client")).toEqual(["server/discover"]);
  },
);

verifies(
  "lifecycle:matrix:modern-client-silent-server",
  "a modern client gives up on a server that leaves its probe unanswered, and hangs up",
  async ({ playServer }) => {
    const { peer, connect } = playServer();

    const failure = await connect({ revisions: MODERN, probeTimeoutMs: 5 }).catch((error: unknown) => error);

    const cause = { name: "SdkError", code: "request-timeout" };
    const message = expect.stringContaining("did not answer in time");
    expect(failure).toMatchObject({ name: "SdkError", code: "no-shared-revision", message, cause });
    expect(await peer.drain()).toMatchObject([{ method: "server/discover" }]);
    expect(peer.isClosed).toBe(true);
  },
);

verifies(
  "lifecycle:matrix:dual-client-modern-server",
  "a client of both eras is modern with a modern server, without a handshake",
  async ({ connect, revision, wire }) => {
    const server = new McpServer({ name: "modern", version: "1.0.0", revisions: MODERN });
    server.tool("era", {}, (_args, context) => `${context.era} ${context.revision}`);
    const client = await connect(server, { revisions: REVISIONS });

    expect(await client.callTool("era")).toMatchObject({ content: [{ text: `modern ${revision}` }] });
    expect(wire.methods("client")).toEqual(["server/discover", "tools/call"]);
  },
);

verifies(
  "lifecycle:matrix:dual-client-legacy-server",
  "a client of both eras shakes hands with a legacy server, and holds a conversation after it",
  async ({ connect, revision, wire }) => {
    const server = new McpServer({ name: "old", version: "1.0.0", revisions: [revision] });
    server.tool("era", {}, (_args, context) => `${context.era} ${context.revision}`);
    const client = await connect(server, { revisions: REVISIONS });

    expect(await client.callTool("era")).toMatchObject({ content: [{ text: `legacy ${revision}` }] });
    expect([client.era, client.revision]).toEqual(["legacy", revision]);
    expect(wire.methods("client")).toEqual([
      "server/discover",
      "initialize",
      "notifications/initialized",
      "tools/call",
    ]);
  },
);

verifies(
  "lifecycle:matrix:legacy-client-modern-server",
  "a modern server tells a legacy client which revisions it speaks, in words and in data",
  async ({ connect, revision, wire }) => {
    const server = new McpServer({ name: "modern", version: "1.0.0", revisions: MODERN });

    await expect(connect(server, { revisions: [revision] })).rejects.toThrow("2026-07-28");

    expect(wire.methods("client")).toEqual(["initialize"]);
    const data = { requested: revision, supported: ["2026-07-28"] };
    const message = expect.stringContaining("2026-07-28");
    expect(wire.from("server")).toMatchObject([{ error: { code: -32022, message, data } }]);
  },
);

verifies(
  "lifecycle:matrix:legacy-client-dual-server",
  "a server of both eras shakes hands with a legacy client and serves it by that revision",
  async ({ connect, revision, wire }) => {
    const server = new McpServer({ name: "bilingual", version: "1.0.0" });
    server.tool("era", {}, (_args, context) => `${context.era} ${context.revision}`);
    const client = await connect(server, { revisions: [revision] });

    const { content, ...rest } = await client.callTool("era");

    expect(content).toEqual([{ type: "text", text: `legacy ${revision}` }]);
    expect(rest).toEqual({});
    expect(wire.methods("client")).toEqual(["initialize", "notifications/initialized", "tools/call"]);
  },
);

verifies(
  "lifecycle:matrix:legacy-client-legacy-server",
  "a legacy-only client and a legacy-only server hold a conversation",
  async ({ connect, revision, wire }) => {
    const legacy = REVISIONS.filter((each) => each <= revision);
    const server = new McpServer({ name: "old", version: "1.0.0", revisions: legacy });
    server.tool("era", {}, (_args, context) => `${context.era} ${context.revision}`);
    const client = await connect(server, { revisions: legacy });

    expect(await client.callTool("era")).toMatchObject({ content: [{ text: `legacy ${revision}` }] });
    expect(wire.methods("client")).toEqual(["initialize", "notifications/initialized", "tools/call"]);
  },
);

verifies(
  "lifecycle:dual-era:one-instance",
  "two calls from two eras meet in one handler, and each is answered in its own form",
  async ({ connect, revision }) => {
    const bothAreHere = deferred();
    const eras: string[] = [];
    const server = new McpServer({ name: "bilingual", version: "1.0.0" });
    server.handle("acme/meet", async (_params, context) => {
      if (eras.push(context.era) === 2) bothAreHere.resolve();
      await bothAreHere.promise;
      return { revision: context.revision };
    });
    const legacyRevision = revision === "2026-07-28" ? "2025-11-25" : revision;
    const legacy = await connect(server, { revisions: [legacyRevision] });
    const modern = await connect(server, { revisions: MODERN });

    const [first, second] = await Promise.all([legacy.request("acme/meet"), modern.request("acme/meet")]);

    expect(eras).toEqual(["legacy", "modern"]);
    expect(first).toEqual({ revision: legacyRevision });
    expect(second).toEqual({
      resultType: "complete",
      revision: "2026-07-28",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "bilingual", version: "1.0.0" } },
    });
  },
);

verifies(
  "lifecycle:dual-era:interleaved",
  "a request with an envelope is modern in the midst of a legacy session, which stays what it was",
  async ({ openClient, revision }) => {
    const server = new McpServer({ name: "bilingual", version: "1.0.0" });
    server.tool("who", {}, (_args, context) => `${context.clientInfo?.name} at ${context.revision}`);
    const peer = await openClient(server);
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "guest", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };

    const before = await peer.request(1, "tools/call", { name: "who" });
    const guest = await peer.request(2, "tools/call", { name: "who", _meta });
    const discovery = await peer.request(3, "server/discover", { _meta });
    const after = await peer.request(4, "tools/call", { name: "who" });

    const legacy = { content: [{ type: "text", text: `scripted-client at ${revision}` }] };
    expect([before.result, after.result]).toEqual([legacy, legacy]);
    expect(guest.result).toEqual({
      resultType: "complete",
      content: [{ type: "text", text: "guest at 2026-07-28" }],
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "bilingual", version: "1.0.0" } },
    });
    expect(discovery).toMatchObject({
      result: { supportedVersions: expect.arrayContaining(["2026-07-28", revision]) },
    });
  },
);

verifies(
  "lifecycle:dual-era:legacy-meta-unchecked",
  "a session's request is served whatever stands in its _meta, as long as that names no revision",
  async ({ openClient, revision }) => {
    const server = new McpServer({ name: "bilingual", version: "1.0.0" });
    server.tool("who", {}, (_args, context) => `${context.clientInfo?.name} at ${context.revision}`);
    const peer = await openClient(server);
    const metas = [
      {},
      { "acme/trace": null },
      { "io.modelcontextprotocol/clientCapabilities": {} },
      { "io.modelcontextprotocol/clientInfo": 5, "io.modelcontextprotocol/clientCapabilities": "none" },
      { protocolVersion: "2026-07-28" },
    ];
    const result = { content: [{ type: "text", text: `scripted-client at ${revision}` }] };

    expect(await peer.request(1, "tools/call", { name: "who" })).toMatchObject({ result });
    for (const _meta of metas) {
      const answer = await peer.request(2, "tools/call", { name: "who", _meta });
      expect(answer, JSON.stringify(_meta)).toEqual({ jsonrpc: "2.0", id: 2, result });
    }
  },
);
