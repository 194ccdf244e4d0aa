import { McpServer } from "parley-mcp/server";
import type { CreateMessageParams, CreateMessageResult, SamplingMessage } from "parley-mcp/types";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const capabilities = { sampling: { tools: {} } };
const TOOLS = [
  { name: "weather", description: "Tells the weather", inputSchema: { type: "object" as const, required: ["city"] } },
];
const QUESTION: SamplingMessage = { role: "user", content: { type: "text", text: "Is it warm in Paris?" } };
const use = (id: string) => ({ type: "tool_use" as const, id, name: "weather", input: { city: "Paris" } });
const result = (toolUseId: string) => ({
  type: "tool_result" as const,
  toolUseId,
  content: [{ type: "text" as const, text: "18 degrees" }],
});
const text = (words: string) => ({ type: "text" as const, text: words });
const says = (content: CreateMessageResult["content"], stopReason = "endTurn"): CreateMessageResult => ({
  role: "assistant",
  content,
  model: "m",
  stopReason,
});

verifies(
  "sampling:create:tools",
  "a tool runs the tools that the model wants to use, and gets the model's last answer",
  async ({ connect }) => {
    const asked: CreateMessageParams[] = [];
    const server = new McpServer({ name: "agent", version: "1.0.0" });
    server.tool("research", {}, async (_args, context) => {
      const messages = [QUESTION];
      const offer = { tools: TOOLS, toolChoice: { mode: "required" as const }, maxTokens: 50 };
      const wish = await context.sample({ ...offer, messages });
      messages.push({ role: "assistant", content: wish.content }, { role: "user", content: result("call-1") });
      const { content } = await context.sample({ ...offer, messages, toolChoice: { mode: "none" } });
      return JSON.stringify(content);
    });
    const client = await connect(server, {
      capabilities,
      sample: (params) => {
        asked.push(structuredClone(params));
        return params.messages.length === 1 ? says(use("call-1"), "toolUse") : says(text("It is mild."));
      },
    });

    const { content } = await client.callTool("research");

    expect(content).toEqual([text(JSON.stringify(text("It is mild.")))]);
    expect(asked).toEqual([
      { messages: [QUESTION], tools: TOOLS, toolChoice: { mode: "required" }, maxTokens: 50 },
      {
        messages: [
          QUESTION,
          { role: "assistant", content: use("call-1") },
          { role: "user", content: result("call-1") },
        ],
        tools: TOOLS,
        toolChoice: { mode: "none" },
        maxTokens: 50,
      },
    ]);
  },
);

verifies(
  "sampling:result:with-tools-array-content",
  "text and several tool uses of a model arrive in the tool as a list, in their order",
  async ({ connect }) => {
    const answers: unknown[] = [];
    const server = new McpServer({ name: "agent", version: "1.0.0" });
    server.tool("research", {}, async (_args, context) => {
      answers.push((await context.sample({ messages: [QUESTION], tools: TOOLS, maxTokens: 50 })).content);
      return "asked";
    });
    const blocks = [text("Let me look."), use("call-1"), use("call-2")];
    const client = await connect(server, { capabilities, sample: () => says(blocks, "toolUse") });

    await client.callTool("research");

    expect(answers).toEqual([blocks]);
  },
);

verifies(
  "sampling:result:tool-use-unoffered",
  "a tool use that nobody offered does not leave the client: without tools, with none to choose or with a choice of none",
  async ({ connect, wire, era }) => {
    for (const offer of [{}, { tools: [] }, { tools: TOOLS, toolChoice: { mode: "none" } }] as const) {
      const errors: Error[] = [];
      const server = new McpServer({ name: "agent", version: "1.0.0", onError: () => undefined });
      server.tool("research", {}, async (_args, context) => {
        const { tools, ...rest } = { messages: [QUESTION], maxTokens: 50, ...offer } as CreateMessageParams;
        return (await context.sample(tools ? { ...rest, tools: [...tools] } : rest)).model;
      });
      const sample = () => says(use("call-1"), "toolUse");
      const client = await connect(server, { capabilities, sample, onError: (error) => errors.push(error) });

      const failure = await client.callTool("research").catch((error) => error);

      const unfit = { code: "invalid-argument", message: expect.stringMatching(/sample.*content: uses a tool/) };
      if (era === "modern") expect(failure).toMatchObject(unfit);
      else expect(failure).toMatchObject({ isError: true });
      expect(errors.map(({ cause }) => cause)).toMatchObject(era === "modern" ? [] : [unfit]);
      expect(JSON.stringify(wire.from("client"))).not.toContain("tool_use");
    }
  },
);

verifies(
  "sampling:message:content-cardinality",
  "single blocks, lists of one and of several arrive as they were given, both ways",
  async ({ connect }) => {
    const shapes: SamplingMessage["content"][] = [text("a"), [text("a")], [text("a"), text("b")]];
    const asked: unknown[] = [];
    const server = new McpServer({ name: "agent", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const answered: unknown[] = [];
      for (const content of shapes) {
        answered.push((await context.sample({ messages: [{ role: "user", content }], maxTokens: 5 })).content);
      }
      return JSON.stringify(answered);
    });
    const client = await connect(server, {
      sample: ({ messages }) => {
        const content = messages[0]?.content ?? [];
        asked.push(content);
        return says(content);
      },
    });

    const { content } = await client.callTool("ask");

    expect(asked).toEqual(shapes);
    expect(content).toEqual([text(JSON.stringify(shapes))]);
  },
);

