import { describe, expect, it, vi } from "vitest";
import { connectDirect } from "../dispatch/direct-dispatcher.js";
import type { InboundRequest, Receiver } from "../dispatch/dispatcher.js";
import { InMemoryRateStore, type RateGrant } from "../routing/rate-store.js";
import type { JsonObject } from "../runtime/json.js";
import type { AcceptedConnection } from "./handshake-state.js";
import { McpServer } from "./mcp-server.js";
import type { ServerContext } from "./server-context.js";

const server = new McpServer({ name: "s", version: "1.0.0" });
const nobody: Receiver = { request: () => ({}), notification: () => undefined };

it("has no handshake to hand on before there was one", () => {
  connectDirect(
    () => nobody,
    (dispatcher) => {
      const connection = server.hosting.accept(dispatcher);
      expect(connection.handshake).toBeUndefined();
      expect(connection.retainedBytes).toBe(0);
      return connection;
    },
  );
});

it("lets go of a stream only while its request is being served, and where there is one", async () => {
  const kept: ServerContext[] = [];
  const closeStream = vi.fn();
  server.handle("acme/keep", (_params, context) => {
    kept.push(context);
    context.closeStream();
    return {};
  });
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const inbound = {
    id: 1,
    method: "acme/keep",
    params: { _meta: envelope },
    isSettled: false,
    caller: { closeStream },
  };
  let connection: Receiver = nobody;
  connectDirect(
    () => nobody,
    (dispatcher) => {
      connection = server.hosting.accept(dispatcher);
      return connection;
    },
  );
  await connection.request(inbound as unknown as InboundRequest);
  expect(closeStream).toHaveBeenCalledOnce();
  inbound.isSettled = true;
  kept[0]?.closeStream();
  expect(closeStream).toHaveBeenCalledOnce();
  await connection.request({ ...inbound, isSettled: false, caller: undefined } as unknown as InboundRequest);
});

