import { McpServer } from "parley-mcp/server";
import type { ScriptedPeer } from "parley-mcp/testing";
import type { JsonObject } from "parley-mcp/types";
import type { Revision } from "parley-requirements";
import { expect } from "vitest";
import { z } from "zod";
import type { Conversation } from "../../src/conversation.js";
import { verifies } from "../../src/verifies.js";

const NAME = z.object({ name: z.string().min(2) });
const CAPABILITIES = { elicitation: {}, roots: {} };
const accept = (name: unknown) => ({ action: "accept", content: { name } });

/** A client that answers by hand: each call is the next round. */
function manualCalls(peer: ScriptedPeer, { params }: Pick<Conversation, "params">, name: string) {
  let id = 0;
  const _meta = { "io.modelcontextprotocol/clientCapabilities": CAPABILITIES };
  return async (round: JsonObject = {}): Promise<JsonObject> => {
    id += 1;
    const answer = await peer.request(id, "tools/call", params({ name, ...round, _meta }));
    return (answer.result ?? answer.error) as JsonObject;
  };
}

const keysOf = ({ inputRequests }: JsonObject) => Object.keys(inputRequests as JsonObject);

verifies(
  "mrtr:answers:missing",
  "a missing answer of two is asked for again until it comes, and the other one is kept",
  async ({ playClient, params }) => {
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const [one, two] = await Promise.all([
        context.elicit({ message: "1?", schema: NAME }, { key: "one" }),
        context.elicit({ message: "2?", schema: NAME }, { key: "two" }),
      ]);
      return `${one.content?.name} ${two.content?.name}`;
    });
    const call = manualCalls(await playClient(server), { params }, "ask");

    const first = await call();
    expect(keysOf(first)).toEqual(["one", "two"]);
    const second = await call({ inputResponses: { two: accept("Grace") }, requestState: first.requestState });
    expect(keysOf(second)).toEqual(["one"]);
    const third = await call({ requestState: second.requestState });
    expect(keysOf(third)).toEqual(["one"]);
    const last = await call({ inputResponses: { one: accept("Ada") }, requestState: third.requestState });
    expect(last).toMatchObject({ resultType: "complete", content: [{ text: "Ada Grace" }] });
  },
);

verifies(
  "mrtr:answers:extra",
  "an unknown key, a question of a later round and one that has its answer change nothing",
  async ({ playClient, params }) => {
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const one = await context.elicit({ message: "1?", schema: NAME }, { key: "one" });
      const two = await context.elicit({ message: "2?", schema: NAME }, { key: "two" });
      return `${one.content?.name} ${two.content?.name}`;
    });
    const call = manualCalls(await playClient(server), { params }, "ask");

    const first = await call();
    const early = { one: accept("Ada"), two: accept("too early"), three: { roots: [] } };
    const second = await call({ inputResponses: early, requestState: first.requestState });
    expect(keysOf(second)).toEqual(["two"]);
    const late = { one: accept("too late"), two: accept("Grace") };
    const last = await call({ inputResponses: late, requestState: second.requestState });
    expect(last).toMatchObject({ content: [{ text: "Ada Grace" }] });
  },
);

verifies(
  "mrtr:answers:malformed",
  "answers that fit no question are -32602, and the round can still be answered well",
  async ({ playClient, params }) => {
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      try {
        const { content } = await context.elicit({ message: "Name?", schema: NAME }, { key: "it" });
        return `${content?.name}`;
      } catch {
        return "caught";
      }
    });
    const call = manualCalls(await playClient(server), { params }, "ask");
    const { requestState } = await call();

    const wrong: unknown[] = [
      [],
      "yes",
      { it: "yes" },
      { it: null },
      { it: {} },
      { it: { action: "maybe" } },
      { it: { action: "accept", content: "Ada" } },
      { it: { action: "accept" } },
      { it: { roots: [] } },
      { it: { role: "assistant", model: "m", content: { type: "text", text: "Ada" } } },
      { it: accept(7) },
      { it: accept("A") },
      { it: accept({ first: "Ada" }) },
    ];
    for (const inputResponses of wrong) {
      const refusal = await call({ inputResponses, requestState });
      expect(refusal, JSON.stringify(inputResponses)).toMatchObject({ code: -32602, message: expect.any(String) });
    }
    const well = await call({ inputResponses: { it: accept("Ada") }, requestState });
    expect(well).toMatchObject({ content: [{ text: "Ada" }] });
  },
);

verifies(
  "mrtr:answers:unasked",
  "an answer without a state, or with the state of another round, is not taken, and the question is still asked",
  async ({ playClient, params }) => {
    const server = new McpServer({ name: "careful", version: "1.0.0" });
    server.tool("delete", {}, async (_args, context) => {
      await context.listRoots({ key: "roots" });
      const { action } = await context.elicit({ message: "Really?", schema: NAME }, { key: "confirm" });
      return action;
    });
    const call = manualCalls(await playClient(server), { params }, "delete");
    const inputResponses = { roots: { roots: [] }, confirm: accept("Ada") };

    const first = await call({ inputResponses });
    expect(keysOf(first)).toEqual(["roots"]);
    const second = await call({ inputResponses, requestState: first.requestState });
    expect(keysOf(second)).toEqual(["confirm"]);
  },
);