verifies(
  "sampling:message:single-content-before",
  "a list of content blocks is refused in revisions with single blocks, in the server that asks and in the client that answers",
  async ({ connect, wire }) => {
    const errors: Error[] = [];
    const failures: unknown[] = [];
    const server = new McpServer({ name: "agent", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      for (const content of [[text("a")], text("a")]) {
        await context
          .sample({ messages: [{ role: "user", content }], maxTokens: 5 })
          .catch((error) => failures.push(error));
      }
      return "asked";
    });
    const client = await connect(server, { sample: () => says([text("b")]), onError: (error) => errors.push(error) });

    await client.callTool("ask");

    const message = expect.stringMatching(/content: a list.*2025-11-25/);
    expect(failures).toMatchObject([{ code: "invalid-argument", message }, { code: -32603 }]);
    expect(errors).toMatchObject([{ cause: { code: "invalid-argument", message } }]);
    expect(wire.methods("server")).toEqual(["sampling/createMessage"]);
    expect(JSON.stringify(wire.from("client"))).not.toContain('"b"');
  },
);

const UNSETTLED: readonly [SamplingMessage[], RegExp][] = [
  [[QUESTION, { role: "assistant", content: use("call-1") }], /messages.*"call-1"/],
  [[QUESTION, { role: "assistant", content: use("call-1") }, QUESTION], /messages\[2\].*"call-1"/],
  [
    [
      QUESTION,
      { role: "assistant", content: [use("call-1"), use("call-2")] },
      { role: "user", content: result("call-1") },
    ],
    /messages\[2\].*"call-2"/,
  ],
  [[QUESTION, { role: "user", content: result("call-9") }], /messages\[1\].*"call-9"/],
];
const MIXED: readonly [SamplingMessage[], RegExp] = [
  [
    QUESTION,
    { role: "assistant", content: use("call-1") },
    { role: "user", content: [text("Here:"), result("call-1")] },
  ],
  /messages\[2\].*mixed/,
];

verifies(
  "sampling:tool-use:server-preflight",
  "a tool that samples with an unsettled conversation is refused with the place, and no question goes out",
  async ({ connect, wire }) => {
    for (const [messages, complaint] of [...UNSETTLED, MIXED]) {
      const server = new McpServer({ name: "agent", version: "1.0.0" });
      server.tool("research", {}, async (_args, context) => {
        const { code, message } = await context
          .sample({ messages, tools: TOOLS, maxTokens: 5 })
          .catch((error) => error);
        return `${code} ${message}`;
      });
      const sample = () => {
        throw new Error("must not run");
      };
      const client = await connect(server, { capabilities, sample });

      const { content } = await client.callTool("research");

      expect(content).toMatchObject([{ text: expect.stringMatching(complaint) }]);
      expect(content).toMatchObject([{ text: expect.stringMatching(/^invalid-argument /) }]);
      expect(wire.methods("server")).toEqual([]);
    }
  },
);

for (const [id, conversations] of [
  ["sampling:tool-use:result-balance", UNSETTLED],
  ["sampling:tool-result:no-mixed-content", [MIXED]],
] as const) {
  verifies(
    id,
    "a client refuses an unsettled conversation with -32602 and the place, in its answer or in its call",
    async ({ openServer, era }) => {
      const sample = () => {
        throw new Error("must not run");
      };
      const { peer, client } = await openServer({ tools: {} }, { capabilities, sample });
      for (const [messages, complaint] of conversations) {
        const params = { messages, tools: TOOLS, maxTokens: 5 };
        const refusal = { code: -32602, message: expect.stringMatching(complaint) };
        if (era === "legacy") {
          expect(await peer.request("q", "sampling/createMessage", params)).toMatchObject({ id: "q", error: refusal });
          continue;
        }
        const calling = client.callTool("research");
        const inputRequests = { q: { method: "sampling/createMessage", params } };
        await peer.respond(await peer.receive(), { resultType: "input_required", inputRequests });
        await expect(calling).rejects.toMatchObject(refusal);
        expect(await peer.drain()).toEqual([]);
      }
    },
  );
}

verifies(
  "sampling:tool-loop:ends",
  "a tool that asks the model again and again is refused the question after the last one allowed",
  async ({ connect, era }) => {
    const server = new McpServer({ name: "agent", version: "1.0.0", onError: () => undefined });
    server.tool("loop", {}, async (_args, context) => {
      for (;;) await context.sample({ messages: [QUESTION], maxTokens: 50 });
    });
    let asked = 0;
    const client = await connect(server, {
      maxInputRounds: 3,
      rateLimits: { "sampling/createMessage": { perSecond: 0.001, burst: 3 } },
      sample: () => {
        asked += 1;
        return says(text("Again."));
      },
    });

    const outcome = await client.callTool("loop").catch((error: unknown) => error);

    if (era === "legacy") expect(outcome).toMatchObject({ isError: true });
    else expect(outcome).toMatchObject({ code: "too-many-rounds" });
    expect(asked).toBe(3);
  },
);
