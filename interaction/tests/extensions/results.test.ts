import { defineExtension, defineMethod, defineResultType, McpServer } from "parley-mcp/server";
import type { ExtensionCall } from "parley-mcp/types";
import { expect } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const identity = { name: "renderer", version: "1.0.0" };
const jobStatus = defineMethod("acme/job", {
  params: z.object({ id: z.string() }),
  result: z.object({ result: z.looseObject({}).optional() }),
});
const job = defineResultType("job", {
  methods: ["tools/call", "acme/render", "prompts/get", "resources/read"],
  result: z.object({ id: z.string(), polls: z.number().default(8) }),
  async settle({ id, polls }, { request }) {
    for (let poll = 0; poll < polls; poll += 1) {
      const { result } = await request(jobStatus, { id });
      if (result) return result;
    }
    throw new Error("too many polls");
  },
});
const jobs = defineExtension("com.example/jobs", { methods: [jobStatus], resultTypes: [job] });
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

/** A server whose jobs are done when they are asked for the third time. */
function renderer(): McpServer {
  let polls = 0;
  const server = new McpServer({ ...identity, extensions: [jobs] });
  server.tool("render", { input: z.object({ page: z.number() }) }, ({ page }, context) =>
    context.extension(jobs) ? job.of({ id: `page ${page}` }) : `page ${page} at once`,
  );
  server.handle(jobStatus, ({ id }) => {
    polls += 1;
    return polls < 3 ? {} : { result: text(`${id} after ${polls}`) };
  });
  return server;
}

verifies(
  "extensions:client:claimed-result-resolved",
  "by its own methods, while a client without it is served at once",
  { judge: "no-valid-form" },
  async ({ connect, wire }) => {
    const server = renderer();
    const client = await connect(server, { extensions: [jobs] });
    const stranger = await connect(server);

    expect(await client.callTool("render", { page: 7 })).toMatchObject(text("page 7 after 3"));
    expect(await stranger.callTool("render", { page: 8 })).toMatchObject(text("page 8 at once"));
    expect(wire.methods("client").filter((method) => method === "acme/job")).toHaveLength(3);
  },
);

verifies(
  "extensions:client:claimed-result-resolved",
  "also for prompts, resources and methods of one's own, and after questions",
  { judge: "no-valid-form" },
  async ({ connect }) => {
    const finished = {
      prompt: { messages: [{ role: "user", content: { type: "text", text: "done" } }] },
      resource: { contents: [{ uri: "acme://page", text: "done" }] },
      own: { pages: 3 },
      asked: text("done"),
    };
    const render = defineMethod("acme/render", { params: z.object({}), result: z.object({ pages: z.number() }) });
    const server = new McpServer({ ...identity, extensions: [jobs] });
    server.handle(jobStatus, ({ id }) => ({ result: finished[id as keyof typeof finished] }));
    server.prompt("p", {}, () => job.of({ id: "prompt" }));
    server.resource("acme://page", { name: "page" }, () => job.of({ id: "resource" }));
    server.handle(render, () => job.of({ id: "own" }));
    server.tool("t", {}, async (_args, context) => {
      await context.elicit({ message: "Sure?", schema: z.object({}) });
      return job.of({ id: "asked" });
    });
    const client = await connect(server, { extensions: [jobs], elicit: () => ({ action: "accept", content: {} }) });

    expect(await client.getPrompt("p")).toMatchObject(finished.prompt);
    expect(await client.readResource("acme://page")).toMatchObject(finished.resource);
    expect(await client.request(render, {})).toEqual(finished.own);
    expect(await client.callTool("t")).toMatchObject(finished.asked);
  },
);

