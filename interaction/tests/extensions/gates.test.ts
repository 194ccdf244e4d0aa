import { defineExtension, defineMethod, McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";

const identity = { name: "weather", version: "1.0.0" };
const forecast = defineMethod("acme/forecast", {
  params: z.object({ city: z.string() }),
  result: z.object({ celsius: z.number() }),
});
const weather = defineExtension("com.example/weather", { methods: [forecast] });
const requiredCapabilities = { extensions: { "com.example/weather": {} } };

/** A server whose handler must not run. */
function guarded(): McpServer {
  const server = new McpServer({ ...identity, extensions: [weather] });
  server.handle(forecast, () => {
    throw new Error("must not run");
  });
  return server;
}

verifies(
  "extensions:client:capability-ad:gates-server-behavior",
  "a request that does not declare the extension is -32021 for any params, and one that declares it is served",
  async ({ connect }) => {
    const stranger = await connect(guarded());
    for (const params of [{ city: "Bath" }, {}]) {
      await expect(stranger.request("acme/forecast", params)).rejects.toMatchObject({
        name: "ProtocolError",
        code: -32021,
        message: expect.stringContaining("com.example/weather"),
        data: { requiredCapabilities },
      });
    }

    const server = new McpServer(identity);
    server.handle(forecast, ({ city }) => ({ celsius: city.length }));
    server.handle("*", () => ({ from: "*" }));
    server.extend(weather);
    const client = await connect(server, { extensions: [weather] });
    expect(await client.request(forecast, { city: "Bath" })).toEqual({ celsius: 4 });
    expect(await client.request("acme/other")).toMatchObject({ from: "*" });
  },
);

verifies(
  "extensions:client:capability-ad:gates-server-behavior",
  "a handler for any method does not serve a request that does not declare the extension",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, extensions: [weather] });
    server.handle("*", () => ({ celsius: 0 }));
    const client = await connect(server);
    await expect(client.request("acme/forecast")).rejects.toMatchObject({ code: -32021 });
  },
);

verifies(
  "extensions:gate:legacy-server",
  "a legacy client without the extension is answered -32602, and one that declared it is served",
  async ({ connect }) => {
    const stranger = await connect(guarded());
    await expect(stranger.request("acme/forecast", { city: "Bath" })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("com.example/weather"),
      data: { requiredCapabilities },
    });

    const server = new McpServer({ ...identity, extensions: [weather] });
    server.handle(forecast, ({ city }) => ({ celsius: city.length }));
    const client = await connect(server, { extensions: [weather] });
    expect(await client.request(forecast, { city: "Bath" })).toEqual({ celsius: 4 });
  },
);

verifies(
  "extensions:gate:client",
  "a client refuses a call of an extension that the server lacks, by definition and by name, before anything is sent",
  async ({ connect, wire }) => {
    const server = new McpServer(identity);
    server.handle(forecast, () => ({ celsius: 1 }));
    const client = await connect(server, { extensions: [weather] });

    const refusal = {
      name: "SdkError",
      code: "capability-not-supported",
      wireCode: -32601,
      message: expect.stringContaining("com.example/weather"),
    };
    await expect(client.request(forecast, { city: "Bath" })).rejects.toMatchObject(refusal);
    await expect(client.request("acme/forecast", { city: "Bath" })).rejects.toMatchObject(refusal);
    expect(wire.methods("client")).not.toContain("acme/forecast");
  },
);

verifies(
  "extensions:gate:unknown-server",
  "a pinned client calls an extension without asking first, and the server's answer decides whether it has it",
  async ({ connect, revision }) => {
    const server = new McpServer({ ...identity, extensions: [weather] });
    server.handle(forecast, () => ({ celsius: 1 }));
    const client = await connect(server, { revision, extensions: [weather] });
    expect(await client.request(forecast, { city: "Bath" })).toEqual({ celsius: 1 });
    expect(client.extension(weather)).toBeUndefined();

    const other = await connect(new McpServer(identity), { revision, extensions: [weather] });
    await expect(other.request(forecast, { city: "Bath" })).rejects.toMatchObject({
      name: "ProtocolError",
      code: -32601,
    });
  },
);

verifies(
  "extensions:gate:server-requests",
  "a request of an extension from the server is refused by both sides without a declaration, and served with one",
  async ({ openClient, openServer, connect }) => {
    const server = new McpServer({ ...identity, extensions: [weather] });
    server.tool("ask", {}, async (_args, context) => {
      const answer = await context
        .request(forecast, { city: "Bath" })
        .catch(({ code, wireCode }) => ({ code, wireCode }));
      return JSON.stringify(answer);
    });
    const stranger = await openClient(server);
    const refused = { type: "text", text: JSON.stringify({ code: "capability-not-supported", wireCode: -32601 }) };
    expect(await stranger.request(1, "tools/call", { name: "ask" })).toMatchObject({ result: { content: [refused] } });

    const { peer, client: asked } = await openServer({}, { extensions: [weather] });
    asked.handle(forecast, () => {
      throw new Error("must not run");
    });
    expect(await peer.request(1, "acme/forecast", { city: "Bath" })).toMatchObject({ error: { code: -32601 } });

    const client = await connect(server, { extensions: [weather] });
    client.handle(forecast, ({ city }) => ({ celsius: city.length }));
    const { content } = await client.callTool("ask");
    expect(content).toEqual([{ type: "text", text: '{"celsius":4}' }]);
  },
);

