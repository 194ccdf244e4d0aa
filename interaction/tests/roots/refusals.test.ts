import { McpServer, ProtocolError } from "parley-mcp/server";
import type { JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

/** A server whose one tool tells its roots, or what kept it from knowing them. */
function rootsServer(): McpServer {
  const server = new McpServer({ name: "files", version: "1.0.0" });
  server.tool("where", {}, async (_args, context) => {
    const outcome = await context.listRoots().then(
      (roots) => ({ roots }),
      ({ name, code, message }) => ({ name, code, message }),
    );
    return JSON.stringify(outcome);
  });
  return server;
}

const FAILURES: readonly [thrown: Error, seen: JsonObject][] = [
  [new ProtocolError(-32001, "No workspace is open"), { code: -32001, message: "No workspace is open" }],
  [new Error("ENOENT /secret"), { code: -32603, message: "Internal error" }],
];

verifies(
  "roots:list:client-error",
  "a tool sees a deliberate error of the client's roots as it is, and a crash as -32603 without its message",
  async ({ connect }) => {
    for (const [thrown, seen] of FAILURES) {
      const listRoots = () => Promise.reject(thrown);
      const client = await connect(rootsServer(), { listRoots, onError: () => undefined });

      const { content } = await client.callTool("where");

      expect(content).toEqual([{ type: "text", text: JSON.stringify({ name: "ProtocolError", ...seen }) }]);
    }
  },
);

verifies(
  "roots:mrtr:list:client-error",
  "a modern call rejects with the error of the client's own listRoots, and the server hears of nothing",
  async ({ connect, wire }) => {
    for (const [index, [thrown]] of FAILURES.entries()) {
      const listRoots = () => Promise.reject(thrown);
      const client = await connect(rootsServer(), { listRoots });

      await expect(client.callTool("where")).rejects.toBe(thrown);

      expect(wire.methods("client").filter((method) => method === "tools/call")).toHaveLength(index + 1);
    }
  },
);

verifies(
  "roots:list:not-supported",
  "a client without roots answers roots/list with -32601 and names the method",
  async ({ openServer }) => {
    const { peer } = await openServer({}, { elicit: () => ({ action: "cancel" }) });

    expect(await peer.request(1, "roots/list")).toMatchObject({
      id: 1,
      error: { code: -32601, message: expect.stringContaining("roots/list") },
    });
  },
);

verifies(
  "roots:mrtr:list:not-supported",
  "a modern client without roots that is asked for them rejects its call, names the method and sends nothing more",
  async ({ openServer }) => {
    const { peer, client } = await openServer({ tools: {} });

    const calling = client.callTool("where");
    const inputRequests = { where: { method: "roots/list" } };
    await peer.respond(await peer.receive(), { resultType: "input_required", inputRequests, requestState: "s" });

    await expect(calling).rejects.toMatchObject({ message: expect.stringContaining("roots/list") });
    expect(await peer.drain()).toEqual([]);
  },
);

verifies(
  "roots:list:server-gated",
  "a tool that asks a client without roots fails with the missing capability, and no question goes out",
  async ({ connect, wire, era }) => {
    const server = new McpServer({ name: "files", version: "1.0.0" });
    server.tool("where", {}, async (_args, context) => `${(await context.listRoots()).length}`);
    const client = await connect(server, { elicit: () => ({ action: "cancel" }) });

    await expect(client.callTool("where")).rejects.toMatchObject({
      name: "ProtocolError",
      code: era === "modern" ? -32021 : -32602,
      data: { requiredCapabilities: { roots: {} } },
    });
    expect(wire.methods("server")).toEqual([]);
    expect(JSON.stringify(wire.from("server"))).not.toContain("input_required");
  },
);

const NO_ROOTS = ["https://example.com/", "file:/var/ada", "/var/ada", "", "file:///var/ada/../eve"];

verifies(
  "roots:uri:file-scheme",
  "a root that is no file URI is refused by its place in the list, and the tool gets none of the roots",
  async ({ playClient, params, era, revision }) => {
    const capabilities = { roots: {} };
    const _meta = { "io.modelcontextprotocol/clientCapabilities": capabilities };
    const peer = await playClient(rootsServer());
    if (era === "legacy") {
      const clientInfo = { name: "scripted", version: "0.0.0" };
      await peer.request("open", "initialize", { protocolVersion: revision, capabilities, clientInfo });
      await peer.notify("notifications/initialized");
    }

    for (const [index, uri] of NO_ROOTS.entries()) {
      const roots = [{ uri: "file:///var/ada" }, { uri }];
      if (era === "legacy") {
        await peer.send({ jsonrpc: "2.0", id: index, method: "tools/call", params: { name: "where" } });
        await peer.respond(await peer.receive(), { roots });
        const text = expect.stringMatching(/"code":-32602.*roots\[1\]\.uri/);
        expect(await peer.receive()).toMatchObject({ id: index, result: { content: [{ text }] } });
        continue;
      }
      const asked = await peer.request(`a${index}`, "tools/call", params({ name: "where", _meta }));
      const { requestState } = asked.result as JsonObject;
      const retry = params({ name: "where", inputResponses: { "roots/list#1": { roots } }, requestState, _meta });
      const error = { code: -32602, message: expect.stringContaining("roots[1].uri") };
      expect(await peer.request(index, "tools/call", retry)).toMatchObject({ error });
    }
  },
);

verifies(
  "roots:uri:client-checks",
  "a client reports a wrong root of its own, and does not send it",
  async ({ connect, wire, era }) => {
    for (const uri of NO_ROOTS) {
      const errors: Error[] = [];
      const roots = [{ uri: "file:///var/ada" }, { uri, name: "not to be told" }];
      const client = await connect(rootsServer(), { listRoots: () => roots, onError: (error) => errors.push(error) });

      const outcome = await client.callTool("where").catch((error) => error);

      const mistake = { code: "invalid-argument", message: expect.stringContaining("roots[1].uri") };
      if (era === "modern") expect(outcome).toMatchObject(mistake);
      else expect(outcome).toMatchObject({ content: [{ text: expect.stringContaining('"code":-32603') }] });
      expect(errors.map(({ cause }) => cause)).toMatchObject(era === "modern" ? [] : [mistake]);
      expect(JSON.stringify(wire.from("client"))).not.toContain("not to be told");
    }
  },
);
