import { inputRequired, McpServer } from "parley-mcp/server";
import type { JsonObject, SamplingMessage } from "parley-mcp/types";
import { expect } from "vitest";
import type { Conversation } from "../../src/conversation.js";
import { verifies } from "../../src/verifies.js";

const FORM = { type: "object", properties: { text: { type: "string" } } } as const;
const formRequest = (message: string) =>
  ({ method: "elicitation/create", params: { mode: "form", message, requestedSchema: FORM } }) as const;
const accept = (text: string) => ({ action: "accept", content: { text } }) as const;

verifies(
  "asking:raw-form",
  "a raw form sees the answers and the state of the round before, and neither in the first round",
  async ({ connect, era, wire }) => {
    const seen: unknown[] = [];
    const server = new McpServer({ name: "by-hand", version: "1.0.0" });
    server.tool("ask", {}, (_args, { inputResponses, requestState }) => {
      seen.push([inputResponses, requestState]);
      if (!inputResponses) {
        const inputRequests = { name: formRequest("Name?"), roots: { method: "roots/list" } } as const;
        return inputRequired({ inputRequests, requestState: "step 1" });
      }
      if (requestState === "step 1") return inputRequired({ inputRequests: { age: formRequest("Age?") } });
      return "done";
    });
    const root = { uri: "file:///srv/ada" };
    const client = await connect(server, { elicit: ({ message }) => accept(message), listRoots: () => [root] });

    expect(await client.callTool("ask")).toMatchObject({ content: [{ text: "done" }] });

    expect(seen).toEqual([
      [undefined, undefined],
      [{ name: accept("Name?"), roots: { roots: [root] } }, "step 1"],
      [{ age: accept("Age?") }, undefined],
    ]);
    const asked = wire.methods("server");
    expect(asked).toEqual(era === "modern" ? [] : ["elicitation/create", "roots/list", "elicitation/create"]);
  },
);

verifies(
  "asking:raw-form",
  "inputRequired works in prompts and resources, and in handlers that are set by method",
  async ({ connect }) => {
    const server = new McpServer({ name: "by-hand", version: "1.0.0" });
    const inputRequests = { it: formRequest("?") };
    server.prompt("ask", {}, (_args, { inputResponses }) =>
      inputResponses ? JSON.stringify(inputResponses) : inputRequired({ inputRequests }),
    );
    server.resource("ask://it", { name: "it" }, (_request, { inputResponses }) =>
      inputResponses ? JSON.stringify(inputResponses) : inputRequired({ inputRequests }),
    );
    server.handle("tools/call", (_params, { inputResponses }) =>
      inputResponses
        ? { content: [{ type: "text", text: JSON.stringify(inputResponses) }] }
        : inputRequired({ inputRequests }),
    );
    const client = await connect(server, { elicit: () => accept("Ada") });

    const text = JSON.stringify({ it: accept("Ada") });
    expect(await client.getPrompt("ask")).toMatchObject({ messages: [{ content: { text } }] });
    expect(await client.readResource("ask://it")).toMatchObject({ contents: [{ text }] });
    expect(await client.callTool("any")).toMatchObject({ content: [{ text }] });
  },
);

/** A client without a state of its own: each call brings what it is given, and hears what came of it. */
async function callsByHand(server: McpServer, { playClient, params }: Pick<Conversation, "playClient" | "params">) {
  const peer = await playClient(server);
  let id = 0;
  const _meta = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {}, roots: {} } };
  return async (name: string, round: JsonObject = {}): Promise<JsonObject> => {
    id += 1;
    const answer = await peer.request(id, "tools/call", params({ name, ...round, _meta }));
    return (answer.result ?? answer.error) as JsonObject;
  };
}

