import { McpServer } from "parley-mcp/server";
import type { ContentBlock } from "parley-mcp/types";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";

const weather = z.object({ celsius: z.number(), content: z.array(z.string()) });

verifies(
  "tools:call:structured-content",
  "the handler's value is the structured content, fields of its own called content included",
  async ({ connect }) => {
    const server = new McpServer({ name: "structured", version: "1.0.0" });
    server.tool("value", { output: weather }, () => ({ celsius: 4, content: ["mist"] }));
    server.tool("full", { output: weather }, async () => ({ structuredContent: { celsius: 5, content: [] } }));
    server.tool("parsed", { output: weather.extend({ wind: z.string().default("calm") }) }, () => ({
      celsius: 6,
      content: [],
    }));
    const client = await connect(server);

    const names = ["value", "full", "parsed"];
    const values = await Promise.all(names.map(async (name) => (await client.callTool(name)).structuredContent));

    expect(values).toStrictEqual([
      { celsius: 4, content: ["mist"] },
      { celsius: 5, content: [] },
      { celsius: 6, content: [], wind: "calm" },
    ]);
  },
);

verifies(
  "tools:call:structured-content:as-text",
  "the value arrives as JSON text, be it an object or not and whether its tool mirrors it or not",
  async ({ connect }) => {
    const server = new McpServer({ name: "structured", version: "1.0.0" });
    server.tool("object", { output: weather }, () => ({ celsius: 4, content: ["mist"] }));
    server.tool("list", { output: z.array(z.number()) }, () => [1, 2]);
    server.tool("terse", { output: z.number(), textMirror: false }, () => 0);
    const client = await connect(server);

    const names = ["object", "list", "terse"];
    const contents = await Promise.all(names.map(async (name) => (await client.callTool(name)).content));

    expect(contents).toEqual([
      [{ type: "text", text: '{"celsius":4,"content":["mist"]}' }],
      [{ type: "text", text: "[1,2]" }],
      [{ type: "text", text: "0" }],
    ]);
  },
);

verifies(
  "tools:call:structured-content:text-mirror",
  "structured content is repeated as one block of JSON text, with an output schema and without",
  async ({ connect }) => {
    const server = new McpServer({ name: "mirrored", version: "1.0.0" });
    server.tool("typed", { output: weather }, () => ({ celsius: 4, content: ["mist"] }));
    server.tool("untyped", {}, () => ({ structuredContent: { celsius: 5 } }));
    const client = await connect(server);

    const [typed, untyped] = [await client.callTool("typed"), await client.callTool("untyped")];

    expect(typed).toMatchObject({
      content: [{ type: "text", text: '{"celsius":4,"content":["mist"]}' }],
      structuredContent: { celsius: 4, content: ["mist"] },
    });
    expect(untyped).toMatchObject({
      content: [{ type: "text", text: '{"celsius":5}' }],
      structuredContent: { celsius: 5 },
    });
  },
);

verifies(
  "tools:call:structured-content:own-content",
  "content that the handler gives stands alone beside its structured content",
  async ({ connect }) => {
    const structuredContent = { celsius: 4, content: ["mist"] };
    const content: ContentBlock[] = [{ type: "text", text: "Four degrees and misty" }];
    const server = new McpServer({ name: "eloquent", version: "1.0.0" });
    server.tool("words", { output: weather }, () => ({ content, structuredContent }));
    server.tool("silence", { output: weather }, () => ({ content: [], structuredContent }));
    const client = await connect(server);

    const [words, silence] = [await client.callTool("words"), await client.callTool("silence")];

    expect(words.content).toEqual(content);
    expect(silence.content).toEqual([]);
    expect([words.structuredContent, silence.structuredContent]).toEqual([structuredContent, structuredContent]);
  },
);

verifies(
  "tools:call:structured-content:mirror-off",
  "a tool without its mirror sends structured content and no blocks",
  async ({ connect }) => {
    const server = new McpServer({ name: "terse", version: "1.0.0" });
    server.tool("terse", { output: weather, textMirror: false }, () => ({ celsius: 4, content: ["mist"] }));
    const client = await connect(server);

    const { content, structuredContent } = await client.callTool("terse");

    expect(content).toEqual([]);
    expect(structuredContent).toEqual({ celsius: 4, content: ["mist"] });
  },
);

verifies(
  "tools:call:structured-content:any-json",
  "every kind of JSON value arrives as it is, and is refused where it breaks its schema",
  async ({ connect }) => {
    const reported: Error[] = [];
    const server = new McpServer({ name: "json", version: "1.0.0", onError: (error) => void reported.push(error) });
    const values = [["a", 1], [], "text", "", 7, 0, true, false, null, { a: null }];
    const kinds = ["string", "number", "boolean", "null", "array", "object"];
    for (const [index, value] of values.entries()) {
      server.tool(`fits${index}`, { output: { enum: [value] } }, () => value);
      server.tool(`breaks${index}`, { output: { type: kinds, not: { enum: [value] } } }, () => value);
    }
    const client = await connect(server);
    await client.listTools();

    const fitting: unknown[] = [];
    const texts: unknown[] = [];
    const failures: unknown[] = [];
    for (const index of values.keys()) {
      const { content, structuredContent } = await client.callTool(`fits${index}`);
      fitting.push(structuredContent);
      texts.push(content);
      failures.push(await client.callTool(`breaks${index}`));
    }

    expect(fitting).toStrictEqual(values);
    expect(texts).toEqual(values.map((value) => [{ type: "text", text: JSON.stringify(value) }]));
    expect(failures).toMatchObject(values.map(() => ({ isError: true })));
    expect(reported).toMatchObject(values.map(() => ({ cause: { code: "invalid-result" } })));
  },
);

verifies(
  "tools:call:structured-content:wrapped",
  "values of schemas that are no object arrive under result, objects among them too",
  async ({ connect }) => {
    const either = z.union([z.object({ id: z.number() }), z.null()]);
    const server = new McpServer({ name: "wrapping", version: "1.0.0" });
    server.tool("list", { output: z.array(z.number()) }, () => [1, 2]);
    server.tool("zero", { output: z.number() }, () => 0);
    server.tool("object", { output: either }, () => ({ id: 1 }));
    server.tool("null", { output: either }, () => null);
    const client = await connect(server);
    await client.listTools();

    const names = ["list", "zero", "object", "null"];
    const results = await Promise.all(names.map((name) => client.callTool(name)));

    expect(results).toMatchObject([
      { structuredContent: { result: [1, 2] }, content: [{ type: "text", text: "[1,2]" }] },
      { structuredContent: { result: 0 }, content: [{ type: "text", text: "0" }] },
      { structuredContent: { result: { id: 1 } }, content: [{ type: "text", text: '{"id":1}' }] },
      { structuredContent: { result: null }, content: [{ type: "text", text: "null" }] },
    ]);
  },
);

verifies(
  "tools:call:structured-content:schemaless-wrapped",
  "values that are no object arrive under result without an output schema, and objects arrive as they are",
  async ({ connect }) => {
    const server = new McpServer({ name: "free", version: "1.0.0" });
    const values = [[1, 2], "text", 0, false, null, { id: 1 }];
    for (const [index, structuredContent] of values.entries()) {
      server.tool(`tool${index}`, {}, () => ({ structuredContent }));
    }
    const client = await connect(server);

    const structured: unknown[] = [];
    for (const index of values.keys()) structured.push((await client.callTool(`tool${index}`)).structuredContent);

    expect(structured).toStrictEqual([
      { result: [1, 2] },
      { result: "text" },
      { result: 0 },
      { result: false },
      { result: null },
      { id: 1 },
    ]);
  },
);
