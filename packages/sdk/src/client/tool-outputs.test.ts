import { expect, test, vi } from "vitest";
import type { JsonObject } from "../protocol/json.js";
import type { Tool } from "../protocol/tools.js";
import { defaultJsonSchemaValidator } from "../schema/json-schema-validator.js";
import { ToolOutputs } from "./tool-outputs.js";

const counted = { type: "object", properties: { count: { type: "number" } } };
const named = { type: "object", properties: { name: { type: "string" } } };

/** A server's listing is new objects each time. */
function listed(name: string, outputSchema?: JsonObject): Tool {
  return {
    name,
    inputSchema: { type: "object" },
    ...(outputSchema && { outputSchema: structuredClone(outputSchema) }),
  };
}

function setUp() {
  const compile = vi.fn((schema: JsonObject) => defaultJsonSchemaValidator().compile(schema));
  const outputs = new ToolOutputs({ validator: { compile } });
  const check = (name: string, structuredContent?: unknown) => outputs.check(name, { content: [], structuredContent });
  return { outputs, check, compile };
}

test("a schema that is listed again as it was is compiled once", async () => {
  const { outputs, check, compile } = setUp();
  for (const _listing of [1, 2, 3]) {
    outputs.learn([listed("tally", counted)]);
    await check("tally", { count: 1 });
  }
  expect(compile).toHaveBeenCalledOnce();
});

test("a schema that has changed counts from its listing on", async () => {
  const { outputs, check, compile } = setUp();
  outputs.learn([listed("tally", counted)]);
  await check("tally", { count: 1 });

  outputs.learn([listed("tally", named)]);
  await check("tally", { count: "any" });
  await expect(check("tally", { name: 1 })).rejects.toMatchObject({
    code: "invalid-result",
    message: 'tools/call "tally": structuredContent.name: expected string, got number',
  });
  expect(compile).toHaveBeenCalledTimes(2);

  outputs.learn([listed("tally")]);
  await check("tally");
});

test("nothing is held against tools that are unknown, and nothing against errors", async () => {
  const { outputs, check, compile } = setUp();
  await check("tally", { count: "many" });
  outputs.learn([listed("tally", counted)]);
  await outputs.check("tally", { content: [], isError: true });
  await expect(check("tally")).rejects.toMatchObject({ code: "invalid-result" });
  expect(compile).not.toHaveBeenCalled();
});

test("tools beyond 10,000 are forgotten, those listed longest ago first", () => {
  const { outputs } = setUp();
  outputs.learn(Array.from({ length: 10_000 }, (_, index) => listed(`tool-${index}`)));
  outputs.learn([listed("tool-0"), listed("new")]);
  expect(["tool-0", "tool-1", "tool-2", "new"].map((name) => outputs.knows(name))).toEqual([true, false, true, true]);
});