verifies(
  "extensions:client:claimed-result-resolved",
  "the extension sees the call, and can have questions answered by the client's handlers",
  { judge: "no-valid-form" },
  async ({ connect, revision }) => {
    const seen: Partial<ExtensionCall>[] = [];
    const asking = defineResultType("asking", {
      methods: ["tools/call"],
      result: z.object({}),
      settle: async (_result, { request, answer, ...call }) => {
        seen.push(call);
        return text(JSON.stringify(await answer({ method: "roots/list" })));
      },
    });
    const extension = defineExtension("com.example/asking", { resultTypes: [asking] });
    const server = new McpServer({ ...identity, extensions: [extension] });
    server.handle("tools/call", () => asking.of({}));
    const roots = [{ uri: "file:///project" }];
    const client = await connect(server, { extensions: [extension], listRoots: () => roots });

    const { signal } = new AbortController();
    const onProgress = () => undefined;
    expect(await client.callTool("t", { a: 1 }, { signal, onProgress })).toEqual(text(JSON.stringify({ roots })));
    expect(seen).toMatchObject([
      { method: "tools/call", params: { name: "t", arguments: { a: 1 } }, revision, mode: "call" },
    ]);
    expect([seen[0]?.signal?.aborted, seen[0]?.onProgress]).toEqual([false, onProgress]);
  },
);

verifies(
  "extensions:client:claimed-result-undeclared-invalid",
  "the client without it, a server without it, and a method that it is not for",
  async ({ openServer }) => {
    const declared = { tools: {}, extensions: { "com.example/jobs": {} } };
    for (const [capabilities, options, call] of [
      [declared, {}, "callTool"],
      [{ tools: {} }, { extensions: [jobs] }, "callTool"],
      [declared, { extensions: [jobs] }, "listTools"],
    ] as const) {
      const { peer, client } = await openServer(capabilities, options);
      const asking = call === "callTool" ? client.callTool("t") : client.listTools();
      await peer.respond(await peer.receive(), { resultType: "job", id: "1" });
      await expect(asking).rejects.toMatchObject({
        name: "SdkError",
        code: "unknown-result-type",
        message: expect.stringContaining('"job"'),
      });
    }
  },
);

verifies(
  "extensions:client:claimed-result-raw",
  "and nothing else is sent",
  { judge: "no-valid-form" },
  async ({ connect, wire }) => {
    const client = await connect(renderer(), { extensions: [jobs] });

    const handle = await client.request("tools/call", { name: "render", arguments: { page: 7 } });

    expect(handle).toMatchObject({ resultType: "job", id: "page 7" });
    expect(wire.methods("client")).not.toContain("acme/job");
  },
);

verifies(
  "extensions:client:claimed-result-checked",
  "a handle against its schema, a result that is none of the method's, one that is not finished",
  async ({ openServer }) => {
    const capabilities = { tools: {}, extensions: { "com.example/jobs": {} } };
    const { peer, client } = await openServer(capabilities, { extensions: [jobs] });
    for (const send of [() => client.callTool("t"), () => client.request("tools/call", { name: "t" })]) {
      const calling = send();
      await peer.respond(await peer.receive(), { resultType: "job", id: 7 });
      await expect(calling).rejects.toMatchObject({
        code: "invalid-result",
        message: expect.stringContaining("result.id"),
      });
    }
    for (const result of [{ pages: 3 }, { ...text("done"), resultType: "job" }]) {
      const calling = client.callTool("t");
      await peer.respond(await peer.receive(), { resultType: "job", id: "1" });
      await peer.respond(await peer.receive(), { resultType: "complete", result });
      await expect(calling).rejects.toMatchObject({
        code: "invalid-result",
        message: expect.stringMatching(/^tools\/call, settled by com.example\/jobs: result/),
      });
    }
  },
);

verifies(
  "extensions:client:claimed-result-checked",
  "a call that is aborted does not wait for its extension",
  async ({ openServer }) => {
    const settling = deferred<void>();
    const endless = defineResultType("endless", {
      methods: ["tools/call"],
      result: z.object({}),
      settle: () => {
        settling.resolve();
        return new Promise<object>(() => undefined);
      },
    });
    const extension = defineExtension("com.example/endless", { resultTypes: [endless] });
    const capabilities = { tools: {}, extensions: { "com.example/endless": {} } };
    const { peer, client } = await openServer(capabilities, { extensions: [extension] });
    const controller = new AbortController();
    const calling = client.callTool("t", {}, { signal: controller.signal });
    await peer.respond(await peer.receive(), { resultType: "endless" });
    await settling.promise;

    controller.abort("enough");

    await expect(calling).rejects.toMatchObject({ code: "request-aborted", cause: "enough" });
    expect(await peer.drain()).toEqual([]);
  },
);
