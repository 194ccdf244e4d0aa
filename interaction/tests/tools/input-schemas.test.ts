import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { McpServer } from "parley-mcp/server";
import type { CallToolResult, JsonSchema } from "parley-mcp/types";
import * as v from "valibot";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";

/** What the caller is told of refused arguments: a result with isError from 2025-11-25 on, an error before. */
async function complaintAbout(call: Promise<CallToolResult>): Promise<string> {
  const outcome = await call.catch((error: unknown) => error);
  if (outcome instanceof Error) return outcome.message;
  expect(outcome).toMatchObject({ content: [{ type: "text", text: expect.any(String) }], isError: true });
  return JSON.stringify(outcome);
}

verifies(
  "tools:input-schema:json-schema-2020-12",
  "a schema with $defs and references is listed as written and holds the arguments to it, at any depth",
  async ({ connect }) => {
    const input = {
      type: "object",
      properties: { tree: { $ref: "#/$defs/node" }, range: { $ref: "#range" } },
      required: ["tree"],
      unevaluatedProperties: false,
      $defs: {
        node: {
          type: "object",
          properties: { label: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
          required: ["label"],
        },
        range: {
          $anchor: "range",
          type: "array",
          prefixItems: [{ type: "integer" }, { type: "integer" }],
          items: false,
        },
      },
    };
    const received: unknown[] = [];
    const server = new McpServer({ name: "forester", version: "1.0.0" });
    server.tool("plant", { input }, (args) => void received.push(args));
    const client = await connect(server);

    const { tools } = await client.listTools();
    const tree = { label: "root", children: [{ label: "leaf" }] };
    await client.callTool("plant", { tree, range: [1, 2] });
    const complaints = [
      await complaintAbout(client.callTool("plant", { tree: { label: "root", children: [{ label: "a" }, {}] } })),
      await complaintAbout(client.callTool("plant", { tree, range: [1, "2"] })),
      await complaintAbout(client.callTool("plant", { tree, range: [1, 2, 3] })),
      await complaintAbout(client.callTool("plant", { tree, depth: 2 })),
    ];

    expect(tools[0]?.inputSchema).toStrictEqual(input);
    expect(received).toEqual([{ tree, range: [1, 2] }]);
    expect(complaints[0]).toContain("arguments.tree.children[1]");
    expect(complaints[1]).toContain("arguments.range[1]");
    expect(complaints[2]).toContain("arguments.range");
    expect(complaints[3]).toContain("depth");
  },
);

verifies(
  "tools:input-schema:preserve-keywords",
  "every keyword of a schema is listed as it was given, known or not",
  async ({ connect }) => {
    const modern: JsonSchema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $comment: "kept",
      type: "object",
      properties: {
        city: { $ref: "#/$defs/city", examples: ["Oslo"] },
        region: { type: "string", "x-mcp-header": "Region" },
      },
      additionalProperties: false,
      $defs: { city: { type: "string", minLength: 1, "x-acme-widget": { kind: "map", zoom: [1, 2] } } },
      "x-acme-order": ["city"],
    };
    const draft7: JsonSchema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      definitions: { id: { type: "integer" } },
      properties: { id: { $ref: "#/definitions/id" } },
      additionalProperties: { type: "string" },
    };
    const server = new McpServer({ name: "verbatim", version: "1.0.0" });
    server.tool("modern", { input: modern }, () => "ok");
    server.tool("draft7", { input: draft7 }, () => "ok");
    const client = await connect(server);

    const { tools } = await client.listTools();

    expect(tools.map(({ inputSchema }) => inputSchema)).toStrictEqual([modern, draft7]);
  },
);

verifies(
  "tools:input-schema:standard-schema",
  "Zod, Valibot and ArkType schemas are listed as JSON Schema and hold the arguments to it",
  async ({ connect }) => {
    const server = new McpServer({ name: "polyglot", version: "1.0.0" });
    const received: number[] = [];
    const take = ({ age }: { age: number }) => void received.push(age);
    server.tool("zod", { input: z.object({ age: z.number() }) }, take);
    server.tool("valibot", { input: toStandardJsonSchema(v.object({ age: v.number() })) }, take);
    server.tool("arktype", { input: type({ age: "number" }) }, take);
    const client = await connect(server);

    const { tools } = await client.listTools();
    const names = ["zod", "valibot", "arktype"];
    const complaints: string[] = [];
    for (const [index, name] of names.entries()) {
      await client.callTool(name, { age: index });
      complaints.push(await complaintAbout(client.callTool(name, { age: "ten" })));
    }

    const described = { type: "object", properties: { age: { type: "number" } }, required: ["age"] };
    expect(tools).toMatchObject(names.map((name) => ({ name, inputSchema: described })));
    expect(received).toEqual([0, 1, 2]);
    expect(complaints).toEqual(names.map(() => expect.stringContaining("arguments.age")));
  },
);

verifies(
  "tools:input-schema:parsed-value",
  "a handler gets its arguments with defaults filled in and transformations applied",
  async ({ connect }) => {
    const input = z.object({
      limit: z.number().default(10),
      since: z.string().transform((text) => new Date(text)),
      tag: z.string().trim().toLowerCase(),
    });
    const received: unknown[] = [];
    const server = new McpServer({ name: "parser", version: "1.0.0" });
    server.tool("search", { input }, (args) => void received.push(args));
    const client = await connect(server);

    await client.callTool("search", { since: "2026-07-28T00:00:00Z", tag: "  News " });

    expect(received).toStrictEqual([{ limit: 10, since: new Date("2026-07-28T00:00:00Z"), tag: "news" }]);
  },
);

