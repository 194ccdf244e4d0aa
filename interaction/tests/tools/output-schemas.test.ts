import { McpServer } from "parley-mcp/server";
import type { JsonSchema } from "parley-mcp/types";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";

const weather = z.object({ celsius: z.number(), sky: z.string() });

verifies(
  "tools:output-schema:listed",
  "an output schema is listed, and only where there is one",
  async ({ connect }) => {
    const server = new McpServer({ name: "described", version: "1.0.0" });
    const output: JsonSchema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { celsius: { type: "number", "x-unit": "°C" } },
      required: ["celsius"],
      additionalProperties: false,
    };
    server.tool("plain", { output }, () => ({ celsius: 4 }));
    server.tool("zod", { output: weather }, () => ({ celsius: 4, sky: "gray" }));
    server.tool("none", {}, () => "cold");
    const client = await connect(server);

    const { tools } = await client.listTools();

    expect(tools[0]?.outputSchema).toStrictEqual(output);
    expect(tools[1]?.outputSchema).toMatchObject({
      type: "object",
      properties: { celsius: { type: "number" }, sky: { type: "string" } },
      required: ["celsius", "sky"],
    });
    expect(tools[2]).not.toHaveProperty("outputSchema");
  },
);

verifies(
  "tools:output-schema:server-validates",
  "a value that breaks its schema stays on the server, and onError hears where it does",
  async ({ connect, wire }) => {
    const reported: Error[] = [];
    const server = new McpServer({ name: "wrong", version: "1.0.0", onError: (error) => void reported.push(error) });
    const plain = { type: "object", properties: { celsius: { type: "number" } } };
    server.tool("zod", { output: weather }, () => ({ structuredContent: { celsius: "balmy", sky: "blue" } }));
    server.tool("plain", { output: plain }, () => ({ celsius: "balmy" }));
    const client = await connect(server);

    for (const name of ["zod", "plain"]) {
      expect(await client.callTool(name)).toMatchObject({ isError: true });
    }

    expect(JSON.stringify(wire.from("server"))).not.toContain("balmy");
    const complaint = { code: "invalid-result", message: expect.stringContaining("structuredContent.celsius") };
    expect(reported).toMatchObject([
      { code: "handler-failed", cause: complaint },
      { code: "handler-failed", cause: complaint },
    ]);
  },
);

verifies(
  "tools:output-schema:missing-structured",
  "a result without structured content is withheld, whatever the schema would accept",
  async ({ connect, wire }) => {
    const reported: Error[] = [];
    const server = new McpServer({
      name: "forgetful",
      version: "1.0.0",
      onError: (error) => void reported.push(error),
    });
    const textOnly = { content: [{ type: "text" as const, text: "4 degrees" }], isError: false };
    server.tool("strict", { output: weather }, () => textOnly);
    server.tool("optional", { output: weather.optional() }, () => textOnly);
    server.tool("anything", { output: z.unknown() }, () => undefined);
    server.tool("unconstrained", { output: {} }, () => textOnly);
    const client = await connect(server);

    const names = ["strict", "optional", "anything", "unconstrained"];
    const failures: unknown[] = [];
    for (const name of names) failures.push(await client.callTool(name));

    expect(failures).toMatchObject(names.map(() => ({ isError: true })));
    expect(JSON.stringify(wire.from("server"))).not.toContain("4 degrees");
    expect(reported).toMatchObject(
      names.map((name) => ({
        code: "handler-failed",
        cause: { code: "invalid-result", message: expect.stringContaining(name) },
      })),
    );
  },
);

verifies(
  "tools:output-schema:skip-on-error",
  "a failed result passes both sides although its structured content breaks the schema",
  async ({ connect }) => {
    const server = new McpServer({ name: "failing", version: "1.0.0" });
    const failed = { content: [{ type: "text" as const, text: "no signal" }], isError: true };
    server.tool("bare", { output: weather }, () => failed);
    server.tool("odd", { output: weather }, () => ({ ...failed, structuredContent: { celsius: "unknown" } }));
    const client = await connect(server);
    await client.listTools();

    const [bare, odd] = [await client.callTool("bare"), await client.callTool("odd")];

    expect(bare).toMatchObject(failed);
    expect(bare).not.toHaveProperty("structuredContent");
    expect(odd).toMatchObject({ ...failed, structuredContent: { celsius: "unknown" } });
  },
);