it.each([
  ["by itself", undefined],
  ["in a store", new InMemoryRateStore()],
])(
  "counts a call before its headers are checked, and no list that is read for the check, %s",
  async (_how, rateStore) => {
    const rate = { perSecond: 0.001, burst: 1 };
    const own = new McpServer({
      name: "s",
      version: "1.0.0",
      capabilities: { tools: {} },
      rateLimits: { "tools/call": rate, "tools/list": rate },
      rateStore,
    });
    const list = vi.fn(({ cursor }: JsonObject) => ({ tools: [], ...(cursor === undefined && { nextCursor: "2" }) }));
    own.handle("tools/list", list);
    own.handle("tools/call", () => ({ content: [] }));
    let connection: Receiver = nobody;
    connectDirect(
      () => nobody,
      (dispatcher) => {
        connection = own.hosting.accept(dispatcher);
        return connection;
      },
    );
    const inbound = (method: string, name: string) =>
      ({
        id: 1,
        method,
        params: {
          name,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
        signal: new AbortController().signal,
        isSettled: false,
        caller: { principal: "ann", headers: {} },
      }) as unknown as InboundRequest;
    const serve = async (method: string, name: string) => connection.request(inbound(method, name));

    expect(await serve("tools/call", "first")).toMatchObject({ content: [] });
    expect(list).toHaveBeenCalledTimes(2);
    await expect(serve("tools/call", "second")).rejects.toMatchObject({ code: 429 });
    expect(list).toHaveBeenCalledTimes(2);
    expect(await serve("tools/list", "")).toMatchObject({ tools: [] });
    await expect(serve("tools/list", "")).rejects.toMatchObject({ code: 429 });
  },
);

it("runs no handler for a call that was cancelled while a store counted it", async () => {
  const answers: ((grant: RateGrant) => void)[] = [];
  const rateStore = { take: () => new Promise<RateGrant>((resolve) => answers.push(resolve)) };
  const own = new McpServer({ name: "s", version: "1.0.0", rateStore });
  const run = vi.fn(() => "done");
  own.tool("work", run);
  let connection: Receiver = nobody;
  connectDirect(
    () => nobody,
    (dispatcher) => {
      connection = own.hosting.accept(dispatcher);
      return connection;
    },
  );
  const controller = new AbortController();
  const { signal } = controller;
  const params = {
    name: "work",
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  };
  const inbound = { id: 1, method: "tools/call", params, signal, isSettled: false, caller: { principal: "ann" } };
  const cancelled = connection.request(inbound as unknown as InboundRequest);
  controller.abort(new Error("cancelled"));
  answers[0]?.({ calls: 2, retryAfterMs: 0 });

  await expect(cancelled).rejects.toThrow("cancelled");
  expect(run).not.toHaveBeenCalled();
  const { signal: other } = new AbortController();
  expect(await connection.request({ ...inbound, signal: other } as unknown as InboundRequest)).toHaveProperty(
    "content",
  );
});

describe("a conversation", () => {
  const opening = (name: string) => ({
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name, version: "1.0.0" },
  });
  const initialize = (name: string) =>
    ({ id: name, method: "initialize", params: opening(name) }) as unknown as InboundRequest;

  /** A connection on which the handshake of "slow" waits. */
  function open() {
    const gate: { pass: () => void; fail: (error: Error) => void } = { pass: () => undefined, fail: () => undefined };
    const picky = new McpServer({ name: "s", version: "1.0.0" });
    picky.use(async ({ context }, next) => {
      if (context?.clientInfo?.name === "slow") {
        await new Promise<void>((pass, fail) => Object.assign(gate, { pass, fail }));
      }
      return next();
    });
    let connection!: AcceptedConnection;
    connectDirect(
      () => nobody,
      (dispatcher) => {
        connection = picky.hosting.accept(dispatcher);
        return connection;
      },
    );
    return { connection, gate };
  }

  it("starts over after a legacy handshake alone", async () => {
    const { connection } = open();
    expect(connection.startOver?.(opening("first"))).toBe(false);
    await connection.request(initialize("first"));
    const modern = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } };
    expect(connection.startOver?.(modern)).toBe(false);
    expect(connection.startOver?.(opening("second"))).toBe(true);
    expect(connection.handshake).toBeUndefined();
  });

  it.each([undefined, {}, { ...opening("second"), protocolVersion: 7 }])(
    "goes on after a handshake that is refused: %j",
    async (params) => {
      const { connection } = open();
      await connection.request(initialize("first"));
      expect(connection.startOver?.(params)).toBe(false);
      const refused = { id: 2, method: "initialize", params } as unknown as InboundRequest;
      await expect(connection.request(refused)).rejects.toMatchObject({ code: -32602 });
      expect(connection.handshake?.envelope.clientInfo?.name).toBe("first");
    },
  );

  it("may begin again after a handshake that failed", async () => {
    const { connection, gate } = open();
    const failed = expect(Promise.resolve(connection.request(initialize("slow")))).rejects.toThrow();
    await new Promise(setImmediate);
    gate.fail(new Error("no"));
    await failed;
    expect(connection.retainedBytes).toBe(0);
    await connection.request(initialize("next"));
    expect(connection.handshake?.envelope.clientInfo?.name).toBe("next");
  });

  it.each(["pass", "fail"] as const)(
    "that started over is not touched when the handshake before it can %s",
    async (how) => {
      const { connection, gate } = open();
      const slow = Promise.resolve(connection.request(initialize("slow"))).catch(() => undefined);
      connection.startOver?.(opening("next"));
      await connection.request(initialize("next"));
      gate[how](new Error("too late"));
      await slow;
      expect(connection.handshake?.envelope.clientInfo?.name).toBe("next");
    },
  );
});

it("handles a notification once the server has started", async () => {
  const events: string[] = [];
  const starting = new McpServer({ name: "s", version: "1.0.0", onStart: async () => void events.push("started") });
  starting.onNotification("acme/note", () => void events.push("heard"));
  const accepted: AcceptedConnection[] = [];
  connectDirect(
    () => nobody,
    (dispatcher) => {
      accepted.push(starting.hosting.accept(dispatcher));
      return nobody;
    },
  );
  await accepted[0]?.notification("acme/note", {});
  expect(events).toEqual(["started", "heard"]);
});
