import { McpServer } from "parley-mcp/server";
import type { JsonRpcMessage } from "parley-mcp/testing";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const REVISION_KEY = "io.modelcontextprotocol/protocolVersion";
const INFO_KEY = "io.modelcontextprotocol/clientInfo";
const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";

/** The `_meta` of every request in the list. */
function metaOf(messages: readonly JsonRpcMessage[]): unknown[] {
  return messages.flatMap((message) => ("method" in message && "id" in message ? [message.params?._meta] : []));
}

verifies(
  "lifecycle:stateless:request-envelope",
  "each request, the probe included, names revision and capabilities, and no handshake is among them",
  async ({ connect, revision, wire }) => {
    const server = new McpServer({ name: "host", version: "1.0.0" });
    server.tool("greet", {}, () => "hello");
    server.handle("acme/run", () => ({}));
    const capabilities = { roots: {}, experimental: { "acme/fax": {} } };
    const client = await connect(server, { capabilities });
    await client.callTool("greet");
    await client.listTools();
    await client.request("acme/run", { own: 1 });

    expect(wire.methods("client")).toEqual(["server/discover", "tools/call", "tools/list", "acme/run"]);
    for (const meta of metaOf(wire.from("client"))) {
      expect(meta).toMatchObject({ [REVISION_KEY]: revision, [CAPABILITIES_KEY]: capabilities });
    }
  },
);

verifies(
  "lifecycle:envelope:client-info",
  "each request carries the client's identity, and the handler reads it",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "host", version: "1.0.0" });
    server.handle("acme/who", (_params, context) => ({ who: context.clientInfo }));
    const identity = { name: "asker", version: "4.5.6", title: "The Asker" };
    const client = await connect(server, identity);

    expect((await client.request("acme/who")).who).toEqual(identity);
    expect((await client.request("acme/who")).who).toEqual(identity);
    const carried = { [INFO_KEY]: identity };
    expect(metaOf(wire.from("client"))).toMatchObject([carried, carried, carried]);
  },
);

verifies(
  "lifecycle:stateless:no-earlier-context",
  "the identity and capabilities of one request are forgotten by the next",
  async ({ playClient, revision }) => {
    const server = new McpServer({ name: "forgetful", version: "1.0.0" });
    server.tool("who", {}, (_args, { clientInfo, clientCapabilities }) =>
      JSON.stringify([clientInfo?.name, clientCapabilities]),
    );
    const peer = await playClient(server);
    const envelope = { [REVISION_KEY]: revision, [CAPABILITIES_KEY]: {} };
    const first = { [INFO_KEY]: { name: "first", version: "1.0.0" }, [CAPABILITIES_KEY]: { sampling: {} } };
    const second = { [INFO_KEY]: { name: "second", version: "2.0.0" }, [CAPABILITIES_KEY]: { roots: {} } };

    const expected: [object, string][] = [
      [{ ...envelope, ...first }, '["first",{"sampling":{}}]'],
      [{ ...envelope, ...second }, '["second",{"roots":{}}]'],
      [envelope, "[null,{}]"],
    ];
    for (const [_meta, text] of expected) {
      const answer = await peer.request(1, "tools/call", { name: "who", _meta });
      expect(answer).toMatchObject({ result: { content: [{ type: "text", text }] } });
    }
    // What an earlier request declared does not stand in for what this one leaves out.
    const incomplete = await peer.request(2, "tools/call", { name: "who", _meta: { [REVISION_KEY]: revision } });
    expect(incomplete).toMatchObject({ error: { code: -32602 } });
  },
);

verifies(
  "lifecycle:stateless:caller-meta-preserved",
  "a caller's own _meta travels beside the envelope and cannot replace it",
  async ({ connect, revision, wire }) => {
    const server = new McpServer({ name: "host", version: "1.0.0" });
    server.tool("meta", {}, (_args, context) => {
      expect(context.meta).toMatchObject({ "acme/trace": { id: "t-1" } });
      return `${context.clientInfo?.name} at ${context.revision}`;
    });
    const client = await connect(server, { name: "honest", version: "1.0.0", capabilities: { roots: {} } });
    const forged = {
      [REVISION_KEY]: "1999-12-31",
      [INFO_KEY]: { name: "forged", version: "0" },
      [CAPABILITIES_KEY]: {},
    };
    const meta = { "acme/trace": { id: "t-1" }, ...forged };

    expect(await client.callTool("meta", {}, { meta })).toMatchObject({ content: [{ text: `honest at ${revision}` }] });
    expect(metaOf(wire.from("client")).at(-1)).toEqual({
      "acme/trace": { id: "t-1" },
      [REVISION_KEY]: revision,
      [INFO_KEY]: { name: "honest", version: "1.0.0" },
      [CAPABILITIES_KEY]: { roots: {} },
    });
  },
);

verifies(
  "lifecycle:envelope:not-on-notifications",
  "a notification goes out as its caller wrote it, and a cancellation without an envelope",
  async ({ connect, wire }) => {
    const started = deferred();
    const server = new McpServer({ name: "host", version: "1.0.0" });
    server.tool("wait", {}, () => {
      started.resolve();
      return new Promise<string>(() => undefined);
    });
    const client = await connect(server);
    const stop = new AbortController();

    await client.notify("acme/event", { own: 1, _meta: { "acme/trace": "t-1" } });
    const waiting = client.callTool("wait", {}, { signal: stop.signal });
    await started.promise;
    stop.abort();

    await expect(waiting).rejects.toMatchObject({ code: "request-aborted" });
    const sent = wire.from("client");
    const call = sent.find((message) => "method" in message && message.method === "tools/call");
    expect(sent.filter((message) => !("id" in message))).toEqual([
      { jsonrpc: "2.0", method: "acme/event", params: { own: 1, _meta: { "acme/trace": "t-1" } } },
      {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: call && "id" in call && call.id, reason: expect.any(String) },
      },
    ]);
  },
);

verifies(
  "lifecycle:stateless:unpinned-legacy-wire",
  "neither side says anything modern once a client of both eras has shaken hands",
  async ({ connect, revision, wire }) => {
    const cache = { ttlMs: 60_000, cacheScope: "public" } as const;
    const server = new McpServer({ name: "old", version: "1.0.0", revisions: [revision], cache });
    server.tool("greet", {}, () => "hello");
    server.resource("a://b", { name: "b", cache }, () => "text");
    const client = await connect(server, { revisions: [revision, "2026-07-28"] });
    await client.listTools();
    await client.callTool("greet", {}, { meta: { "acme/trace": "t-1" } });
    await client.readResource("a://b");
    await client.notify("acme/event", {});

    const methods = wire.methods("client");
    expect(methods.slice(0, 3)).toEqual(["server/discover", "initialize", "notifications/initialized"]);
    // The probe and its answer are what came before the session.
    const [, , opening, answer, ...session] = (wire.connections[0]?.entries ?? []).map(({ message }) => message);
    const modern = /io\.modelcontextprotocol|resultType|ttlMs|cacheScope/;
    expect(session).toHaveLength(8);
    expect(JSON.stringify([opening, answer, ...session])).not.toMatch(modern);
    expect(JSON.stringify(session)).not.toContain("serverInfo");
  },
);
