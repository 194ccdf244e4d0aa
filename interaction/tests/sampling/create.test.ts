import { McpServer, type ServerContext } from "parley-mcp/server";
import type { CreateMessageParams, CreateMessageResult } from "parley-mcp/types";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const QUESTION: CreateMessageParams = {
  messages: [{ role: "user", content: { type: "text", text: "What is the capital of France?" } }],
  maxTokens: 100,
};
const ANSWER: CreateMessageResult = {
  role: "assistant",
  content: { type: "text", text: "Paris." },
  model: "small-model-1",
  stopReason: "endTurn",
};

/** A server whose one tool samples and writes down the answer. */
function samplingServer(params: CreateMessageParams): { server: McpServer; answers: unknown[] } {
  const answers: unknown[] = [];
  const server = new McpServer({ name: "asker", version: "1.0.0" });
  server.tool("ask", {}, async (_args, context) => {
    answers.push(await context.sample(params));
    return "asked";
  });
  return { server, answers };
}

/** A model that gives one answer and writes down what it was asked. */
function model(answer: CreateMessageResult): { asked: CreateMessageParams[]; sample: () => CreateMessageResult } {
  const asked: CreateMessageParams[] = [];
  const sample = (params?: CreateMessageParams) => {
    if (params) asked.push(params);
    return answer;
  };
  return { asked, sample };
}

verifies(
  "sampling:capability:declare",
  "the server sees sampling among what the client declared, or does not",
  async ({ connect }) => {
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("look", {}, (_args, { clientCapabilities }) => JSON.stringify(clientCapabilities));
    const sampling = await connect(server, { sample: () => ANSWER });
    const plain = await connect(server);

    expect((await sampling.callTool("look")).content).toEqual([{ type: "text", text: '{"sampling":{}}' }]);
    expect((await plain.callTool("look")).content).toEqual([{ type: "text", text: "{}" }]);
  },
);

verifies(
  "sampling:create:basic",
  "a tool samples from the client's model, and its result is made of the answer",
  async ({ connect }) => {
    const server = new McpServer({ name: "asker", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const { content } = await context.sample(QUESTION);
      return JSON.stringify(content);
    });
    const { asked, sample } = model(ANSWER);
    const client = await connect(server, { sample });

    const { content } = await client.callTool("ask");

    expect(content).toEqual([{ type: "text", text: JSON.stringify(ANSWER.content) }]);
    expect(asked).toEqual([QUESTION]);
  },
);

verifies(
  "sampling:create:request",
  "a legacy tool's sampling is one request of the server, between the call and its result",
  async ({ connect, wire }) => {
    const { server } = samplingServer(QUESTION);
    const client = await connect(server, { sample: () => ANSWER });

    await client.callTool("ask");

    expect(wire.methods("server")).toEqual(["sampling/createMessage"]);
    expect(wire.methods("client").filter((method) => method === "tools/call")).toHaveLength(1);
    const sent = wire.from("server").filter((message) => "method" in message || "result" in message);
    expect(sent.at(-2)).toMatchObject({ method: "sampling/createMessage", params: QUESTION });
    expect(wire.from("client").at(-1)).toMatchObject({ id: (sent.at(-2) as { id: unknown }).id, result: ANSWER });
    expect(sent.at(-1)).toMatchObject({ result: { content: [{ type: "text", text: "asked" }] } });
  },
);

verifies(
  "sampling:mrtr:create:basic",
  "a modern tool's sampling comes in a result, and the answer goes with the retry under its key",
  async ({ connect, wire }) => {
    const { server, answers } = samplingServer(QUESTION);
    const client = await connect(server, { sample: () => ANSWER });

    await client.callTool("ask");

    expect(wire.methods("server")).toEqual([]);
    expect(wire.methods("client").filter((method) => method === "tools/call")).toHaveLength(2);
    const [required] = wire.from("server").slice(-2);
    expect(required).toMatchObject({
      result: {
        resultType: "input_required",
        inputRequests: { "sampling/createMessage#1": { method: "sampling/createMessage", params: QUESTION } },
      },
    });
    expect(wire.from("client").at(-1)).toMatchObject({
      params: { name: "ask", inputResponses: { "sampling/createMessage#1": ANSWER } },
    });
    expect(answers).toEqual([ANSWER]);
  },
);

