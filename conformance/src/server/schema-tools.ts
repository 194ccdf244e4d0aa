/** Tools whose input schemas are what is tested. */
import type { McpServer } from "parley-mcp/server";
import type { JsonSchema } from "parley-mcp/types";

/** Pairs, since an object literal with a `then` looks like a promise. */
const choice: [keyword: string, schema: JsonSchema][] = [
  ["if", { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] }],
  ["then", { required: ["phone"] }],
  ["else", { required: ["email"] }],
];

export function addSchemaTools(server: McpServer): void {
  server.tool(
    "json_schema_2020_12_tool",
    {
      description: "Has a schema that must be listed as it is",
      input: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        $defs: {
          address: {
            $anchor: "addressDef",
            type: "object",
            properties: { street: { type: "string" }, city: { type: "string" } },
          },
        },
        properties: {
          name: { type: "string" },
          address: { $ref: "#/$defs/address" },
          contactMethod: { type: "string", enum: ["phone", "email"] },
          phone: { type: "string" },
          email: { type: "string" },
        },
        allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
        ...Object.fromEntries(choice),
        additionalProperties: false,
      },
    },
    (args) => JSON.stringify(args),
  );

  server.tool(
    "test_x_mcp_header",
    {
      description: "Has an argument that travels in a header as well",
      input: {
        type: "object",
        properties: { region: { type: "string", "x-mcp-header": "Region" } },
        required: ["region"],
      },
    },
    ({ region }) => `Region ${region}`,
  );
}