verifies(
  "mrtr:raw-form:optional-state",
  "a raw form has a state if its author gave one or something has to be kept, and none for a question alone",
  async (conversation) => {
    const inputRequests = { it: formRequest("?") };
    const server = new McpServer({ name: "by-hand", version: "1.0.0" });
    server.tool("question", {}, () => inputRequired({ inputRequests }));
    server.tool("state", {}, () => inputRequired({ inputRequests, requestState: "" }));
    server.tool("empty", {}, () => inputRequired({ inputRequests: {} }));
    server.tool("effect", {}, async (_args, context) => {
      await context.once("pay", () => true);
      return inputRequired({ inputRequests });
    });
    server.tool("answered", {}, async (_args, context) => {
      await context.listRoots({ key: "roots" });
      return inputRequired({ inputRequests });
    });
    const call = await callsByHand(server, conversation);

    expect(await call("question")).not.toHaveProperty("requestState");
    const { requestState } = await call("answered");
    const rounds = [
      await call("state"),
      await call("empty"),
      await call("effect"),
      await call("answered", { requestState, inputResponses: { roots: { roots: [] } } }),
    ];
    for (const round of rounds) expect(round.requestState).toEqual(expect.any(String));
  },
);

verifies(
  "mrtr:raw-form:unbound-answers",
  "answers without a state reach a raw form whoever asked for them, and a value that is no answer is refused",
  async (conversation) => {
    const server = new McpServer({ name: "by-hand", version: "1.0.0" });
    server.tool("ask", {}, (_args, { inputResponses, requestState }) =>
      inputResponses
        ? JSON.stringify([inputResponses, requestState === undefined])
        : inputRequired({ inputRequests: { it: formRequest("?") } }),
    );
    const call = await callsByHand(server, conversation);

    const { inputRequests } = await call("ask");
    expect(inputRequests).toEqual({ it: formRequest("?") });
    const inputResponses = { it: accept("Ada"), other: { roots: [] } };
    expect(await call("ask", { inputResponses })).toMatchObject({
      content: [{ text: JSON.stringify([inputResponses, true]) }],
    });
    for (const wrong of [null, { it: 12345 }, { it: {} }, { it: { action: "maybe" } }]) {
      expect(await call("ask", { inputResponses: wrong })).toMatchObject({ code: -32602 });
    }
  },
);

verifies(
  "asking:raw-form:restricted-subset",
  "nested fields, lists of objects and unions are reported with the question and the field, and the client hears nothing",
  async ({ connect, wire }) => {
    const reported: Error[] = [];
    const server = new McpServer({ name: "by-hand", version: "1.0.0", onError: (error) => reported.push(error) });
    const beyond = {
      address: { type: "object", properties: { street: { type: "string" } } },
      people: { type: "array", items: { type: "object" } },
      either: { anyOf: [{ type: "string" }, { type: "number" }] },
    };
    for (const [field, schema] of Object.entries(beyond)) {
      const requestedSchema = { type: "object", properties: { [field]: schema } } as const;
      const who = { method: "elicitation/create", params: { message: "Who?", requestedSchema } } as const;
      server.tool(field, {}, () => inputRequired({ inputRequests: { who } }));
    }
    const client = await connect(server, { elicit: () => accept("never") });

    for (const field of Object.keys(beyond)) {
      expect(await client.callTool(field)).toMatchObject({ isError: true });
      const message = expect.stringContaining(`inputRequests.who: schema.${field}: `);
      expect(reported.pop()).toMatchObject({ cause: { code: "invalid-argument", message } });
    }
    expect(wire.methods("server")).toEqual([]);
  },
);