async function openLegacyClient(server: McpServer, playClient: Conversation["playClient"], revision: Revision) {
  const peer = await playClient(server);
  const clientInfo = { name: "scripted", version: "0.0.0" };
  await peer.request("open", "initialize", { protocolVersion: revision, capabilities: CAPABILITIES, clientInfo });
  await peer.notify("notifications/initialized");
  return peer;
}

verifies(
  "asking:legacy-errors",
  "an error keeps code, message and data; nonsense is an error too; the handler decides what becomes of it",
  async ({ playClient, revision }) => {
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const asked = context.elicit({ message: "Name?", schema: NAME });
      return JSON.stringify(await asked.catch(({ name, code, data }) => ({ name, code, data })));
    });
    const peer = await openLegacyClient(server, playClient, revision);
    const ask = async (answer: (question: JsonObject) => Promise<void>) => {
      await peer.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask" } });
      await answer(await peer.receive());
      const { result } = await peer.receive();
      return JSON.parse((result as { content: [{ text: string }] }).content[0].text);
    };

    expect(await ask((question) => peer.respondError(question, -1, "User rejected", { by: "user" }))).toEqual({
      name: "ProtocolError",
      code: -1,
      data: { by: "user" },
    });
    for (const nonsense of [{}, { action: "maybe" }, accept("A"), { action: "accept" }]) {
      const told = await ask((question) => peer.respond(question, nonsense));
      expect(told, JSON.stringify(nonsense)).toMatchObject({ name: expect.stringMatching(/Error$/) });
    }
    expect(await ask((question) => peer.respond(question, accept("Ada")))).toEqual(accept("Ada"));
  },
);

verifies(
  "elicitation:form:response-validation",
  "a value of the wrong type, a missing field and one against its limit are refused with the path",
  async ({ playClient, revision, era, params }) => {
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    const schema = z.object({ name: z.string().min(2), age: z.int().max(150) });
    server.tool("ask", {}, async (_args, context) => {
      if (era === "modern") return JSON.stringify(await context.elicit({ message: "?", schema }, { key: "it" }));
      const refusal = await context.elicit({ message: "?", schema }).catch((error: Error) => error.message);
      return typeof refusal === "string" ? refusal : "accepted";
    });
    const wrong = [
      [{ name: 7, age: 36 }, "content.name"],
      [{ age: 36 }, "content.name"],
      [{ name: "Ada", age: 200 }, "content.age"],
    ] as const;

    if (era === "modern") {
      const call = manualCalls(await playClient(server), { params }, "ask");
      const { requestState } = await call();
      for (const [content, path] of wrong) {
        const refusal = await call({ inputResponses: { it: { action: "accept", content } }, requestState });
        expect(refusal).toMatchObject({ code: -32602, message: expect.stringContaining(path) });
      }
      return;
    }
    const peer = await openLegacyClient(server, playClient, revision);
    for (const [content, path] of wrong) {
      await peer.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask" } });
      await peer.respond(await peer.receive(), { action: "accept", content });
      const { result } = await peer.receive();
      expect(result).toMatchObject({ content: [{ text: expect.stringContaining(path) }] });
    }
  },
);

verifies(
  "elicitation:form:lenient-answers",
  "an empty form gets its default, and a refusal is a refusal, whatever was typed before",
  async ({ playClient, revision, era, params }) => {
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    const schema = {
      type: "object",
      properties: { size: { type: "integer", default: 4 } },
      required: ["size"],
    } as const;
    server.tool("ask", {}, async (_args, context) => {
      return JSON.stringify(await context.elicit({ message: "?", schema }, { key: "it" }));
    });
    const answers = [
      [{ action: "accept" }, { action: "accept", content: { size: 4 } }],
      [
        { action: "accept", content: {} },
        { action: "accept", content: { size: 4 } },
      ],
      [{ action: "decline", content: { size: "huge" } }, { action: "decline" }],
    ] as const;

    const peer = era === "legacy" ? await openLegacyClient(server, playClient, revision) : await playClient(server);
    const call = manualCalls(peer, { params }, "ask");
    for (const [answer, expected] of answers) {
      if (era === "modern") {
        const { requestState } = await call();
        const result = await call({ inputResponses: { it: answer }, requestState });
        expect(result).toMatchObject({ content: [{ text: JSON.stringify(expected) }] });
        continue;
      }
      await peer.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask" } });
      await peer.respond(await peer.receive(), answer);
      expect(await peer.receive()).toMatchObject({ result: { content: [{ text: JSON.stringify(expected) }] } });
    }
  },
);

verifies(
  "elicitation:form:client-validation",
  "an answer against the form stays with the client, whose author hears of the field",
  async ({ connect, wire, era }) => {
    const reported: Error[] = [];
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const asked = context.elicit({ message: "Name?", schema: NAME });
      return JSON.stringify(await asked.catch((error: unknown) => error));
    });
    const client = await connect(server, {
      elicit: () => ({ action: "accept", content: { name: "X" } }),
      onError: (error) => reported.push(error),
    });

    const calling = client.callTool("ask");

    const mistake = { name: "SdkError", code: "invalid-argument", message: expect.stringContaining("content.name") };
    if (era === "legacy") {
      expect(await calling).toMatchObject({ content: [{ text: expect.stringContaining("-32603") }] });
      expect(reported).toMatchObject([{ code: "handler-failed", cause: mistake }]);
    } else {
      await expect(calling).rejects.toMatchObject(mistake);
    }
    expect(JSON.stringify(wire.from("client"))).not.toContain('"accept"');
  },
);
