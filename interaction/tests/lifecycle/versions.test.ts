import { McpServer } from "parley-mcp/server";
import { NEWEST_REVISION, REVISIONS, type Revision } from "parley-requirements";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const LEGACY: readonly Revision[] = REVISIONS.filter((revision) => revision !== NEWEST_REVISION);

verifies(
  "lifecycle:version:match",
  "the revision asked for is echoed, and it is the one that client and handler see",
  async ({ connect, revision, wire }) => {
    const server = new McpServer({ name: "polyglot", version: "1.0.0" });
    server.handle("acme/revision", (_params, context) => ({ revision: context.revision }));
    const client = await connect(server);

    expect(wire.from("client")[0]).toMatchObject({ method: "initialize", params: { protocolVersion: revision } });
    expect(wire.from("server")[0]).toMatchObject({ result: { protocolVersion: revision } });
    expect(client.revision).toBe(revision);
    expect(await client.request("acme/revision")).toEqual({ revision });
  },
);

verifies(
  "lifecycle:version:server-fallback-latest",
  "an initialize for a revision that has no handshake here is answered with the newest one that has",
  async ({ playClient, revision }) => {
    const spoken = LEGACY.filter((each) => each <= revision);
    // In no order: the newest is the newest wherever it stands.
    const server = new McpServer({ name: "host", version: "1.0.0", revisions: [...spoken, NEWEST_REVISION].reverse() });
    const unspoken = [
      "1999-12-31",
      "2099-01-01",
      "latest",
      NEWEST_REVISION,
      ...LEGACY.filter((each) => each > revision),
    ];

    for (const protocolVersion of unspoken) {
      const peer = await playClient(server);
      const opening = { protocolVersion, capabilities: {}, clientInfo: { name: "asker", version: "1.0.0" } };
      const answer = await peer.request(1, "initialize", opening);
      expect(answer, protocolVersion).toMatchObject({ result: { protocolVersion: revision } });
    }
  },
);

verifies(
  "lifecycle:version:downgrade",
  "a client that asks for a revision and is answered with an older one runs at the older one",
  async ({ playServer, revision }) => {
    const serverInfo = { name: "old", version: "1.0.0" };
    for (const older of LEGACY.filter((each) => each < revision)) {
      for (const options of [{ revision }, { revisions: [older, revision] }]) {
        const { peer, connect } = playServer();
        const connecting = connect(options);
        const opening = await peer.receive();
        await peer.respond(opening, { protocolVersion: older, capabilities: {}, serverInfo });

        expect(opening).toMatchObject({ method: "initialize", params: { protocolVersion: revision } });
        expect((await connecting).revision).toBe(older);
        expect(await peer.receive()).toMatchObject({ method: "notifications/initialized" });
      }
    }
  },
);

verifies(
  "lifecycle:version:reject-unsupported",
  "a client that is answered with a revision outside its list gives up and hangs up",
  async ({ playServer, revision }) => {
    const serverInfo = { name: "stubborn", version: "1.0.0" };
    const foreign = ["1999-12-31", "2099-01-01", "", NEWEST_REVISION, ...LEGACY.filter((each) => each !== revision)];

    for (const protocolVersion of foreign) {
      const { peer, connect } = playServer();
      const failure = connect().catch((error: unknown) => error);
      await peer.respond(await peer.receive(), { protocolVersion, capabilities: {}, serverInfo });

      expect(await failure, protocolVersion).toMatchObject({ name: "SdkError", code: "no-shared-revision" });
      expect(String(await failure)).toContain(`revision ${protocolVersion}; this client speaks ${revision}`);
      expect(await peer.drain()).toEqual([]);
      expect(peer.isClosed).toBe(true);
    }
  },
);

verifies(
  "lifecycle:version:initialize-asks-legacy",
  "initialize after a probe asks for the newest revision that has a handshake, with nothing modern about it",
  async ({ playServer, revision }) => {
    const { peer, connect } = playServer();
    const revisions = [...LEGACY.filter((each) => each <= revision), NEWEST_REVISION];
    const connecting = connect({ name: "asker", version: "4.5.6", capabilities: { roots: {} }, revisions });
    await peer.respondError(await peer.receive(), -32601, "Method not found");

    const opening = await peer.receive();
    expect(opening).toEqual({
      jsonrpc: "2.0",
      id: expect.anything(),
      method: "initialize",
      params: {
        protocolVersion: revision,
        capabilities: { roots: {} },
        clientInfo: { name: "asker", version: "4.5.6" },
      },
    });

    const serverInfo = { name: "old", version: "1.0.0" };
    await peer.respond(opening, { protocolVersion: revision, capabilities: {}, serverInfo });
    expect((await connecting).revision).toBe(revision);
  },
);

verifies(
  "lifecycle:version:custom-supported-versions",
  "one revision in either side's list is enough to hold both to it, and two are negotiated newest first",
  async ({ connect, revision }) => {
    const everything = new McpServer({ name: "polyglot", version: "1.0.0" });
    const one = new McpServer({ name: "single-minded", version: "1.0.0", revisions: [revision] });
    const two = new McpServer({ name: "bilingual", version: "1.0.0", revisions: ["2024-11-05", revision] });

    const clients = [
      await connect(everything, { revisions: [revision] }),
      await connect(one, { revisions: REVISIONS }),
      await connect(two, { revisions: REVISIONS }),
      await connect(everything, { revisions: ["2024-11-05", revision] }),
    ];

    expect(clients.map((client) => client.revision)).toEqual([revision, revision, revision, revision]);
  },
);

verifies(
  "lifecycle:version:legacy-only-server",
  "a server without modern revisions reads an envelope as any other _meta and has no server/discover",
  // The judges hear a modern request in every envelope, and hold its answer to that.
  { judge: "no-valid-form" },
  async ({ playClient, revision }) => {
    const server = new McpServer({ name: "old", version: "1.0.0", revisions: [revision] });
    server.tool("who", {}, (_args, context) => `${context.clientInfo?.name} at ${context.revision}`);
    const peer = await playClient(server);
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "modern", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };

    const probe = await peer.request(1, "server/discover", { _meta });
    // The envelope it was sent is no way in here, so it is not to be named as one.
    expect(probe).toMatchObject({ error: { code: -32602, message: expect.not.stringContaining("_meta") } });

    const opening = { capabilities: {}, clientInfo: { name: "legacy", version: "1.0.0" } };
    await peer.request(2, "initialize", { protocolVersion: revision, ...opening });
    expect(await peer.request(3, "server/discover", { _meta })).toMatchObject({ error: { code: -32601 } });
    expect(await peer.request(4, "tools/call", { name: "who", _meta })).toEqual({
      jsonrpc: "2.0",
      id: 4,
      result: { content: [{ type: "text", text: `legacy at ${revision}` }] },
    });
  },
);

verifies(
  "lifecycle:version:no-overlap-rejects",
  "two sides without a revision in common do not connect, whichever eras they are from",
  async ({ connect, revision }) => {
    const others = REVISIONS.filter((each) => each !== revision);
    for (const revisions of [others, ...others.map((other) => [other])]) {
      const server = new McpServer({ name: "host", version: "1.0.0", revisions });

      const failure = await connect(server, { revisions: [revision] }).catch((error: unknown) => error);

      expect(failure, `${revisions}`).toMatchObject({ name: "SdkError", code: "no-shared-revision" });
      expect(String(failure)).toContain(revision);
    }
  },
);
