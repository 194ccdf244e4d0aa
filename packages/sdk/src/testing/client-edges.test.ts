/** Corners of the client that no requirement of the specification names. */
import { describe, expect, it, vi } from "vitest";
import { Client } from "../client/client.js";
import type { ClientOptions } from "../client/client-options.js";
import type { JsonSchemaValidator } from "../schema/compile-schema.js";
import { McpServer } from "../server/mcp-server.js";
import { createMemoryTransports } from "../transport/memory-transport.js";
import { connectInProcess, type WireEntry } from "./connect-in-process.js";

const identity = { name: "test", version: "1.0.0" };

function countingServer(): McpServer {
  const server = new McpServer({ ...identity, timeoutMs: 1_000 });
  const output = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };
  server.tool("count", { output }, () => ({ count: 1 }));
  return server;
}

function methodsIn(wire: readonly WireEntry[]): string[] {
  return wire.flatMap(({ message }) => ("method" in message ? [message.method] : []));
}

describe("checking structured output", () => {
  it("always: lists the tools once, however many calls and however unknown the tool", async () => {
    const wire: WireEntry[] = [];
    const server = countingServer();
    server.handle("tools/call", () => ({ content: [], structuredContent: { count: "many" } }));
    await using client = await connectInProcess(server, {
      outputChecks: "always",
      record: (entry) => wire.push(entry),
    });
    await expect(client.callTool("count")).rejects.toMatchObject({ code: "invalid-result" });
    await client.callTool("unlisted");
    await client.callTool("unlisted");
    expect(methodsIn(wire).filter((method) => method === "tools/list")).toHaveLength(1);
  });

  it("never: takes output as it comes", async () => {
    const server = countingServer();
    server.handle("tools/call", () => ({ content: [], structuredContent: { count: "many" } }));
    await using client = await connectInProcess(server, { outputChecks: "never" });
    await client.listTools();
    expect((await client.callTool("count")).structuredContent).toEqual({ count: "many" });
  });

  it("by a validator of the caller's, on either side", async () => {
    const seen: unknown[] = [];
    const jsonSchemaValidator: JsonSchemaValidator = {
      compile: () => (value) => {
        seen.push(value);
        return { ok: true, value };
      },
    };
    const server = new McpServer({ ...identity, jsonSchemaValidator });
    server.tool("echo", { output: { type: "object" } }, () => ({ said: true }));
    await using client = await connectInProcess(server, { jsonSchemaValidator });
    await client.listTools();
    await client.callTool("echo");
    expect(seen).toEqual([{}, { said: true }, { said: true }]);
  });
});

describe("limits on schemas", () => {
  const deep = { type: "object", properties: { a: { type: "object", properties: { b: { type: "string" } } } } };
  const schemaLimits = { maxDepth: 2 };

  it("hold where a server registers them", () => {
    const server = new McpServer({ ...identity, schemaLimits });
    expect(() => server.tool("deep", { input: deep }, () => "never")).toThrow(
      expect.objectContaining({ code: "unusable-schema" }),
    );
  });

  it("hold where a client is sent them, for that tool alone", async () => {
    const server = countingServer();
    server.tool("deep", { output: deep }, () => ({ a: { b: "c" } }));
    await using client = await connectInProcess(server, { schemaLimits });
    await client.listTools();
    await expect(client.callTool("deep")).rejects.toMatchObject({ code: "unusable-schema" });
    expect((await client.callTool("count")).structuredContent).toEqual({ count: 1 });
  });
});

describe("arguments that JSON has no form for, in process", () => {
  it.each(["2025-11-25", "2026-07-28"] as const)("reach a handler that asks nothing, in %s", async (revision) => {
    const server = new McpServer(identity);
    server.tool("take", { input: { type: "object" } }, () => "taken");
    await using client = await connectInProcess(server, { revisions: [revision] });
    expect((await client.callTool("take", { big: 1n })).content).toEqual([{ type: "text", text: "taken" }]);
  });

  it("end a call whose state they would have to be part of", async () => {
    const reports: Error[] = [];
    const server = new McpServer({ ...identity, onError: (error) => reports.push(error) });
    server.tool("ask", { input: { type: "object" } }, async (_args, context) => {
      await context.elicit({ message: "?", url: "https://example.com" });
    });
    const elicitUrl = () => ({ action: "accept" }) as const;
    await using client = await connectInProcess(server, { revisions: ["2026-07-28"], elicitUrl });
    expect((await client.callTool("ask", { big: 1n })).isError).toBe(true);
    expect(reports).toHaveLength(1);
  });
});