const SETTINGS: readonly [id: string, sentence: string, params: Partial<CreateMessageParams>][] = [
  [
    "sampling:create:model-preferences",
    "model hints arrive in their order, with all three priorities",
    {
      modelPreferences: {
        hints: [{ name: "big" }, { name: "bi" }, {}],
        costPriority: 0,
        speedPriority: 0.25,
        intelligencePriority: 1,
      },
    },
  ],
  [
    "sampling:create:system-prompt",
    "the system prompt arrives to the letter",
    { systemPrompt: " Be brief.\n\u00dc\u2028" },
  ],
  [
    "sampling:create:parameters",
    "maxTokens, temperature, stop sequences and metadata arrive, zero and empty ones too",
    { maxTokens: 1, temperature: 0, stopSequences: ["\n\n", ""], metadata: { seed: 7, nested: { no: false } } },
  ],
  ["sampling:create:include-context", "includeContext arrives with its value", { includeContext: "allServers" }],
];

for (const [id, sentence, settings] of SETTINGS) {
  verifies(id, sentence, async ({ connect }) => {
    const { server, answers } = samplingServer({ ...QUESTION, ...settings });
    const { asked, sample } = model(ANSWER);
    const client = await connect(server, { sample, capabilities: { sampling: { context: {}, tools: {} } } });

    await client.callTool("ask");

    expect(asked).toEqual([{ ...QUESTION, ...settings }]);
    expect(answers).toEqual([ANSWER]);
  });
}

const MEDIA = [
  ["sampling:create:image-content", { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }],
  ["sampling:create:audio-content", { type: "audio", data: "UklGRg==", mimeType: "audio/wav" }],
] as const;

for (const [id, block] of MEDIA) {
  verifies(
    id,
    "image and audio data and their MIME type are the same in the question and in the answer",
    async ({ connect }) => {
      const content = { ...block };
      const { server, answers } = samplingServer({ ...QUESTION, messages: [{ role: "user", content }] });
      const { asked, sample } = model({ ...ANSWER, content });
      const client = await connect(server, { sample });

      await client.callTool("ask");

      expect(asked[0]?.messages).toEqual([{ role: "user", content: block }]);
      expect(answers).toEqual([{ ...ANSWER, content: block }]);
    },
  );
}

verifies(
  "sampling:create:audio-content-before",
  "a tool that samples with audio in a revision without audio is refused with the message named, and the client hears nothing",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "asker", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const content = { type: "audio", data: "UklGRg==", mimeType: "audio/wav" } as const;
      const messages: CreateMessageParams["messages"] = [...QUESTION.messages, { role: "user", content }];
      const { code, message } = await context.sample({ ...QUESTION, messages }).catch((error) => error);
      return `${code}: ${message}`;
    });
    const client = await connect(server, { sample: () => ANSWER });

    const { content } = await client.callTool("ask");

    const text = expect.stringMatching(/^invalid-argument: messages\[1\].*audio/);
    expect(content).toEqual([{ type: "text", text }]);
    expect(wire.methods("server")).toEqual([]);
  },
);

verifies(
  "sampling:create:result-fields",
  "a sampling answer keeps the model's name, any stop reason and extra fields",
  async ({ connect }) => {
    const answer = { ...ANSWER, stopReason: "contentFilter", _meta: { "acme.example/cost": 3 } };
    const { server, answers } = samplingServer(QUESTION);
    const client = await connect(server, { sample: () => answer });
    const { stopReason, ...withoutReason } = ANSWER;
    const terse = await connect(server, { sample: () => withoutReason });

    await client.callTool("ask");
    await terse.callTool("ask");

    expect(answers).toEqual([answer, withoutReason]);
  },
);

verifies(
  "sampling:create:everywhere",
  "the same function samples in a prompt, a resource and a template",
  async ({ connect }) => {
    const askModel = async (_params: unknown, context: ServerContext) => (await context.sample(QUESTION)).model;
    const server = new McpServer({ name: "asker", version: "1.0.0" });
    server.prompt("model", {}, askModel);
    server.resource("model://name", { name: "name" }, askModel);
    server.resourceTemplate("model://{any}/name", { name: "any" }, askModel);
    const client = await connect(server, { sample: () => ANSWER });

    expect(await client.getPrompt("model")).toMatchObject({ messages: [{ content: { text: "small-model-1" } }] });
    expect(await client.readResource("model://name")).toMatchObject({ contents: [{ text: "small-model-1" }] });
    expect(await client.readResource("model://any/name")).toMatchObject({ contents: [{ text: "small-model-1" }] });
  },
);
