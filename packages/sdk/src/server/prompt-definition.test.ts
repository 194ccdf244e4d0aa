import { expect, it } from "vitest";
import { McpServer } from "./mcp-server.js";

it.each([[{ type: "string" }], [{ type: ["object", "null"] }], [{}]])("takes no arguments of %j", (input) => {
  const server = new McpServer({ name: "prompter", version: "1.0.0" });
  expect(() => server.prompt("greet", { input }, () => "hello")).toThrow(
    `prompt "greet": input: the schema's root must have type "object"`,
  );
});
