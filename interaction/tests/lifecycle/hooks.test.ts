import { PassThrough } from "node:stream";
import { Client } from "parley-mcp/client";
import { serveHttp, serveSocket, serveStdio } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { MCP_CAPABILITIES, MCP_METHODS } from "parley-mcp/types";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const identity = { name: "visitor", version: "1.0.0" };

/** A server with a tool that says whether its database is open, and what the hooks did. */
function store(options: { onStart?: () => unknown; onClose?: () => unknown } = {}) {
  const events: string[] = [];
  let isOpen = false;
  const onStart = async () => {
    await options.onStart?.();
    events.push("start");
    isOpen = true;
  };
  const onClose = async () => {
    events.push("closing");
    await options.onClose?.();
    events.push("closed");
    isOpen = false;
  };
  const failures: Error[] = [];
  const onError = (error: Error) => failures.push(error);
  const server = new McpServer({ name: "store", version: "1.0.0", onStart, onClose, onError });
  server.tool("state", () => (isOpen ? "open" : "closed"));
  return { server, events, failures };
}

/** Lets everything run that waits for nothing else. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function stateAt(target: Parameters<typeof Client.connect>[0]): Promise<unknown> {
  await using client = await Client.connect(target, identity);
  return (await client.callTool("state")).content;
}

verifies(
  "lifecycle:hooks:once",
  "two hosts start the database once, and the second to close waits until it is closed",
  async () => {
    const released = deferred<void>();
    const { server, events } = store({ onClose: () => released.promise });
    const first = await serveHttp(server);
    const second = await serveSocket(server, { port: 0 });

    expect(await stateAt(first.url)).toEqual([{ type: "text", text: "open" }]);
    await first.close();
    expect(events).toEqual(["start"]);
    const closing = second.close().then(() => events.push("host closed"));
    await turns(100);
    released.resolve();
    await closing;

    expect(events).toEqual(["start", "closing", "closed", "host closed"]);
  },
);

verifies(
  "lifecycle:hooks:in-process",
  "a call waits for the database, close ends it once, and the next call opens it again",
  async () => {
    const opened = deferred<void>();
    const { server, events, failures } = store({ onStart: () => opened.promise });

    const answer = stateAt(server);
    await turns(100);
    opened.resolve();
    expect(await answer).toEqual([{ type: "text", text: "open" }]);
    await Promise.all([server.close(), server.close()]);
    await server.close();
    expect(await stateAt(server)).toEqual([{ type: "text", text: "open" }]);

    expect(events).toEqual(["start", "closing", "closed", "start"]);
    expect(failures).toEqual([]);
  },
);

verifies(
  "lifecycle:hooks:failed-start",
  "hosts reject with the error of onStart and hold no address, and the next host runs onStart again",
  async () => {
    const reasons = [new Error("no database"), new Error("no database yet")];
    const { server, events } = store({
      onStart: () => {
        const reason = reasons.shift();
        if (reason) throw reason;
      },
    });

    await expect(serveHttp(server)).rejects.toThrow("no database");
    await expect(serveSocket(server, { port: 0 })).rejects.toThrow("no database yet");
    expect(events).toEqual([]);
    const host = await serveHttp(server);
    expect(await stateAt(host.url)).toEqual([{ type: "text", text: "open" }]);
    await host.close();

    expect(events).toEqual(["start", "closing", "closed"]);
  },
);

verifies(
  "lifecycle:hooks:hanging",
  "every host closes although onClose hangs, and onError hears which hook, and how long it was waited for",
  async () => {
    const hangs = { onClose: () => new Promise(() => {}) };
    const [overHttp, overSocket, overStdio, alone] = [store(hangs), store(hangs), store(hangs), store(hangs)];
    const http = await serveHttp(overHttp.server, { shutdownGraceMs: 10 });
    const socket = await serveSocket(overSocket.server, { port: 0, graceMs: 10 });
    const streams = { input: new PassThrough(), output: new PassThrough() };
    const stdio = await serveStdio(overStdio.server, { ...streams, graceMs: 10 });
    await stateAt(alone.server);

    await Promise.all([http.close(), socket.close(), stdio.close(), alone.server.close({ graceMs: 10 })]);

    for (const { failures } of [overHttp, overSocket, overStdio, alone]) {
      expect(failures.map(({ message }) => message)).toEqual([expect.stringMatching(/^onClose has not ended 10 ms/)]);
    }
  },
);

verifies(
  "lifecycle:hooks:hanging",
  "a program whose onStart hangs ends with its input, and onError hears which hook",
  async () => {
    const { server, failures } = store({ onStart: () => new Promise(() => {}) });
    const streams = { input: new PassThrough(), output: new PassThrough() };

    const serving = serveStdio(server, { ...streams, graceMs: 10 });
    streams.input.end();
    await (await serving).closed;

    expect(failures.map(({ message }) => message)).toEqual([expect.stringMatching(/^onStart has not ended 10 ms/)]);
  },
);

verifies(
  "lifecycle:tables:published",
  "MCP_METHODS and MCP_CAPABILITIES hold known rows, and neither table nor row can be changed",
  () => {
    expect(MCP_METHODS.find(({ method }) => method === "tools/call")).toEqual({
      method: "tools/call",
      kind: "request",
      sender: "client",
      since: "2024-11-05",
      until: undefined,
      capability: "tools",
      mayRequireInput: true,
      isCacheable: false,
    });
    expect(MCP_METHODS.find(({ method }) => method === "notifications/tools/list_changed")).toMatchObject({
      kind: "notification",
      sender: "server",
      capability: "tools.listChanged",
    });
    expect(MCP_CAPABILITIES.find(({ capability }) => capability === "elicitation")).toMatchObject({
      declaredBy: "client",
    });
    expect(MCP_CAPABILITIES.find(({ capability }) => capability === "tools.listChanged")).toEqual({
      capability: "tools.listChanged",
      declaredBy: "server",
      methods: ["notifications/tools/list_changed"],
    });
    for (const frozen of [MCP_METHODS, MCP_METHODS[0], MCP_CAPABILITIES, MCP_CAPABILITIES[0]?.methods]) {
      expect(Object.isFrozen(frozen)).toBe(true);
    }
  },
);
