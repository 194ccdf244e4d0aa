import { ProtocolError, SdkError } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

verifies(
  "errors:local:distinguishable",
  "an error answer of the peer rejects as ProtocolError with a number, and a local failure as SdkError with a name",
  async ({ connect }) => {
    const server = new McpServer({ name: "refusing", version: "1.0.0" });
    server.handle("acme/refuse", () => {
      throw new ProtocolError(4001, "No");
    });
    const client = await connect(server);

    const remote = await client.request("acme/refuse").catch((error: unknown) => error);
    const aborted = await client
      .request("acme/refuse", {}, { signal: AbortSignal.abort() })
      .catch((error: unknown) => error);
    await client.close();
    const closed = await client.request("acme/refuse").catch((error: unknown) => error);

    expect(remote).toBeInstanceOf(ProtocolError);
    expect(remote).not.toBeInstanceOf(SdkError);
    expect(remote).toMatchObject({ code: 4001 });
    for (const local of [aborted, closed]) {
      expect(local).toBeInstanceOf(SdkError);
      expect(local).not.toBeInstanceOf(ProtocolError);
    }
    expect([aborted, closed]).toMatchObject([{ code: "request-aborted" }, { code: "connection-closed" }]);
  },
);

verifies(
  "errors:local:method-not-in-revision",
  "a method that the revision lacks rejects here, and nothing is sent",
  async ({ connect, revision, era, wire }) => {
    const server = new McpServer({ name: "eager", version: "1.0.0" });
    const lacking = {
      legacy: ["server/discover", "subscriptions/listen"],
      modern: ["ping", "initialize", "logging/setLevel", "resources/subscribe", "tasks/get"],
    }[era];
    for (const method of lacking) {
      server.handle(method, () => {
        throw new Error("must not run");
      });
    }
    const client = await connect(server);
    const sentBefore = wire.from("client").length;

    for (const method of lacking) {
      await expect(client.request(method), method).rejects.toMatchObject({
        name: "SdkError",
        code: "method-not-in-revision",
        message: expect.stringMatching(new RegExp(`${method}.*${revision}`)),
      });
    }
    expect(wire.from("client")).toHaveLength(sentBefore);
  },
);

verifies(
  "errors:result:invalid",
  "an answer that lacks what its method promises rejects with the path of what is wrong",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer();
    const kind = era === "modern" ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
    const answers = [
      [() => client.listTools(), {}, "result.tools"],
      [() => client.listTools(), { tools: { name: "a" } }, "result.tools"],
      [() => client.readResource("x://y"), { contents: [{ uri: "x://y" }] }, "result.contents[0]"],
      [() => client.getPrompt("p"), { messages: [{ role: "system", content: {} }] }, "result.messages[0].role"],
      [() => client.callTool("t"), { content: [{ type: "text" }] }, "result.content[0].text"],
      [() => client.listResources(), { resources: [], nextCursor: 7 }, "result.nextCursor"],
    ] as const;

    for (const [call, result, path] of answers) {
      const failure = call().catch((error: unknown) => error);
      await peer.respond(await peer.receive(), { ...kind, ...result });
      const message = expect.stringContaining(path);
      expect(await failure).toMatchObject({ name: "SdkError", code: "invalid-result", message });
    }
  },
);

verifies(
  "errors:result:malformed-parts",
  "one malformed tool, prompt, resource, template, message or block costs itself or its field, and is reported",
  async ({ openServer, era }) => {
    const errors: Error[] = [];
    const { peer, client } = await openServer(undefined, { onError: (error) => void errors.push(error) });
    const kind = era === "modern" ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
    const tool = { name: "a", inputSchema: { type: "object" } };
    const hint = { annotations: { readOnlyHint: true } };
    const text = { type: "text", text: "hi" };
    const said = { role: "user", content: text };
    const resource = { uri: "x://y", name: "y" };
    const template = { uriTemplate: "x://{y}", name: "y" };
    const odd = { type: "hologram", data: "" };
    const cases: [() => Promise<object>, object, object][] = [
      [() => client.listTools(), { tools: [{ name: 7 }, tool] }, { tools: [tool] }],
      [
        () => client.listTools(),
        { tools: [{ ...tool, annotations: { title: 7, readOnlyHint: true } }] },
        { tools: [{ ...tool, ...hint }] },
      ],
      [() => client.listPrompts(), { prompts: [{ name: "p", title: 7 }, {}] }, { prompts: [{ name: "p" }] }],
      [() => client.listResources(), { resources: [{ ...resource, size: "1" }] }, { resources: [resource] }],
      [() => client.listResourceTemplates(), { resourceTemplates: [7, template] }, { resourceTemplates: [template] }],
      [
        () => client.readResource("x://y"),
        { contents: [{ uri: "x://y" }, { uri: "x://y", text: "y", mimeType: 7 }] },
        { contents: [{ uri: "x://y", text: "y" }] },
      ],
      [() => client.getPrompt("p"), { messages: [said, { role: "system", content: text }] }, { messages: [said] }],
      [() => client.callTool("t"), { content: [odd, text] }, { content: [text] }],
      [
        () => client.callTool("t"),
        { content: [odd], structuredContent: { sum: 5 } },
        { content: [], structuredContent: { sum: 5 } },
      ],
    ];

    for (const [call, sent, kept] of cases) {
      const called = call();
      await peer.respond(await peer.receive(), { ...kind, ...sent });
      expect(await called).toEqual({ ...kind, ...kept });
    }
    expect(errors.map((error) => (error as SdkError).code)).toEqual(cases.map(() => "invalid-result"));
    expect(errors[0]?.message).toContain("result.tools[0].name: expected string, got number");
  },
);

verifies(
  "errors:result:unknown-type",
  "a kind of result that nobody defined rejects, and the message names it",
  async ({ openServer }) => {
    const { peer, client } = await openServer();

    for (const resultType of ["telepathy", "", "Complete", null, 7]) {
      const failure = client.callTool("guess").catch((error: unknown) => error);
      await peer.respond(await peer.receive(), { resultType, content: [] });
      const message = expect.stringContaining(JSON.stringify(resultType));
      expect(await failure).toMatchObject({ name: "SdkError", code: "unknown-result-type", message });
    }
  },
);

verifies("errors:result:absent-type", "a result that does not say its kind is complete", async ({ openServer }) => {
  const { peer, client } = await openServer();

  const called = client.callTool("greet");
  await peer.respond(await peer.receive(), { content: [{ type: "text", text: "hello" }] });
  const listed = client.listTools();
  await peer.respond(await peer.receive(), { tools: [], ttlMs: 0, cacheScope: "private" });

  expect((await called).content).toEqual([{ type: "text", text: "hello" }]);
  expect((await listed).tools).toEqual([]);
});
