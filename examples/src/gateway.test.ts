/** The gateway in front of servers of either era, for callers of either era. */
import { Client, type ClientOptions } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { CompiledExamples } from "../testing/compiled-examples.js";
import { Mirror } from "./gateway/mirror.js";
import { PassingOn } from "./gateway/passing-on.js";

const examples = new CompiledExamples();
afterAll(() => examples[Symbol.dispose]());

const ERAS = ["2025-11-25", "2026-07-28"] as const;
const pairs = ERAS.flatMap((above) => ERAS.map((below) => ({ above, below })));

test.each(ERAS)("the program serves over HTTP what another program offers over stdio, by %s", async (revision) => {
  await using gateway = examples.start("gateway", { args: [process.execPath, examples.path("stdio-server")] });
  const url = await gateway.url();
  await using client = await Client.connect(url, {
    name: "test",
    version: "1.0.0",
    revisions: [revision],
    elicit: () => ({ action: "accept", content: { day: "2026-12-01" } }),
  });

  expect(client.serverInfo?.name).toBe("gateway to desk");
  await using changes = await client.listen({ tools: true, resources: true });
  const { content } = await client.callTool("plan_meeting", { topic: "roof" });
  expect(content).toMatchObject([{ text: "Planned: 2026-12-01, 30 minutes, call. The note is meeting-roof" }]);
  expect(await next(changes)).toEqual({ kind: "resources" });
  expect((await client.readResource("desk://notes/meeting-roof")).contents).toHaveLength(1);

  await client.close();
  expect(await gateway.stop()).toBe(0);
  expect(gateway.output).toContain("The desk is closed");
});

test("the program says how it is used when it is told no server", async () => {
  await using gateway = examples.start("gateway");
  expect(await gateway.exited()).toBe(2);
  expect(gateway.output).toContain("usage: gateway.js");
});

