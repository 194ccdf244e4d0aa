import { describe, expect, it, test, vi } from "vitest";
import { compileJsonSchema } from "../json-schema/index.js";
import type { Tool } from "../protocol/tools.js";
import type { JsonObject } from "../runtime/json.js";
import { KnownTools, type KnownToolsOptions } from "./known-tools.js";

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

function setUp(options: Partial<KnownToolsOptions> = {}) {
  const compile = vi.fn((schema: JsonObject) => compileJsonSchema(schema));
  const report = vi.fn<(error: Error) => void>();
  const bounds = { maxTools: 10_000, maxBytes: 10_000_000, checksOutput: true };
  const known = new KnownTools({ ...bounds, compile: { validator: { compile } }, report, ...options });
  const learn = (...tools: Tool[]) => known.learn(tools, false);
  const check = async (name: string, structuredContent?: unknown) =>
    known.check(name, { content: [], structuredContent });
  return { known, learn, check, compile, report };
}

describe("output", () => {
  test("a schema that is listed again as it was is compiled once", async () => {
    const { learn, check, compile } = setUp();
    for (const _listing of [1, 2, 3]) {
      learn(listed("tally", counted));
      await check("tally", { count: 1 });
    }
    expect(compile).toHaveBeenCalledOnce();
  });

  test("a schema that has changed counts from its listing on", async () => {
    const { learn, check, compile } = setUp();
    learn(listed("tally", counted));
    await check("tally", { count: 1 });

    learn(listed("tally", named));
    await check("tally", { count: "any" });
    await expect(check("tally", { name: 1 })).rejects.toMatchObject({
      code: "invalid-result",
      message: 'tools/call "tally": structuredContent.name: expected string, got number',
    });
    expect(compile).toHaveBeenCalledTimes(2);

    learn(listed("tally"));
    await check("tally");
  });

  test("nothing is held against tools that are unknown, and nothing against errors", async () => {
    const { known, learn, check, compile } = setUp();
    await check("tally", { count: "many" });
    learn(listed("tally", counted));
    await known.check("tally", { content: [], isError: true });
    await expect(check("tally")).rejects.toMatchObject({ code: "invalid-result" });
    expect(compile).not.toHaveBeenCalled();
  });

  test("no schema is kept where output is not checked", async () => {
    const { learn, check } = setUp({ checksOutput: false, maxBytes: 200 });
    learn(listed("tally", { ...counted, description: "x".repeat(1_000) }));
    await check("tally", { count: "many" });
  });
});

describe("bounds", () => {
  test("tools beyond the number are forgotten, those listed longest ago first, which is reported once", () => {
    const { known, learn, report } = setUp({ maxTools: 3 });
    learn(listed("a"), listed("b"), listed("c"));
    expect(known.hasForgotten).toBe(false);
    learn(listed("a"), listed("d"), listed("e"));
    expect(["a", "b", "c", "d", "e"].map((name) => known.knows(name))).toEqual([true, false, false, true, true]);
    expect(known.hasForgotten).toBe(true);
    expect(report.mock.calls).toMatchObject([[{ code: "too-large" }]]);
  });

  test("10,000 tools are known by default", () => {
    const { known, learn } = setUp({ maxTools: undefined });
    learn(...Array.from({ length: 10_000 }, (_, index) => listed(`tool-${index}`)));
    expect(known.hasForgotten).toBe(false);
    learn(listed("tool-0"), listed("new"));
    expect(["tool-0", "tool-1", "tool-2"].map((name) => known.knows(name))).toEqual([true, false, true]);
  });

  test("a tool whose output was checked is forgotten after one that was only listed", async () => {
    const { known, learn, check } = setUp({ maxTools: 2 });
    learn(listed("a", counted), listed("b", counted));
    await check("a", {});
    await check("b", {});
    await check("a", {});
    learn(listed("c"));
    expect(["a", "b", "c"].map((name) => known.knows(name))).toEqual([true, false, true]);
  });

  test("a compiled schema weighs more, and displaces tools that were only listed", async () => {
    const { known, learn, check } = setUp({ maxBytes: 2_100 });
    learn(listed("a", counted), listed("b", counted), listed("c", counted));
    await check("c", {});
    expect(["a", "b", "c"].map((name) => known.knows(name))).toEqual([false, false, true]);
  });

  test("a schema that fits as text alone is compiled for every check", async () => {
    const { known, learn, check, compile } = setUp({ maxBytes: 500 });
    learn(listed("a", counted));
    await check("a", { count: 1 });
    await expect(check("a", { count: "many" })).rejects.toMatchObject({ code: "invalid-result" });
    expect(compile).toHaveBeenCalledTimes(2);
    expect(known.knows("a")).toBe(true);
  });

  test("a compiled schema that no longer fits beside its headers is kept as text", async () => {
    const { known, check, compile } = setUp({ maxBytes: 2_500 });
    known.learn([listed("a", counted)], true);
    await check("a", {});
    const header = "R".repeat(300);
    const region = { type: "string", "x-mcp-header": header };
    known.learn([{ ...listed("a", counted), inputSchema: { type: "object", properties: { region } } } as Tool], true);
    await check("a", {});
    expect(compile).toHaveBeenCalledTimes(2);
  });

  test("a schema that is too large by itself is refused at its check, and errors still pass", async () => {
    const { known, learn, check } = setUp({ maxBytes: 500 });
    learn(listed("a", { ...counted, description: "x".repeat(500) }));
    await expect(check("a", {})).rejects.toMatchObject({ code: "unusable-schema" });
    await known.check("a", { content: [], isError: true });
  });
});

