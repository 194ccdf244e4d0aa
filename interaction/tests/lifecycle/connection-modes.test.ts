import type { NegotiationResult } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

/** As a program would that keeps a negotiation result in a file. */
function stored(negotiated: NegotiationResult): NegotiationResult {
  return JSON.parse(JSON.stringify(negotiated));
}

verifies(
  "lifecycle:mode:legacy-never-probes",
  "a legacy pin opens with initialize for that revision, though the server is modern too",
  async ({ connect, revision, wire }) => {
    const client = await connect(new McpServer({ name: "bilingual", version: "1.0.0" }), { revision });

    expect(client.revision).toBe(revision);
    expect(wire.methods("client")).toEqual(["initialize", "notifications/initialized"]);
    expect(wire.from("client")[0]).toMatchObject({ params: { protocolVersion: revision } });
  },
);

verifies(
  "lifecycle:mode:pin-never-handshakes",
  "a modern pin connects in silence: the caller's request is the first message and is served",
  async ({ connect, revision, wire }) => {
    const server = new McpServer({ name: "greeter", version: "1.2.3", instructions: "Greet." });
    server.tool("greet", {}, (_args, context) => `hello ${context.clientInfo?.name}`);
    const client = await connect(server, { name: "asker", revision });

    expect(client.revision).toBe(revision);
    expect([client.serverInfo, client.serverCapabilities, client.instructions]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(wire.from("client")).toEqual([]);
    expect(await client.callTool("greet")).toMatchObject({ content: [{ text: "hello asker" }] });
    expect(wire.methods("client")).toEqual(["tools/call"]);
    expect(client.serverInfo).toEqual({ name: "greeter", version: "1.2.3" });
  },
);

verifies(
  "lifecycle:mode:prior-discover-zero-rtt",
  "a stored negotiation result connects without a message and knows what discovery had told",
  async ({ connect, revision, wire }) => {
    const server = new McpServer({ name: "greeter", version: "1.2.3", instructions: "Greet." });
    server.tool("greet", {}, () => "hello");
    const { negotiated } = await connect(server, { revisions: undefined });
    const client = await connect(server, { revisions: undefined, resumeFrom: stored(negotiated) });

    expect(wire.methods("client")).toEqual(["server/discover"]);
    expect(client.revision).toBe(revision);
    expect(client.serverInfo).toEqual({ name: "greeter", version: "1.2.3" });
    expect(client.serverCapabilities).toEqual({ tools: { listChanged: true } });
    expect(client.instructions).toBe("Greet.");
    expect(await client.callTool("greet")).toMatchObject({ content: [{ text: "hello" }] });
    expect(wire.methods("client")).toEqual(["server/discover", "tools/call"]);
  },
);

verifies(
  "lifecycle:mode:prior-refused",
  "a server that has gone back to a legacy revision is found again by a client that remembers a modern one",
  async ({ connect, revision }) => {
    const server = new McpServer({ name: "older", version: "1.0.0", revisions: [revision] });
    server.tool("add", {}, () => "3");
    const resumeFrom = { revision: "2026-07-28", server: {} } as const;
    const client = await connect(server, { revisions: undefined, resumeFrom });

    const { content } = await client.callTool("add");

    expect(content).toEqual([{ type: "text", text: "3" }]);
    expect(client.revision).toBe(revision);
  },
);

verifies(
  "lifecycle:mode:prior-confirmed",
  "an error of the first call costs one question, and the error is the caller's",
  async ({ connect, wire, revision }) => {
    const client = await connect(new McpServer({ name: "bare", version: "1.0.0" }), {
      revisions: undefined,
      resumeFrom: { revision, server: {} },
    });

    await expect(client.listTools()).rejects.toMatchObject({ code: -32601 });
    await expect(client.listPrompts()).rejects.toMatchObject({ code: -32601 });
    expect(wire.methods("client")).toEqual(["tools/list", "server/discover", "prompts/list"]);
  },
);

verifies(
  "lifecycle:mode:prior-legacy-no-probe",
  "a stored negotiation result of a legacy server opens with the handshake for its revision",
  async ({ connect, revision, wire }) => {
    const server = new McpServer({ name: "old", version: "1.0.0", revisions: [revision] });
    const { negotiated } = await connect(server, { revisions: undefined });
    const client = await connect(server, { revisions: undefined, resumeFrom: stored(negotiated) });

    const handshake = ["initialize", "notifications/initialized"];
    expect(wire.methods("client")).toEqual(["server/discover", ...handshake, ...handshake]);
    // The first connection knew no better than to ask for the newest.
    expect(wire.from("client")[1]).toMatchObject({ params: { protocolVersion: "2025-11-25" } });
    expect(wire.from("client")[3]).toMatchObject({ params: { protocolVersion: revision } });
    expect(client.revision).toBe(revision);
    expect(client.serverInfo).toEqual({ name: "old", version: "1.0.0" });
  },
);

verifies(
  "lifecycle:mode:prior-outdated",
  "a legacy negotiation result for a server that has dropped the handshake since costs one refusal, then a probe",
  async ({ playServer, revision }) => {
    const hints = { ttlMs: 0, cacheScope: "private" };
    const discovery = {
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      ...hints,
    };
    // Which code a modern server refuses a handshake with is its own affair.
    for (const code of [-32022, -32601, -32602]) {
      const { peer, connect } = playServer();
      const connecting = connect({ revisions: undefined, resumeFrom: { revision, server: { capabilities: {} } } });

      const handshake = await peer.receive();
      expect(handshake).toMatchObject({ method: "initialize", params: { protocolVersion: revision } });
      await peer.respondError(handshake, code, "refused", { requested: revision, supported: ["2026-07-28"] });
      const probe = await peer.receive();
      expect(probe).toMatchObject({ method: "server/discover" });
      await peer.respond(probe, discovery);

      const client = await connecting;
      expect([client.revision, client.serverCapabilities]).toEqual(["2026-07-28", { tools: {} }]);
    }
  },
);

verifies(
  "lifecycle:mode:prior-outside-list",
  "a negotiation result in a revision that the client no longer accepts is set aside",
  async ({ connect, revision, era }) => {
    const server = new McpServer({ name: "polyglot", version: "1.0.0" });
    const { negotiated } = await connect(server, { revisions: [era === "modern" ? "2025-11-25" : "2026-07-28"] });
    const client = await connect(server, { revisions: [revision], resumeFrom: stored(negotiated) });

    expect(client.revision).toBe(revision);
  },
);