describe.each(pairs)("a caller by $below in front of a server by $above", ({ above, below }) => {
  /** A server, the gateway before it, and its caller, all in this process. */
  async function connect(origin: McpServer, options: Partial<ClientOptions> = {}): Promise<Client> {
    const passing = new PassingOn();
    const upstream = await Client.connect(origin, {
      name: "gateway",
      version: "1.0.0",
      revisions: [above],
      elicit: (question) => passing.elicit(question),
    });
    const server = new McpServer({
      name: "gateway",
      version: "1.0.0",
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      toolNames: "any",
    });
    await new Mirror(upstream, server, passing).start();
    return Client.connect(server, { name: "test", version: "1.0.0", revisions: [below], ...options });
  }

  test("gets tools with their schemas, results and failures", async () => {
    const origin = new McpServer({ name: "origin", version: "1.0.0", toolNames: "any" });
    const input = z.object({ a: z.number(), b: z.number() });
    origin.tool("add 2 numbers", { input, output: z.object({ sum: z.number() }) }, ({ a, b }) => ({ sum: a + b }));
    origin.tool("fail", () => ({ isError: true, content: [] }));
    await using client = await connect(origin);

    const { tools } = await client.listTools();
    expect(tools.map(({ name, inputSchema }) => [name, inputSchema.required])).toEqual([
      ["add 2 numbers", ["a", "b"]],
      ["fail", undefined],
    ]);
    expect((await client.callTool("add 2 numbers", { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 });
    expect((await client.callTool("fail")).isError).toBe(true);
    await expect(client.callTool("fly")).rejects.toThrow("Unknown tool: fly");
  });

  test("gets resources, templates and prompts, with suggestions", async () => {
    const origin = new McpServer({ name: "origin", version: "1.0.0" });
    origin.resource("shop://open", { name: "open", mimeType: "text/plain" }, () => "until six");
    origin.resourceTemplate("shop://{item}", { name: "item", complete: { item: () => ["tea"] } }, ({ uri }) => uri);
    const input = z.object({ item: z.string(), amount: z.string().optional() });
    const complete = {
      amount: (_typed: string, { arguments: { item } }: { arguments: Record<string, string> }) => [`one ${item}`],
    };
    origin.prompt("buy", { input, complete }, ({ item }) => `Buy ${item}`);
    await using client = await connect(origin);

    expect((await client.readResource("shop://open")).contents).toMatchObject([{ text: "until six" }]);
    expect((await client.readResource("shop://rice")).contents).toMatchObject([{ text: "shop://rice" }]);
    expect((await client.getPrompt("buy", { item: "tea" })).messages).toMatchObject([{ content: { text: "Buy tea" } }]);
    expect((await client.listPrompts()).prompts[0]?.arguments).toMatchObject([
      { name: "item", required: true },
      { name: "amount" },
    ]);
    const item = await client.complete({
      ref: { type: "ref/resource", uri: "shop://{item}" },
      argument: { name: "item", value: "" },
    });
    expect(item.completion.values).toEqual(["tea"]);
    const ref = { type: "ref/prompt", name: "buy" } as const;
    const amount = await client.complete({
      ref,
      argument: { name: "amount", value: "" },
      context: { arguments: { item: "tea" } },
    });
    expect(amount.completion.values).toEqual(["one tea"]);
  });

  test("hears of changes", async () => {
    const origin = new McpServer({ name: "origin", version: "1.0.0" });
    origin.tool("old", () => "");
    origin.resource("shop://stock", { name: "stock" }, () => "3 left");
    await using client = await connect(origin);
    await using changes = await client.listen({ tools: true, resource: ["shop://stock"] });

    origin.tool("new", () => "");
    expect(await next(changes)).toEqual({ kind: "tools" });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["old", "new"]);
    origin.announce.resourceUpdated("shop://stock");
    expect(await next(changes)).toEqual({ kind: "resource", uri: "shop://stock" });
  });

  test("gets progress, and cancels", async () => {
    const origin = new McpServer({ name: "origin", version: "1.0.0" });
    const cancelled = new Promise<void>((resolve) => {
      origin.tool("bake", async (_args, context) => {
        await context.progress(1, 2, "in the oven");
        await new Promise<void>((done) => context.signal.addEventListener("abort", () => done()));
        resolve();
      });
    });
    await using client = await connect(origin);
    const controller = new AbortController();
    const steps: unknown[] = [];
    const onProgress = (step: unknown) => {
      steps.push(step);
      controller.abort();
    };
    await expect(client.callTool("bake", {}, { signal: controller.signal, onProgress })).rejects.toMatchObject({
      code: "request-aborted",
    });
    expect(steps).toEqual([{ progress: 1, total: 2, message: "in the oven" }]);
    await cancelled;
  });

  test("is asked what the server asks, and the server goes on with the answer", async () => {
    const origin = new McpServer({ name: "origin", version: "1.0.0" });
    origin.tool("deploy", async (_args, context) => {
      const schema = z.object({ target: z.enum(["test", "live"]) });
      const first = await context.elicit({ message: "Where to?", schema });
      const second = await context.elicit({ message: "Sure?", schema: z.object({ ok: z.boolean() }) });
      return `${first.action} ${first.content?.target}, ${second.action} ${second.content?.ok}`;
    });
    const asked: string[] = [];
    await using client = await connect(origin, {
      elicit: ({ message }) => {
        asked.push(message);
        return { action: "accept", content: message === "Sure?" ? { ok: true } : { target: "test" } };
      },
    });
    expect((await client.callTool("deploy")).content).toEqual([{ type: "text", text: "accept test, accept true" }]);
    expect(asked).toEqual(["Where to?", "Sure?"]);
  });
});

async function next(changes: AsyncIterable<unknown>): Promise<unknown> {
  // Not `for await`, which would end the subscription.
  return (await changes[Symbol.asyncIterator]().next()).value;
}