verifies(
  "tools:output-schema:natural",
  "schemas of arrays, scalars and unions are listed as they were written, also after a legacy client has listed them",
  async ({ connect }) => {
    const schemas: JsonSchema[] = [
      { type: "array", items: { $ref: "#/$defs/city" }, $defs: { city: { type: "string" } } },
      { type: "number", minimum: 0 },
      { anyOf: [{ type: "object", required: ["id"] }, { type: "null" }] },
      { type: ["string", "null"] },
      {},
    ];
    const server = new McpServer({ name: "natural", version: "1.0.0" });
    for (const [index, output] of schemas.entries()) server.tool(`tool${index}`, { output }, () => null);
    const legacy = await connect(server, { revisions: ["2025-11-25"] });
    await legacy.listTools();
    const client = await connect(server);

    const { tools } = await client.listTools();

    expect(tools.map(({ outputSchema }) => outputSchema)).toStrictEqual(schemas);
  },
);

verifies(
  "tools:output-schema:wrapped",
  "output schemas that are no object are listed under result, and their references lead where they did",
  async ({ connect }) => {
    const cities = ["Oslo", "Lima"];
    const tree = [{ branches: [{ branches: [] }] }];
    const server = new McpServer({ name: "wrapping", version: "1.0.0" });
    const ofCities = { type: "array", items: { $ref: "#/$defs/city" }, $defs: { city: { type: "string" } } };
    const ofTrees = { type: "array", items: { type: "object", properties: { branches: { $ref: "#" } } } };
    server.tool(
      "cities",
      { output: { $schema: "https://json-schema.org/draft/2020-12/schema", ...ofCities } },
      () => cities,
    );
    server.tool("trees", { output: ofTrees }, () => tree);
    const client = await connect(server);

    const { tools } = await client.listTools();
    // The client has the listed schemas now: it would refuse these values if their references led nowhere.
    const results = [await client.callTool("cities"), await client.callTool("trees")];

    expect(tools.map(({ outputSchema }) => outputSchema)).toStrictEqual([
      {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          result: {
            type: "array",
            items: { $ref: "#/properties/result/$defs/city" },
            $defs: { city: { type: "string" } },
          },
        },
        required: ["result"],
      },
      {
        type: "object",
        properties: {
          result: {
            type: "array",
            items: { type: "object", properties: { branches: { $ref: "#/properties/result" } } },
          },
        },
        required: ["result"],
      },
    ]);
    expect(results).toMatchObject([{ structuredContent: { result: cities } }, { structuredContent: { result: tree } }]);
  },
);

verifies(
  "tools:output-schema:wrapped-scope",
  "constants, examples and properties that are named like references stay, and so does what has an address of its own",
  async ({ connect }) => {
    const node = { $id: "https://example.com/node", type: "array", items: { $ref: "#" } };
    const output = {
      anyOf: [{ $ref: "https://example.com/node" }, { const: { $ref: "#/$defs/node" } }, { $ref: "#/$defs/named" }],
      examples: [{ $ref: "#" }],
      $defs: { node, named: { type: "object", properties: { $ref: { type: "string" } }, required: ["$ref"] } },
    };
    const values: unknown[] = [[[], [[]]], { $ref: "#/$defs/node" }, { $ref: "a name" }];
    const server = new McpServer({ name: "wrapping", version: "1.0.0" });
    for (const [index, value] of values.entries()) server.tool(`tool${index}`, { output }, () => value);
    const client = await connect(server);

    const { tools } = await client.listTools();
    // The client has the listed schema now: it would refuse a value if a reference led elsewhere.
    const results = await Promise.all(values.map((_value, index) => client.callTool(`tool${index}`)));

    const [toNode, constant, toNamed] = output.anyOf;
    expect(toNamed).toEqual({ $ref: "#/$defs/named" });
    expect(tools[0]?.outputSchema).toStrictEqual({
      type: "object",
      properties: {
        result: { ...output, anyOf: [toNode, constant, { $ref: "#/properties/result/$defs/named" }] },
      },
      required: ["result"],
    });
    expect(results.map(({ structuredContent }) => structuredContent)).toEqual(values.map((result) => ({ result })));
  },
);
