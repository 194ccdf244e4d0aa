import { McpServer } from "parley-mcp/server";
import type { ClientCapabilities, CreateMessageParams, CreateMessageResult } from "parley-mcp/types";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const QUESTION: CreateMessageParams = {
  messages: [{ role: "user", content: { type: "text", text: "Hello" } }],
  maxTokens: 100,
};
const ANSWER: CreateMessageResult = { role: "assistant", content: { type: "text", text: "Hi." }, model: "m" };
const TOOLS = [{ name: "look", inputSchema: { type: "object" as const } }];

function samplingServer(params: CreateMessageParams): McpServer {
  const server = new McpServer({ name: "asker", version: "1.0.0" });
  server.tool("ask", {}, async (_args, context) => (await context.sample(params)).model);
  return server;
}

const mustNotRun = (): never => {
  throw new Error("must not run");
};

verifies(
  "sampling:create:not-supported",
  "a tool that samples from a client without sampling fails with the missing capability, and no question goes out",
  async ({ connect, wire, era }) => {
    const client = await connect(samplingServer(QUESTION), { elicit: mustNotRun, listRoots: () => [] });

    await expect(client.callTool("ask")).rejects.toMatchObject({
      name: "ProtocolError",
      code: era === "modern" ? -32021 : -32602,
      message: expect.stringContaining("sampling"),
      data: { requiredCapabilities: { sampling: {} } },
    });
    expect(wire.methods("server")).toEqual([]);
    expect(JSON.stringify(wire.from("server"))).not.toContain("input_required");
  },
);

const GATED: readonly [
  id: string,
  sentence: string,
  missing: ClientCapabilities["sampling"],
  asked: Partial<CreateMessageParams>[],
][] = [
  [
    "sampling:context:server-gated-by-capability",
    "a question that wants context fails and names sampling.context, unless the client declared it",
    { context: {} },
    [{ includeContext: "thisServer" }, { includeContext: "allServers" }],
  ],
  [
    "sampling:tools:server-gated-by-capability",
    "a question with tools fails and names sampling.tools, unless the client declared it",
    { tools: {} },
    [{ tools: TOOLS }, { toolChoice: { mode: "none" } }, { tools: [] }],
  ],
];

for (const [id, sentence, missing, wishes] of GATED) {
  verifies(id, sentence, async ({ connect, wire, era }) => {
    for (const wish of wishes) {
      const server = samplingServer({ ...QUESTION, ...wish });
      const client = await connect(server, { sample: mustNotRun });
      await expect(client.callTool("ask")).rejects.toMatchObject({
        code: era === "modern" ? -32021 : -32602,
        data: { requiredCapabilities: { sampling: missing } },
      });
      expect(wire.methods("server")).toEqual([]);
    }

    const plain = await connect(samplingServer({ ...QUESTION, includeContext: "none" }), { sample: () => ANSWER });
    await expect(plain.callTool("ask")).resolves.toMatchObject({ content: [{ text: "m" }] });

    const declared = { sample: () => ANSWER, capabilities: { sampling: missing } };
    const able = await connect(samplingServer({ ...QUESTION, ...wishes[0] }), declared);
    await expect(able.callTool("ask")).resolves.toMatchObject({ content: [{ text: "m" }] });
  });
}

verifies(
  "sampling:context:ungated-before",
  "the wish for context reaches a client that declared sampling and no more",
  async ({ connect }) => {
    const asked: CreateMessageParams[] = [];
    const client = await connect(samplingServer({ ...QUESTION, includeContext: "thisServer" }), {
      sample: (params) => {
        asked.push(params);
        return ANSWER;
      },
    });

    await client.callTool("ask");

    expect(asked).toEqual([{ ...QUESTION, includeContext: "thisServer" }]);
  },
);

verifies(
  "sampling:tools:not-before",
  "a tool that samples with tools before they exist is refused with the revision that has them, and no question goes out",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "asker", version: "1.0.0" });
    const refusals: unknown[] = [];
    server.tool("ask", {}, async (_args, context) => {
      for (const wish of [{ tools: TOOLS }, { toolChoice: { mode: "auto" } }] as const) {
        await context.sample({ ...QUESTION, ...wish }).catch((error) => refusals.push(error));
      }
      return "asked";
    });
    const client = await connect(server, { sample: mustNotRun, capabilities: { sampling: { tools: {} } } });

    await client.callTool("ask");

    expect(refusals).toMatchObject([
      { code: "invalid-argument", message: expect.stringMatching(/^tools.*2025-11-25/) },
      { code: "invalid-argument", message: expect.stringMatching(/^toolChoice.*2025-11-25/) },
    ]);
    expect(wire.methods("server")).toEqual([]);
  },
);
