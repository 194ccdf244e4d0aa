import { McpServer } from "parley-mcp/server";
import type { JsonSchema } from "parley-mcp/types";
import { expect, onTestFinished, vi } from "vitest";
import { verifies } from "../../src/verifies.js";

/** Registers the schema for what a tool takes, then for what it gives. */
function registrations(schema: JsonSchema): (() => void)[] {
  const server = new McpServer({ name: "schemas", version: "1.0.0" });
  return [
    () => server.tool("takes", { input: schema }, () => "never"),
    () => server.tool("gives", { output: schema }, () => ({})),
  ];
}

function nested(levels: number): JsonSchema {
  return levels === 1 ? { type: "object" } : { type: "object", properties: { next: nested(levels - 1) } };
}

function withSubschemas(count: number): JsonSchema {
  const names = Array.from({ length: count - 1 }, (_value, index) => `p${index}`);
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])) };
}

verifies("tools:schema:remote-ref", "a reference out of the document is refused, and nothing is fetched", () => {
  const fetch = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("fetched"));
  onTestFinished(() => fetch.mockRestore());
  const references = [
    "https://example.com/city.json",
    "http://169.254.169.254/latest/meta-data",
    "file:///etc/passwd",
    "city.json#/$defs/city",
  ];

  for (const $ref of references) {
    for (const register of registrations({ type: "object", properties: { city: { $ref } } })) {
      expect(register).toThrow(
        expect.objectContaining({ code: "unusable-schema", message: expect.stringContaining($ref) }),
      );
    }
  }
  expect(fetch).not.toHaveBeenCalled();
});

verifies(
  "tools:schema:refusal-names-tool",
  "the error for an unusable schema begins with the tool and the schema that is wrong",
  () => {
    const [takes, gives] = registrations({ type: "object", $ref: "https://example.com/city.json" });
    const refused = (owner: string) =>
      expect.objectContaining({ code: "unusable-schema", message: expect.stringMatching(`^${owner}: `) });

    expect(takes).toThrow(refused('tool "takes": input'));
    expect(gives).toThrow(refused('tool "gives": output'));
  },
);

verifies("tools:schema:unsupported-dialect", "an unknown dialect is refused by name", () => {
  for (const $schema of ["https://example.com/my-dialect", "http://json-schema.org/draft-03/schema#"]) {
    for (const register of registrations({ $schema, type: "object" })) {
      expect(register).toThrow(
        expect.objectContaining({ code: "unusable-schema", message: expect.stringContaining($schema) }),
      );
    }
  }
});

verifies("tools:schema:invalid", "keywords with values of the wrong kind are refused by name, in two dialects", () => {
  for (const $schema of [undefined, "http://json-schema.org/draft-07/schema#"]) {
    for (const [keyword, value] of [
      ["type", "text"],
      ["minLength", -1],
      ["maximum", "1"],
      ["pattern", "("],
      ["required", "a"],
      ["enum", 7],
      ["properties", []],
      ["items", 7],
      ["anyOf", {}],
    ] as const) {
      const schema = {
        ...($schema !== undefined && { $schema }),
        type: "object",
        properties: { a: { [keyword]: value } },
      };
      for (const register of registrations(schema)) {
        expect(register, keyword).toThrow(
          expect.objectContaining({ code: "unusable-schema", message: expect.stringContaining(keyword) }),
        );
      }
    }
  }
});

verifies("tools:schema:bounds", "64 levels and 10,000 subschemas are taken, one more of either is not", () => {
  for (const fitting of [nested(64), withSubschemas(10_000)]) {
    for (const register of registrations(fitting)) expect(register).not.toThrow();
  }
  for (const [excessive, limit] of [
    [nested(65), "64"],
    [withSubschemas(10_001), "10000"],
  ] as const) {
    for (const register of registrations(excessive)) {
      expect(register).toThrow(
        expect.objectContaining({ code: "unusable-schema", message: expect.stringContaining(limit) }),
      );
    }
  }
});
