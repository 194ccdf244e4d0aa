import type { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import type { ScriptedPeer } from "parley-mcp/testing";
import type { JsonObject, JsonSchema, Tool } from "parley-mcp/types";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

/** Far above what the call takes on a busy machine, and far below the seconds that uncounted steps took. */
const MAX_CPU_MS = 1_500;

async function cpuMsOf<Result>(run: () => Promise<Result>): Promise<[Result, number]> {
  const before = process.cpuUsage();
  const result = await run();
  const { user, system } = process.cpuUsage(before);
  return [result, (user + system) / 1_000];
}

/** Applies one schema to the same value so many times. */
function often(times: number, schema: JsonObject): JsonSchema {
  return {
    type: "object",
    allOf: Array.from({ length: times }, () => ({ $ref: "#/$defs/costly" })),
    $defs: { costly: schema },
  };
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_value, index) => `name${index}`);
}

/** Cheap to compile, costly to apply: each application looks for every name. */
const costlyToApply = often(4_000, { dependentRequired: Object.fromEntries(names(20_000).map((name) => [name, []])) });

verifies(
  "tools:input-validation:hostile-value",
  "arguments that would keep the validator busy are refused, and the next call is served",
  async ({ connect }) => {
    let runs = 0;
    const server = new McpServer({ name: "busy", version: "1.0.0" });
    server.tool("costly", { input: costlyToApply }, () => {
      runs += 1;
      return "ran";
    });
    server.tool("cheap", {}, () => "served");
    const client = await connect(server);

    const [refused, cpuMs] = await cpuMsOf(() => client.callTool("costly", { a: 1 }).catch((error: unknown) => error));
    const { content } = await client.callTool("cheap");

    expect(JSON.stringify(refused instanceof Error ? refused.message : refused)).toContain(
      "it takes more than the limit of 250000 steps; make the value smaller, or raise schemaLimits.maxEvaluations",
    );
    expect(runs).toBe(0);
    expect(cpuMs).toBeLessThan(MAX_CPU_MS);
    expect(content).toEqual([{ type: "text", text: "served" }]);
  },
);

verifies(
  "tools:schema:compilation-steps",
  "a schema that takes too long to compile is refused at registration, and an option raises the limit",
  () => {
    const schema: JsonSchema = { type: "object", properties: { a: { enum: names(200_000) } } };
    const register = (limit?: number) => {
      const schemaLimits = limit === undefined ? undefined : { maxCompilationSteps: limit };
      new McpServer({ name: "large", version: "1.0.0", schemaLimits }).tool("large", { input: schema }, () => "ran");
    };

    expect(register).toThrow(
      expect.objectContaining({
        code: "unusable-schema",
        message: expect.stringContaining(
          "takes more than the limit of 250000 steps to compile; make it smaller, or raise schemaLimits.maxCompilationSteps",
        ),
      }),
    );
    expect(() => register(1_000_000)).not.toThrow();
  },
);

verifies(
  "tools:output-schema:client-hostile",
  "hostile output schemas fail their own calls quickly, and another tool of the server is called",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer();
    const uncompiled = { type: "object", properties: { text: { pattern: "[\\p{L}\\p{M}]".repeat(300) } } };
    await list(
      client,
      peer,
      era,
      tool("apply", costlyToApply),
      tool("compile", uncompiled),
      tool("plain", { type: "object" }),
    );

    const [[applied, compiled], cpuMs] = await cpuMsOf(async () => [
      await call(client, peer, era, "apply", { a: 1 }),
      await call(client, peer, era, "compile", { text: "\u0101" }),
    ]);
    const plain = await call(client, peer, era, "plain", { a: 1 });

    expect(applied).toMatchObject({ code: "invalid-result", message: expect.stringContaining("250000 steps") });
    expect(compiled).toMatchObject({ code: "unusable-schema", message: expect.stringContaining("250000 steps") });
    expect(cpuMs).toBeLessThan(MAX_CPU_MS);
    expect(plain).toMatchObject({ structuredContent: { a: 1 } });
  },
);

type Era = "legacy" | "modern";

async function list(client: Client, peer: ScriptedPeer, era: Era, ...tools: Tool[]): Promise<void> {
  const listed = client.listTools();
  const hints = era === "modern" ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
  await peer.respond(await peer.receive(), { ...hints, tools });
  await listed;
}

/** Calls a tool that answers with this content; resolves with the result or the error that the caller gets. */
async function call(client: Client, peer: ScriptedPeer, era: Era, name: string, content: JsonObject): Promise<unknown> {
  const outcome = client.callTool(name).catch((error: unknown) => error);
  const hints = era === "modern" ? { resultType: "complete" } : {};
  await peer.respond(await peer.receive(), { ...hints, content: [], structuredContent: content });
  return outcome;
}

function tool(name: string, outputSchema: JsonObject): Tool {
  return { name, inputSchema: { type: "object" }, outputSchema };
}