verifies(
  "extensions:gate:server-requests",
  "requests and notifications that a client's handler sends back are gated by the same declaration",
  async ({ openServer }) => {
    const { peer, client } = await openServer({}, { extensions: [weather] });
    client.handle("acme/ask", (_params, context) =>
      context.request(forecast, { city: "Bath" }).catch(({ code, wireCode }) => ({ code, wireCode })),
    );
    expect(await peer.request(1, "acme/ask")).toMatchObject({
      result: { code: "capability-not-supported", wireCode: -32601 },
    });
  },
);

verifies(
  "extensions:fallback:server",
  "a fallback serves clients without the extension, and its handler can tell them apart",
  async ({ connect }) => {
    const open = defineExtension("com.example/open", { methods: [forecast], fallback: { server: "serve" } });
    const server = new McpServer({ ...identity, extensions: [open] });
    server.handle(forecast, (_params, context) => ({ celsius: context.extension(open) ? 1 : 0 }));
    const client = await connect(server, { extensions: [open] });
    const stranger = await connect(server);

    expect(await client.request(forecast, { city: "Bath" })).toEqual({ celsius: 1 });
    expect(await stranger.request(forecast, { city: "Bath" })).toEqual({ celsius: 0 });
  },
);

const withTool = defineExtension("com.example/weather", {
  methods: [forecast],
  fallback: {
    client: async ({ params, request }) => {
      const { structuredContent } = await request("tools/call", { name: "forecast", arguments: params });
      return structuredContent as object;
    },
  },
});

verifies(
  "extensions:fallback:client",
  "a client calls a tool as the fallback of a method where the server lacks the extension, and the method where it has it",
  async ({ connect }) => {
    const lacking = new McpServer(identity);
    lacking.tool("forecast", { input: z.object({ city: z.string() }) }, ({ city }) => ({
      structuredContent: { celsius: city.length },
      content: [],
    }));
    const having = new McpServer({ ...identity, extensions: [withTool] });
    having.handle(forecast, () => ({ celsius: 30 }));

    const ask = async (server: McpServer) => {
      const client = await connect(server, { extensions: [withTool] });
      return client.request(forecast, { city: "Bath" });
    };
    expect(await ask(lacking)).toEqual({ celsius: 4 });
    expect(await ask(having)).toEqual({ celsius: 30 });
  },
);

verifies(
  "extensions:fallback:client-rules",
  "middleware sees the call and its result; a wrong result and a call of itself reject",
  async ({ connect }) => {
    const seen: unknown[] = [];
    const fallbacks = {
      right: () => ({ celsius: 4 }),
      wrong: () => ({ celsius: "warm" }),
      circular: ({ request }: { request(method: string): Promise<object> }) => request("acme/forecast"),
    };
    const ask = async (client: (typeof fallbacks)[keyof typeof fallbacks]) => {
      const extension = defineExtension("com.example/weather", { methods: [forecast], fallback: { client } });
      const caller = await connect(new McpServer(identity), { extensions: [extension] });
      caller.use(async ({ method }, next) => {
        const result = await next();
        seen.push([method, result]);
        return result;
      });
      return caller.request(forecast, { city: "Bath" });
    };

    expect(await ask(fallbacks.right)).toEqual({ celsius: 4 });
    expect(seen).toEqual([["acme/forecast", { celsius: 4 }]]);
    await expect(ask(fallbacks.wrong)).rejects.toMatchObject({ code: "invalid-result" });
    await expect(ask(fallbacks.circular)).rejects.toMatchObject({ code: "capability-not-supported" });
  },
);

verifies(
  "extensions:fallback:client-rules",
  "a fallback answers its own call alone in a batch",
  async ({ connect, revision, wire }) => {
    const client = { client: () => ({ celsius: 4 }) };
    const extension = defineExtension("com.example/weather", { methods: [forecast], fallback: client });
    const server = new McpServer(identity);
    server.handle("acme/other", () => ({ other: true }));
    const caller = await connect(server, { extensions: [extension] });
    const calls = [{ method: "acme/forecast", params: { city: "Bath" } }, { method: "acme/other" }];
    const answers =
      revision === "2025-03-26"
        ? await caller.requestBatch(calls)
        : await Promise.allSettled(calls.map(({ method, params }) => caller.request(method, params)));

    expect(answers).toMatchObject([{ value: { celsius: 4 } }, { value: { other: true } }]);
    expect(wire.methods("client")).not.toContain("acme/forecast");
  },
);
