import { Client } from "parley-mcp/client";
import type { LegacyOptions } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { verifies } from "../../src/verifies.js";

const confirmation = z.object({ ok: z.boolean() });

function library(): McpServer {
  const server = new McpServer({ name: "library", version: "1.0.0", onError: () => undefined });
  server.tool("add", { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`);
  server.tool("steps", {}, async (_args, context) => {
    await context.progress(1);
    return context.revision;
  });
  server.tool("ask", {}, async (_args, context) => {
    const { action } = await context.elicit({ message: "Sure?", schema: confirmation });
    return action;
  });
  server.resource("notes://today", { name: "today" }, () => "Buy milk");
  server.prompt("greet", {}, () => "Hello");
  return server;
}

/** A real client through everything a server has, with what its mode allows. */
async function converse(legacy: LegacyOptions, path = ""): Promise<readonly unknown[]> {
  await using host = await hostHttp(library(), { legacy });
  const url = path === "" ? host.url : new URL(path, host.url);
  const client = await Client.connect(url, {
    name: "reader",
    version: "1.0.0",
    revisions: ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"],
    elicit: async () => ({ action: "decline" }),
  });
  const seen: unknown[] = [];
  const { content } = await client.callTool("add", { a: 2, b: 3 });
  const stepped = await client.callTool("steps", {}, { onProgress: ({ progress }) => void seen.push(progress) });
  const { contents } = await client.readResource("notes://today");
  const { messages } = await client.getPrompt("greet");
  const asked = await client.callTool("ask").then(
    (result) => result.content,
    (error: Error) => error.message,
  );
  await client.close();
  return [content, stepped.content, contents, messages, seen, asked];
}

function expected(revision: string, seen: readonly number[], asked: unknown): readonly unknown[] {
  return [
    [{ type: "text", text: "5" }],
    [{ type: "text", text: revision }],
    [expect.objectContaining({ text: "Buy milk" })],
    [{ role: "user", content: { type: "text", text: "Hello" } }],
    seen,
    asked,
  ];
}

const declined = [{ type: "text", text: "decline" }];

verifies(
  "transport:streamable-http:stateful",
  "a client of a server with sessions gets through a whole conversation, questions included",
  async () => {
    expect(await converse({})).toEqual(expected("2025-11-25", [1], declined));
  },
);

verifies(
  "transport:streamable-http:json-response",
  "a client of a server with plain JSON answers gets through a conversation, except for progress and questions",
  async () => {
    expect(await converse({ jsonResponses: true })).toEqual(
      expected("2025-11-25", [], expect.stringMatching(/cannot ask its client.*jsonResponses.*2026-07-28/)),
    );
  },
);

verifies(
  "transport:streamable-http:stateless",
  "a client of a server without sessions gets through a conversation, except for questions",
  async () => {
    expect(await converse({ stateless: true })).toEqual(
      expected("2025-11-25", [1], expect.stringMatching(/cannot ask its client.*no sessions.*2026-07-28/)),
    );
  },
);

verifies("transport:sse", "a client that finds no Streamable HTTP gets through everything over HTTP+SSE", async () => {
  expect(await converse({ sse: true }, "/sse")).toEqual(expected("2025-11-25", [1], declined));
});

verifies(
  [
    "transport:streamable-http:stateless-restrictions",
    "hosting:stateless:no-session-id",
    "hosting:stateless:get-delete-405",
    "hosting:stateless:progress-in-post-stream",
    "hosting:http:protocol-version-default",
  ],
  "a stateless server knows no ids, GET or DELETE, streams progress, and refuses what needs a session",
  async () => {
    await using host = await hostHttp(library(), { legacy: { stateless: true } });
    const client = host.client({ capabilities: { elicitation: {} } });
    for (const id of [undefined, "of-another-server"]) {
      client.sessionId = id;
      const opened = await client.initialize();
      expect([opened.status, opened.header("mcp-session-id")]).toEqual([200, null]);
      const { result } = await opened.json();
      expect(result).toMatchObject({ capabilities: { tools: {}, prompts: {}, resources: {} } });
      expect(JSON.stringify(result)).not.toMatch(/subscribe|listChanged/);
    }
    const { error } = (await (await client.call(1, "ask")).json()) as { error: unknown };
    expect(error).toMatchObject({ code: -32603, message: expect.stringContaining("keeps no sessions") });
    const subscribed = await client.request(2, "resources/subscribe", { uri: "notes://today" });
    expect(await subscribed.json()).toMatchObject({ id: 2, error: { code: -32601 } });
    expect([(await client.get()).status, (await client.delete()).status]).toEqual([405, 405]);
    expect(await (await client.call(3, "steps")).messages()).toMatchObject([
      { method: "notifications/progress", params: { progressToken: 3, progress: 1 } },
      { id: 3, result: { content: [{ text: "2025-03-26" }] } },
    ]);
  },
);

verifies(
  "hosting:stateless:concurrent-clients",
  "twenty clients that use one id at once on a stateless server get their own answers",
  async () => {
    const server = library();
    const all = deferred();
    let waiting = 0;
    server.tool("echo", { input: z.object({ text: z.string() }) }, async ({ text }) => {
      waiting += 1;
      if (waiting === 20) all.resolve();
      await all.promise;
      return text;
    });
    await using host = await hostHttp(server, { legacy: { stateless: true } });
    const texts = Array.from({ length: 20 }, (_, index) => `client ${index}`);
    const answers = texts.map(async (text) => {
      const response = await host.client().request(1, "tools/call", { name: "echo", arguments: { text } });
      return response.json();
    });
    expect(await Promise.all(answers)).toMatchObject(texts.map((text) => ({ id: 1, result: { content: [{ text }] } })));
  },
);

verifies(
  "flow:multi-client:stateful-isolation",
  "two sessions with equal request ids each get their own progress and answers",
  async () => {
    const server = library();
    const both = deferred();
    let running = 0;
    server.tool("mine", {}, async (_args, context) => {
      running += 1;
      if (running === 2) both.resolve();
      await both.promise;
      await context.progress(1, undefined, context.clientInfo?.name);
      return context.clientInfo?.name ?? "";
    });
    await using host = await hostHttp(server);
    const names = ["ann", "bob"];
    const heard = await Promise.all(
      names.map(async (name) => {
        const client = await Client.connect(host.url, { name, version: "1.0.0", revision: "2025-11-25" });
        const progress: unknown[] = [];
        const { content } = await client.callTool(
          "mine",
          {},
          { onProgress: ({ message }) => void progress.push(message) },
        );
        await client.close();
        return { progress, content };
      }),
    );
    expect(heard).toEqual(names.map((name) => ({ progress: [name], content: [{ type: "text", text: name }] })));
  },
);

verifies(
  "flow:session:terminate-then-reconnect",
  "a call after the end of its session opens another session",
  async () => {
    const opened: string[] = [];
    const onSessionOpened = ({ id }: { id: string }) => void opened.push(id);
    await using host = await hostHttp(library(), { legacy: { onSessionOpened } });
    const client = await Client.connect(host.url, { name: "reader", version: "1.0.0", revision: "2025-11-25" });
    const raw = host.client();
    raw.sessionId = opened[0];
    expect((await raw.delete()).status).toBe(204);
    expect((await client.callTool("add", { a: 1, b: 1 })).content).toEqual([{ type: "text", text: "2" }]);
    expect(new Set(opened).size).toBe(2);
    await client.close();
  },
);