describe("mirrored arguments", () => {
  function tool(name: string, properties: object): Tool {
    return { name, inputSchema: { type: "object", properties } } as Tool;
  }

  const region = { type: "string", "x-mcp-header": "Region" };

  it("are those annotated of a tool it has seen, and nothing of others", () => {
    const { known } = setUp();
    const tools = [tool("query", { region, text: { type: "string" } }), tool("plain", { region: { type: "string" } })];
    expect(known.learn(tools, true)).toEqual(tools);
    expect(known.headersFor("query", { region: "eu", text: "x" })).toEqual({ "mcp-param-region": "eu" });
    expect(known.headersFor("plain", { region: "eu" })).toBeUndefined();
    expect(known.headersFor("unseen", { region: "eu" })).toBeUndefined();
  });

  it("with an invalid annotation leave out their tool, which is reported, and keep the rest", () => {
    const { known, report } = setUp();
    const bad = tool("bad", { region: { type: "number", "x-mcp-header": "Region" } });
    const good = tool("good", { region });
    expect(known.learn([bad, good], true)).toEqual([good]);
    expect(report.mock.calls).toMatchObject([
      [{ code: "unusable-schema", message: expect.stringContaining('"bad" was left out: region: x-mcp-header') }],
    ]);
  });

  it("that are invalid in many tools are reported four times at most, and in part", () => {
    const { known, report } = setUp();
    const bad = (name: string) => tool(name, { ["r".repeat(2_000)]: { type: "number", "x-mcp-header": "Region" } });
    expect(known.learn([bad("a"), bad("b"), bad("c"), bad("d"), bad("e")], true)).toEqual([]);
    const messages = report.mock.calls.map(([error]) => error.message);
    expect(messages).toHaveLength(4);
    expect(messages[0]).toHaveLength(500);
    expect(messages[3]).toBe("2 more tools of the list were left out");
  });

  it("are forgotten when a newer listing does not name them", () => {
    const { known } = setUp();
    known.learn([tool("query", { region })], true);
    known.learn([tool("query", {})], true);
    expect(known.headersFor("query", { region: "eu" })).toBeUndefined();
  });

  it("of a tool that was just called outlast those of one listed later", () => {
    const { known } = setUp({ maxTools: 2 });
    known.learn([tool("called", { region }), tool("idle", { region })], true);
    known.headersFor("called", { region: "eu" });
    known.learn([tool("new", { region })], true);
    expect(["called", "idle", "new"].map((name) => known.knows(name))).toEqual([true, false, true]);
  });

  it("are bounded in bytes", () => {
    const { known } = setUp({ maxBytes: 2_000 });
    const long = (name: string) => tool(name, { [name.repeat(200)]: region });
    known.learn([long("a"), long("b"), long("c")], true);
    expect(["a", "b", "c"].map((name) => known.headersFor(name, { [name.repeat(200)]: "eu" }) !== undefined)).toEqual([
      false,
      true,
      true,
    ]);
  });
});
