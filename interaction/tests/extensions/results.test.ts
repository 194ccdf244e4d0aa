import { defineExtension, defineMethod, defineResultType, McpServer } from "parley-mcp/server";
import type { ExtensionCall } from "parley-mcp/types";
import { expect } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";
import { identity, job, jobStatus, jobs, renderer, text } from "./jobs.fixture.js";

verifies(
  "extensions:client:claimed-result-resolved",
  "an extension finishes its result by its own methods, while a client without the extension is served at once",
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
  "an extension finishes results of prompts, resources and methods of one's own, also after questions",
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
  "settle of an extension sees the call, and can have questions answered by the client's handlers",
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
  "a result of an extension's kind rejects without a declaration of either side, and on a method that it is not for",
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
  "client.request resolves with the result of an extension as it came, and sends nothing else",
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
  "a handle against its schema, a settled result of the wrong shape and an unsettled one reject with invalid-result",
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