describe("opening", () => {
  it("happens once per client", async () => {
    await using client = await connectInProcess(countingServer());
    await expect(client.open(countingServer())).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it("comes before everything else", async () => {
    const client = new Client(identity);
    expect(() => client.revision).toThrow(expect.objectContaining({ code: "connection-closed" }));
    await client.close();
  });

  it("can be given up", async () => {
    const [near] = createMemoryTransports();
    const client = new Client(identity);
    await expect(client.open(near, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "request-aborted" });
  });

  it.each<[string, Partial<ClientOptions>]>([
    ["no revisions", { revisions: [] }],
    ["a strict client pinned to a modern revision", { strictCapabilities: true, revision: "2026-07-28" }],
  ])("is refused for %s", (_case, options) => {
    expect(() => new Client({ ...identity, ...options })).toThrow(
      expect.objectContaining({ code: "invalid-argument" }),
    );
  });

  it("tells when the connection ends", async () => {
    const onClose = vi.fn();
    const client = await connectInProcess(countingServer(), { onClose, timeoutMs: 1_000 });
    expect(onClose).not.toHaveBeenCalled();
    await client.close();
    expect(onClose).toHaveBeenCalledOnce();
  });

  it("fails in modern where the server speaks only what the client does not", async () => {
    const server = new McpServer({ ...identity, revisions: ["2026-07-28", "2024-11-05"] });
    server.handle("server/discover", () => ({ supportedVersions: ["2024-11-05"], capabilities: {} }));
    await using client = await connectInProcess(server);
    expect(client.revision).toBe("2024-11-05");
    await expect(connectInProcess(server, { revisions: ["2026-07-28"] })).rejects.toMatchObject({
      code: "no-shared-revision",
    });
  });
});

describe("middleware around what a client sends", () => {
  it("must answer a request with an object", async () => {
    await using client = await connectInProcess(countingServer());
    client.use(() => "text");
    await expect(client.listTools()).rejects.toMatchObject({ code: "invalid-result" });
  });

  it("may call on twice in a batch: the second goes out by itself", async () => {
    const wire: WireEntry[] = [];
    await using client = await connectInProcess(countingServer(), {
      over: "json-rpc",
      revisions: ["2025-03-26"],
      record: (entry) => wire.push(entry),
    });
    client.use(async (_call, next) => {
      await next();
      return next();
    });
    const outcomes = await client.requestBatch([{ method: "ping" }]);
    expect(outcomes).toEqual([{ status: "fulfilled", value: {} }]);
    const sent = wire.filter(({ from }) => from === "client").slice(-2);
    expect(sent.map(({ message }) => Array.isArray(message))).toEqual([true, false]);
  });

  it("may answer a whole batch, of which then nothing goes out", async () => {
    const wire: WireEntry[] = [];
    await using client = await connectInProcess(countingServer(), {
      over: "json-rpc",
      revisions: ["2025-03-26"],
      record: (entry) => wire.push(entry),
    });
    client.use(() => ({ made: "here" }));
    const before = wire.length;
    expect(await client.requestBatch([{ method: "ping" }])).toEqual([{ status: "fulfilled", value: { made: "here" } }]);
    expect(wire).toHaveLength(before);
  });
});

describe("a batch", () => {
  it("that cannot be sent rejects every call in it", async () => {
    const client = await connectInProcess(countingServer(), { over: "json-rpc", revisions: ["2025-03-26"] });
    await client.close();
    const outcomes = await client.requestBatch([{ method: "ping" }, { method: "tools/list" }]);
    expect(outcomes).toMatchObject([
      { reason: { code: "connection-closed" } },
      { reason: { code: "connection-closed" } },
    ]);
  });
});

describe("what a server says of itself", () => {
  it("stays unknown to a pinned client as long as results carry no name", async () => {
    const [near, far] = createMemoryTransports();
    far.start({
      receive: (message) => {
        const { id } = message as { id: number };
        void far.send({
          jsonrpc: "2.0",
          id,
          result: { resultType: "complete", _meta: { "io.modelcontextprotocol/serverInfo": "?" } },
        });
      },
      receiveUnparsable: () => undefined,
      closed: () => undefined,
    });
    await using client = await Client.connect(near, { ...identity, revision: "2026-07-28" });
    await client.request("x/y");
    expect(client.serverInfo).toBeUndefined();
    expect(client.serverCapabilities).toBeUndefined();
  });
});
