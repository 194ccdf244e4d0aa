import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

verifies(
  "protocol:response:unknown-id",
  "answers that nobody waits for are reported, and calls go on",
  async ({ openServer }) => {
    const reported: Error[] = [];
    const { peer, client } = await openServer({}, { onError: (error) => void reported.push(error) });

    const call = client.request("acme/ask");
    const request = await peer.receive();
    await peer.send({ jsonrpc: "2.0", id: "nobody", result: { of: "nobody's" } });
    await peer.send({ jsonrpc: "2.0", id: 4711, error: { code: -32603, message: "Internal error" } });
    await peer.respond(request, { of: "mine" });

    expect(await call).toEqual({ of: "mine" });
    expect(reported).toMatchObject([
      { name: "SdkError", code: "unexpected-answer", message: expect.stringContaining('"nobody"') },
      { name: "SdkError", code: "unexpected-answer", cause: { name: "ProtocolError", code: -32603 } },
    ]);
    expect(await peer.drain()).toEqual([]);
  },
);

verifies(
  "protocol:response:duplicate",
  "the first of two answers to a request counts, and the second is reported",
  async ({ openServer }) => {
    const reported: Error[] = [];
    const { peer, client } = await openServer({}, { onError: (error) => void reported.push(error) });

    const call = client.request("acme/ask");
    const request = await peer.receive();
    await peer.respond(request, { answer: 1 });
    await peer.respond(request, { answer: 2 });

    expect(await call).toEqual({ answer: 1 });
    expect(await peer.drain()).toEqual([]);
    expect(reported).toMatchObject([{ name: "SdkError", code: "unexpected-answer" }]);
  },
);

verifies(
  "protocol:response:id-text-match",
  'a peer that turns 7 into "7" still answers the request under 7',
  async ({ openServer }) => {
    const { peer, client } = await openServer();

    const result = client.request("acme/ask", {}, { id: 7 });
    expect(await peer.receive()).toMatchObject({ id: 7 });
    await peer.send({ jsonrpc: "2.0", id: "7", result: { ok: true } });
    expect(await result).toEqual({ ok: true });

    const failure = client.request("acme/ask", {}, { id: "8" });
    expect(await peer.receive()).toMatchObject({ id: "8" });
    await peer.send({ jsonrpc: "2.0", id: 8, error: { code: 1, message: "No" } });
    await expect(failure).rejects.toMatchObject({ name: "ProtocolError", code: 1 });
  },
);

verifies(
  "protocol:error:without-id",
  "an error without id, or with a null one, is reported with its code and settles no call",
  async ({ openServer }) => {
    const reported: Error[] = [];
    const { peer, client } = await openServer({}, { onError: (error) => void reported.push(error) });

    const call = client.request("acme/ask");
    const request = await peer.receive();
    await peer.send({ jsonrpc: "2.0", error: { code: -32700, message: "Parse error" } });
    await peer.send({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "Invalid request" } });
    await peer.respond(request, { ok: true });

    expect(await call).toEqual({ ok: true });
    expect(reported).toMatchObject([
      { code: "unexpected-answer", cause: { name: "ProtocolError", code: -32700, message: "Parse error" } },
      { code: "unexpected-answer", cause: { name: "ProtocolError", code: -32600, message: "Invalid request" } },
    ]);
  },
);

verifies(
  "protocol:server-requests:dropped",
  "a modern client answers nothing that a server sends: it reports it, and its own calls go on",
  async ({ openServer }) => {
    const reported: Error[] = [];
    const { peer, client } = await openServer({}, { onError: (error) => void reported.push(error) });
    client.handle("acme/ask", () => {
      throw new Error("must not run");
    });

    await peer.send({ jsonrpc: "2.0", id: 1, method: "ping" });
    await peer.send({ jsonrpc: "2.0", id: 2, method: "acme/ask", params: {} });
    await peer.send({ jsonrpc: "2.0", id: 3, method: 3 });
    await peer.send({ jsonrpc: "2.0" });
    await peer.send([{ jsonrpc: "2.0", id: 4, method: "ping" }]);
    await peer.sendText("{");

    expect(await peer.drain()).toEqual([]);
    expect(reported).toHaveLength(6);
    for (const error of reported) expect(error).toMatchObject({ name: "SdkError", code: "invalid-message" });
    const call = client.request("acme/tell");
    await peer.respond(await peer.receive(), { told: true });
    expect(await call).toEqual({ told: true });
  },
);

verifies(
  "protocol:in-process:listings-unharmed",
  "a listing that a caller has changed is the same again for that caller and the next",
  // The log holds the results that the test spoils.
  { judge: "our-side-is-made-to-misbehave" },
  async ({ connect }) => {
    const server = new McpServer({ name: "library", version: "1.0.0" });
    const input = { type: "object", properties: { day: { type: "string", enum: ["mon", "tue"] } } } as const;
    server.tool("plan", { input, annotations: { readOnlyHint: true } }, () => "planned");
    server.resource("notes://today", { name: "today", annotations: { audience: ["user"] } }, () => "milk");
    server.resourceTemplate("notes://{day}", { name: "notes" }, () => "milk");
    server.prompt("greet", { description: "Greets" }, () => "Hello");
    const [vandal, visitor] = [await connect(server), await connect(server)];
    const listAll = async (client: typeof visitor) => [
      await client.listTools(),
      await client.listResources(),
      await client.listResourceTemplates(),
      await client.listPrompts(),
    ];

    const before = structuredClone(await listAll(visitor));
    for (const page of await listAll(vandal)) vandalize(page);

    expect(before).toMatchObject([
      { tools: [{ name: "plan", inputSchema: input }] },
      { resources: [{ uri: "notes://today" }] },
      { resourceTemplates: [{ uriTemplate: "notes://{day}" }] },
      { prompts: [{ name: "greet" }] },
    ]);
    expect(await listAll(visitor)).toEqual(before);
    expect(await listAll(vandal)).toEqual(before);
  },
);

/** Overwrites everything that can be overwritten, deepest first; what is frozen stays. */
function vandalize(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    vandalize(member);
    Reflect.set(value, key, "vandalized");
  }
  Reflect.set(value, "added", "vandalized");
}
