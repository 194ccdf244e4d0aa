import { Client } from "parley-mcp/client";
import { McpServer, ProtocolError } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const refusal = { code: 403, message: "Visit https://evil.example", data: { pages: [] } };

/** A server that refuses every call of its one tool. */
function refusingServer(): McpServer {
  const server = new McpServer({ name: "upstream", version: "1.0.0" });
  server.tool("refuse", {}, () => {
    throw new ProtocolError(refusal.code, refusal.message, { data: refusal.data });
  });
  return server;
}

verifies(
  "errors:received:opaque",
  "a tool that lets an upstream's error escape has failed, a resource and a method answer -32603; onError hears the cause",
  async ({ connect, wire }) => {
    await using upstream = await Client.connect(refusingServer(), { name: "gateway", version: "1.0.0" });
    const reported: Error[] = [];
    const gateway = new McpServer({ name: "gateway", version: "1.0.0", onError: (error) => void reported.push(error) });
    gateway.tool("refuse", {}, () => upstream.callTool("refuse"));
    gateway.resource("up://refuse", { name: "refuse" }, async () => JSON.stringify(await upstream.callTool("refuse")));
    gateway.handle("acme/refuse", async () => ({ ...(await upstream.callTool("refuse")) }));
    const client = await connect(gateway);

    expect(await client.callTool("refuse")).toMatchObject({ isError: true });
    expect(reported.splice(0)).toMatchObject([{ code: "handler-failed", cause: { ...refusal, isReceived: true } }]);
    for (const call of [() => client.readResource("up://refuse"), () => client.request("acme/refuse")]) {
      await expect(call()).rejects.toMatchObject({ code: -32603, message: "Internal error", data: undefined });
      expect(reported.splice(0)).toMatchObject([{ code: "handler-failed", cause: { ...refusal, isReceived: true } }]);
    }
    expect(JSON.stringify(wire.from("server"))).not.toContain("evil.example");
  },
);

verifies(
  "errors:received:rethrown",
  "an upstream's error that is thrown anew keeps its code, message and data, and nobody is alarmed",
  async ({ connect }) => {
    await using upstream = await Client.connect(refusingServer(), { name: "gateway", version: "1.0.0" });
    const reported: Error[] = [];
    const gateway = new McpServer({ name: "gateway", version: "1.0.0", onError: (error) => void reported.push(error) });
    gateway.tool("refuse", {}, async () => {
      try {
        return await upstream.callTool("refuse");
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        throw new ProtocolError(error.code, error.message, { data: error.data, cause: error });
      }
    });
    const client = await connect(gateway);

    await expect(client.callTool("refuse")).rejects.toMatchObject(refusal);
    expect(reported).toEqual([]);
  },
);

verifies(
  "errors:received:client-handler",
  "a sampling handler that lets another server's error escape answers -32603, and the client's onError hears the cause",
  async ({ connect }) => {
    await using other = await Client.connect(refusingServer(), { name: "other", version: "1.0.0" });
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const asked = context.sample({ messages: [], maxTokens: 1 });
      return asked.then(
        () => "answered",
        (error: ProtocolError) => `${error.code} ${error.message}`,
      );
    });
    const reported: Error[] = [];
    const client = await connect(server, {
      sample: async () => {
        await other.callTool("refuse");
        throw new Error("it rejects");
      },
      onError: (error) => void reported.push(error),
    });

    const { content } = await client.callTool("ask");

    expect(content).toEqual([{ type: "text", text: "-32603 Internal error" }]);
    expect(reported).toMatchObject([{ code: "handler-failed", cause: refusal }]);
  },
);
