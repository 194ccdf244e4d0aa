import { McpServer, ProtocolError } from "parley-mcp/server";
import type { CreateMessageParams, CreateMessageResult, JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const QUESTION: CreateMessageParams = {
  messages: [{ role: "user", content: { type: "text", text: "Hello" } }],
  maxTokens: 100,
};
const TOOLS = [{ name: "look", inputSchema: { type: "object" } }];

verifies(
  "sampling:error:user-rejected",
  "an error of the client's sample handler reaches the tool with code, message and data, and the tool may go on",
  async ({ connect }) => {
    const server = new McpServer({ name: "asker", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const { name, code, message, data } = await context.sample(QUESTION).catch((error) => error);
      return JSON.stringify({ name, code, message, data });
    });
    const client = await connect(server, {
      sample: () => {
        throw new ProtocolError(-1, "User rejected sampling request", { data: { by: "Ada" } });
      },
    });

    const { content } = await client.callTool("ask");

    const refusal = { name: "ProtocolError", code: -1, message: "User rejected sampling request", data: { by: "Ada" } };
    expect(content).toEqual([{ type: "text", text: JSON.stringify(refusal) }]);
  },
);

verifies(
  "sampling:mrtr:error:user-rejected",
  "a modern call rejects with the error of the client's own sample handler, and the server hears of nothing",
  async ({ connect, wire }) => {
    const refusal = new ProtocolError(-1, "User rejected sampling request");
    const server = new McpServer({ name: "asker", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => (await context.sample(QUESTION)).model);
    const sample = () => Promise.reject(refusal);
    const client = await connect(server, { sample });

    await expect(client.callTool("ask")).rejects.toBe(refusal);

    expect(wire.methods("client").filter((method) => method === "tools/call")).toHaveLength(1);
  },
);

verifies(
  "sampling:error:undeclared",
  "a client without sampling answers -32600, and one without tools in sampling answers -32602",
  async ({ openServer }) => {
    const plain = await openServer({}, { elicit: () => ({ action: "cancel" }) });
    expect(await plain.peer.request(1, "sampling/createMessage", { ...QUESTION })).toMatchObject({
      error: { code: -32600, message: expect.stringContaining("sampling") },
    });

    const sample = () => {
      throw new Error("must not run");
    };
    const sampling = await openServer({}, { sample });
    for (const wish of [{ tools: TOOLS }, { toolChoice: { mode: "auto" } }]) {
      const answer = await sampling.peer.request(2, "sampling/createMessage", { ...QUESTION, ...wish });
      expect(answer).toMatchObject({ error: { code: -32602, message: expect.stringContaining("tools") } });
    }
  },
);

verifies(
  "sampling:mrtr:error:undeclared",
  "a modern client without sampling that is asked to sample rejects its call, says what it lacks and sends nothing more",
  async ({ openServer }) => {
    const { peer, client } = await openServer({ tools: {} });

    const calling = client.callTool("ask");
    const inputRequests = { q: { method: "sampling/createMessage", params: { ...QUESTION } } };
    await peer.respond(await peer.receive(), { resultType: "input_required", inputRequests, requestState: "s" });

    await expect(calling).rejects.toMatchObject({ message: expect.stringContaining("sampling") });
    expect(await peer.drain()).toEqual([]);
  },
);

verifies(
  "sampling:answer:malformed",
  "a malformed sampling answer is refused with its path or the broken rule, and the tool gets no answer",
  async ({ playClient, params, era, revision }) => {
    const answer: CreateMessageResult = { role: "assistant", content: { type: "text", text: "Hi." }, model: "m" };
    const malformed: readonly [JsonObject, RegExp][] = [
      [{ ...answer, role: "user" }, /role/],
      [{ ...answer, role: "system" }, /role/],
      [{ ...answer, content: { type: "text" } }, /content\.text/],
      [{ ...answer, content: "Hi." }, /content/],
      [{ ...answer, content: { type: "tool_use", id: "1", name: "look", input: {} } }, /content/],
    ];
    const server = new McpServer({ name: "asker", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const { code, message } = await context.sample(QUESTION).catch((error) => error);
      return `${code} ${message}`;
    });
    const capabilities = { sampling: {} };
    const _meta = { "io.modelcontextprotocol/clientCapabilities": capabilities };
    const peer = await playClient(server);
    if (era === "legacy") {
      const clientInfo = { name: "scripted", version: "0.0.0" };
      await peer.request("open", "initialize", { protocolVersion: revision, capabilities, clientInfo });
      await peer.notify("notifications/initialized");
    }

    for (const [index, [wrong, complaint]] of malformed.entries()) {
      const message = expect.stringMatching(complaint);
      if (era === "legacy") {
        await peer.send({ jsonrpc: "2.0", id: index, method: "tools/call", params: { name: "ask" } });
        await peer.respond(await peer.receive(), wrong);
        const text = expect.stringMatching(new RegExp(`^-32602 .*${complaint.source}`));
        expect(await peer.receive()).toMatchObject({ id: index, result: { content: [{ text }] } });
        continue;
      }
      const asked = await peer.request(`a${index}`, "tools/call", params({ name: "ask", _meta }));
      const { requestState } = asked.result as JsonObject;
      const inputResponses = { "sampling/createMessage#1": wrong };
      const retry = params({ name: "ask", inputResponses, requestState, _meta });
      expect(await peer.request(index, "tools/call", retry)).toMatchObject({ error: { code: -32602, message } });
    }
  },
);