verifies(
  "asking:raw-form:downgrade",
  "titled choices and defaults are written as the client's revision has them",
  async ({ connect, revision }) => {
    const titled = [{ const: "r", title: "Red" }];
    const color = { type: "string", oneOf: titled, default: "r" };
    const requestedSchema = { type: "object" as const, properties: { color }, required: ["color"] };
    const pick = { method: "elicitation/create", params: { message: "Color?", requestedSchema } } as const;
    const server = new McpServer({ name: "by-hand", version: "1.0.0" });
    server.tool("ask", {}, (_args, { inputResponses }) =>
      inputResponses ? JSON.stringify(inputResponses.pick) : inputRequired({ inputRequests: { pick } }),
    );
    const shown: unknown[] = [];
    const client = await connect(server, {
      elicit: (question) => {
        shown.push(question.requestedSchema);
        return { action: "accept", content: { color: "r" } };
      },
    });

    const text = JSON.stringify({ action: "accept", content: { color: "r" } });
    expect(await client.callTool("ask")).toMatchObject({ content: [{ text }] });

    const old = { type: "string", enum: ["r"], enumNames: ["Red"] };
    const properties = { color: revision === "2025-06-18" ? old : color };
    expect(shown).toEqual([{ type: "object", properties, required: ["color"] }]);
  },
);

verifies(
  "asking:raw-form:rounds-cap",
  "a raw form that never ends asks a legacy client eight times, and then fails without saying why",
  async ({ connect, wire }) => {
    const reported: Error[] = [];
    const server = new McpServer({ name: "endless", version: "1.0.0", onError: (error) => reported.push(error) });
    server.tool("ask", {}, () => inputRequired({ inputRequests: { it: formRequest("?") } }));
    const client = await connect(server, { elicit: () => accept("Ada") });

    expect(await client.callTool("ask")).toMatchObject({ isError: true });

    expect(reported).toMatchObject([{ cause: { code: "too-many-rounds" } }]);
    expect(wire.methods("server")).toHaveLength(8);
  },
);

verifies(
  "asking:raw-form:conversations",
  "a tool use without its result and results among other blocks stay on the server",
  async ({ connect, wire }) => {
    const use = { type: "tool_use", id: "1", name: "look", input: {} } as const;
    const result = { type: "tool_result" as const, toolUseId: "1", content: [] };
    const text = { type: "text", text: "And?" } as const;
    const broken: SamplingMessage[][] = [
      [{ role: "assistant", content: use }],
      [
        { role: "assistant", content: use },
        { role: "user", content: [result, text] },
      ],
    ];
    const reported: Error[] = [];
    const server = new McpServer({ name: "by-hand", version: "1.0.0", onError: (error) => reported.push(error) });
    for (const [index, messages] of broken.entries()) {
      const params = { messages, maxTokens: 5 };
      const it = { method: "sampling/createMessage", params } as const;
      server.tool(`ask-${index}`, {}, () => inputRequired({ inputRequests: { it } }));
    }
    const mustNotRun = () => {
      throw new Error("must not run");
    };
    const client = await connect(server, { sample: mustNotRun, capabilities: { sampling: { tools: {} } } });

    for (const index of broken.keys()) {
      expect(await client.callTool(`ask-${index}`)).toMatchObject({ isError: true });
      const message = expect.stringMatching(/^inputRequests\.it: messages/);
      expect(reported.pop()).toMatchObject({ cause: { code: "invalid-argument", message } });
    }
    expect(JSON.stringify(wire.from("server"))).not.toContain("createMessage");
  },
);

verifies(
  "asking:raw-form:page-ids",
  "a raw page has an elicitationId in 2025-11-25, and none in the modern era",
  async ({ connect, era }) => {
    const server = new McpServer({ name: "by-hand", version: "1.0.0" });
    for (const elicitationId of [undefined, "mine"]) {
      const params = { mode: "url", message: "Sign in", url: "https://example.com/", elicitationId } as const;
      server.tool(`ask-${elicitationId}`, {}, (_args, { inputResponses }) =>
        inputResponses ? "done" : inputRequired({ inputRequests: { page: { method: "elicitation/create", params } } }),
      );
    }
    const ids: unknown[] = [];
    const client = await connect(server, {
      elicitUrl: (page) => {
        ids.push("elicitationId" in page ? page.elicitationId : undefined);
        return { action: "accept" };
      },
    });

    await client.callTool("ask-undefined");
    await client.callTool("ask-mine");

    expect(ids).toEqual(era === "modern" ? [undefined, undefined] : [expect.stringMatching(/^[0-9a-f-]{36}$/), "mine"]);
  },
);
