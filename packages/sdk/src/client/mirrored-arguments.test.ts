import { expect, it, vi } from "vitest";
import type { Tool } from "../protocol/tools.js";
import { MirroredArguments } from "./mirrored-arguments.js";

function tool(name: string, properties: object): Tool {
  return { name, inputSchema: { type: "object", properties } } as Tool;
}

const region = { type: "string", "x-mcp-header": "Region" };

it("repeats the annotated arguments of a tool it has seen, and nothing of others", () => {
  const mirrored = new MirroredArguments(vi.fn());
  const tools = [tool("query", { region, text: { type: "string" } }), tool("plain", { region: { type: "string" } })];
  expect(mirrored.learn(tools)).toEqual(tools);
  expect(mirrored.headersFor("query", { region: "eu", text: "x" })).toEqual({ "mcp-param-region": "eu" });
  expect(mirrored.headersFor("plain", { region: "eu" })).toBeUndefined();
  expect(mirrored.headersFor("unseen", { region: "eu" })).toBeUndefined();
});

it("leaves out a tool whose annotation is invalid, says which and why, and keeps the rest", () => {
  const report = vi.fn();
  const mirrored = new MirroredArguments(report);
  const bad = tool("bad", { region: { type: "number", "x-mcp-header": "Region" } });
  const good = tool("good", { region });
  expect(mirrored.learn([bad, good])).toEqual([good]);
  expect(report.mock.calls).toMatchObject([
    [{ code: "unusable-schema", message: expect.stringContaining('"bad" was left out: region: x-mcp-header') }],
  ]);
});

it("forgets what a newer listing does not say any more", () => {
  const mirrored = new MirroredArguments(vi.fn());
  mirrored.learn([tool("query", { region })]);
  mirrored.learn([tool("query", {})]);
  expect(mirrored.headersFor("query", { region: "eu" })).toBeUndefined();
});