verifies(
  "tools:input-schema:absent",
  "a tool without an input schema says that it takes nothing, and takes nothing",
  async ({ connect }) => {
    const received: unknown[] = [];
    const server = new McpServer({ name: "clock", version: "1.0.0" });
    server.tool("now", {}, (args) => void received.push(args));
    const client = await connect(server);

    const { tools } = await client.listTools();
    await client.callTool("now", {});
    const complaint = await complaintAbout(client.callTool("now", { zone: "UTC" }));

    expect(tools[0]?.inputSchema).toStrictEqual({ type: "object", additionalProperties: false });
    expect(complaint).toContain("zone");
    expect(received).toEqual([{}]);
  },
);

verifies(
  "tools:input-schema:object-only",
  "a schema for anything but an object is refused with the tool's name",
  () => {
    const server = new McpServer({ name: "objects", version: "1.0.0" });
    const others = [
      {},
      { type: "array" },
      { type: ["object", "null"] },
      { properties: { a: { type: "string" } } },
      { anyOf: [{ type: "object" }] },
      z.string(),
      z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
    ];

    for (const input of others) {
      expect(() => server.tool("count", { input }, () => "never")).toThrow(
        expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining('"count"') }),
      );
    }
  },
);

verifies(
  "tools:input-validation:tool-error",
  "wrong arguments are told to the model with their path, and no handler runs",
  async ({ connect }) => {
    const input = z.object({ user: z.object({ ages: z.array(z.number()) }) });
    const server = new McpServer({ name: "strict", version: "1.0.0" });
    server.tool("save", { input }, () => {
      throw new Error("the handler ran");
    });
    const client = await connect(server);

    const result = await client.callTool("save", { user: { ages: [1, "two"] } });

    expect(result).toMatchObject({
      content: [{ type: "text", text: expect.stringContaining("arguments.user.ages[1]") }],
      isError: true,
    });
    expect(result.content).toHaveLength(1);
  },
);

verifies(
  "tools:input-validation:invalid-params",
  "wrong arguments are an error that names their path, and no handler runs",
  async ({ connect }) => {
    const input = z.object({ user: z.object({ ages: z.array(z.number()) }) });
    const server = new McpServer({ name: "strict", version: "1.0.0" });
    server.tool("save", { input }, () => {
      throw new Error("the handler ran");
    });
    const client = await connect(server);

    await expect(client.callTool("save", { user: { ages: [1, "two"] } })).rejects.toMatchObject({
      name: "ProtocolError",
      code: -32602,
      message: expect.stringContaining("arguments.user.ages[1]"),
    });
  },
);

verifies(
  "tools:input-validation:hostile-pattern",
  "a name that a pattern with nested repetition does not match costs next to nothing",
  async ({ connect }) => {
    const server = new McpServer({ name: "names", version: "1.0.0" });
    const input: JsonSchema = { type: "object", properties: { name: { type: "string", pattern: "^(a+)+$" } } };
    server.tool("greet", { input }, ({ name }) => `hello ${name}`);
    const client = await connect(server);

    const startedAt = performance.now();
    expect(await complaintAbout(client.callTool("greet", { name: `${"a".repeat(29)}!` }))).toContain("name");
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(await client.callTool("greet", { name: "aaa" })).toMatchObject({ content: [{ text: "hello aaa" }] });
  },
);

verifies(
  "tools:schema:other-dialects",
  "keywords that the dialects read differently decide as each of them says",
  async ({ connect }) => {
    const dialects = {
      "2019-09": "https://json-schema.org/draft/2019-09/schema",
      "draft-07": "http://json-schema.org/draft-07/schema#",
      "draft-04": "http://json-schema.org/draft-04/schema#",
    };
    // A list of schemas under `items` is a tuple in these, and no schema in 2020-12.
    const pair = { type: "array", items: [{ type: "string" }, { type: "integer" }] };
    // A boolean here is draft-04 alone, a number all others.
    const above = { "draft-04": { minimum: 1, exclusiveMinimum: true }, other: { exclusiveMinimum: 1 } };
    const server = new McpServer({ name: "old", version: "1.0.0" });
    for (const [name, $schema] of Object.entries(dialects)) {
      const more = name === "draft-04" ? above["draft-04"] : above.other;
      const properties = { pair, more: { type: "number", ...more } };
      server.tool(name, { input: { $schema, type: "object", properties } }, () => "fits");
    }
    const client = await connect(server);
    const fits = async (name: string, args: Record<string, unknown>) => {
      const outcome = await client.callTool(name, args).catch((error: unknown) => error);
      return JSON.stringify(outcome).includes("fits");
    };

    expect((await client.listTools()).tools.map(({ inputSchema }) => inputSchema.$schema)).toEqual(
      Object.values(dialects),
    );
    for (const name of Object.keys(dialects)) {
      expect(await fits(name, { pair: ["a", 1], more: 2 })).toBe(true);
      expect(await fits(name, { pair: [1, "a"] })).toBe(false);
      expect(await fits(name, { more: 1 })).toBe(false);
    }
  },
);
