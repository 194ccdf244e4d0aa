import { describe, expect, it } from "vitest";
import { z } from "zod";
import { FakeClient, gate, settled, setUpLegacy } from "./http-fakes.fixture.js";
import { InMemorySessionStore } from "./sessions/session-store.js";
import { InMemoryEventStore } from "./streams/event-store.js";

describe("sessions", () => {
  it("begin with initialize, whose answer names them in visible ASCII", async () => {
    const { client, endpoint } = setUpLegacy();
    const response = await client().initialize().ended();
    expect(response.status).toBe(200);
    expect(response.headers["content-type"]).toBe("application/json");
    expect(response.headers["mcp-session-id"]).toMatch(/^[0-9a-f]{40}$/);
    expect(response.json).toMatchObject({ id: 0, result: { protocolVersion: "2025-11-25" } });
    expect(endpoint.size).toBe(1);
  });

  it("have different ids, which no other response carries", async () => {
    const { client, server } = setUpLegacy();
    server.tool("ok", {}, () => "fine");
    const [one, other] = [await client().open(), await client().open()];
    expect(one.sessionId).not.toBe(other.sessionId);
    const call = await one.call(1, "ok").ended();
    expect(call.json).toMatchObject({ id: 1, result: { content: [{ text: "fine" }] } });
    expect(call.headers).not.toHaveProperty("mcp-session-id");
    expect(one.notify("notifications/initialized").headers).toEqual({});
  });

  it("are needed for everything but initialize", async () => {
    const { client } = setUpLegacy();
    for (const response of [client().request(1, "ping"), client().get(), client().delete()]) {
      await response.ended();
      expect(response.status).toBe(400);
      expect(response.json).toMatchObject({
        error: { code: -32600, message: expect.stringContaining("Mcp-Session-Id") },
      });
    }
  });

  it("are 404 for every verb if nobody knows them, or they are somebody else's", async () => {
    const { client } = setUpLegacy();
    const owner = await client({ caller: { principal: "ann" } }).open();
    for (const stranger of [client(), client({ caller: { principal: "bob" } }), client({ caller: {} })]) {
      for (const id of [owner.sessionId, "unknown", ""]) {
        stranger.sessionId = id;
        for (const response of [
          stranger.request(1, "ping"),
          stranger.get(),
          stranger.delete(),
          stranger.initialize(),
        ]) {
          expect((await response.ended()).status).toBe(404);
          expect(response.json).toMatchObject({ error: { message: expect.stringContaining("Session not found") } });
        }
      }
    }
    expect((await owner.request(2, "ping").ended()).status).toBe(200);
  });

  it("refuse a second initialize and go on", async () => {
    const { client } = setUpLegacy();
    const peer = await client({ revision: "2025-06-18" }).open();
    const again = await peer.initialize().ended();
    expect(again.json).toMatchObject({ error: { code: -32600, message: "Session already initialized" } });
    expect(again.headers).not.toHaveProperty("mcp-session-id");
    expect((await peer.request(1, "ping").ended()).json).toMatchObject({ id: 1, result: {} });
  });

  it("do not come to be if initialize fails, is malformed, or its client leaves", async () => {
    const { client, endpoint, server } = setUpLegacy();
    const failing = await client().request(1, "initialize", { protocolVersion: 1 }).ended();
    expect(failing.json).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(failing.headers).not.toHaveProperty("mcp-session-id");
    expect((await client().notify("initialize").ended()).status).toBe(400);
    expect((await client().post({ method: "initialize", id: 1 }).ended()).status).toBe(400);
    const started = gate();
    const aborted = gate();
    server.use(async ({ context }, next) => {
      context?.signal.addEventListener("abort", () => aborted.open());
      started.open();
      await aborted.passed;
      return next();
    });
    const leaving = client().initialize();
    await started.passed;
    expect(endpoint.size).toBe(1);
    leaving.disconnect();
    await aborted.passed;
    await settled();
    expect(endpoint.size).toBe(0);
  });
});

it("hears nothing but its answer before the handshake is over", async () => {
  const { client, server } = setUpLegacy();
  const thrown: unknown[] = [];
  server.use(async ({ method, context }, next) => {
    if (method !== "initialize") return next();
    await context?.notify("notifications/x");
    await context?.request("ping").catch((error: unknown) => thrown.push(error));
    return next();
  });
  const response = await client().initialize().ended();
  expect([response.isStream, response.status]).toEqual([false, 200]);
  expect(thrown).toMatchObject([{ code: "connection-closed", message: expect.stringContaining("handshake") }]);
});

describe("the version header", () => {
  it.each(["1999-01-01", "latest", "2026-07-28", ""])(
    "is refused if it says %j, in words clients look for",
    async (given) => {
      const { client } = setUpLegacy();
      const peer = await client().open();
      const headers = { "mcp-protocol-version": given };
      const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
      for (const response of [peer.post(ping, headers), peer.get(headers), peer.delete(headers)]) {
        expect((await response.ended()).status).toBe(400);
        expect(response.json).toMatchObject({
          error: { code: -32022, message: expect.stringMatching(/^Unsupported protocol version/) },
        });
      }
      expect((await peer.request(2, "ping").ended()).status).toBe(200);
    },
  );

  it("may come with initialize, and may name another revision than the session's, which stays", async () => {
    const { client, server } = setUpLegacy();
    server.handle("probe", (_params, context) => ({ revision: context.revision }));
    const peer = await client({ revision: "2025-03-26", headers: { "mcp-protocol-version": "2025-06-18" } }).open();
    expect((await peer.request(1, "probe").ended()).json).toMatchObject({ result: { revision: "2025-03-26" } });
  });

  it("is measured by what the server speaks", async () => {
    const { client } = setUpLegacy({}, { revisions: ["2025-06-18", "2025-11-25"] });
    const old = await client({ headers: { "mcp-protocol-version": "2025-03-26" } })
      .initialize()
      .ended();
    // The code of a server that has never heard of the modern era.
    expect(old.json).toMatchObject({
      error: { code: -32600, message: expect.stringContaining("2025-11-25, 2025-06-18") },
    });
  });
});

describe("what is posted", () => {
  it("is accepted without a body if it asks nothing", async () => {
    const { client, server } = setUpLegacy();
    const heard: string[] = [];
    server.onNotification("x/heard", () => void heard.push("x/heard"));
    const peer = await client().open();
    const response = await peer.notify("x/heard").ended();
    expect([response.status, response.body, heard]).toEqual([202, undefined, ["x/heard"]]);
  });

  it.each([
    1,
    "text",
    {},
    [],
    { jsonrpc: "2.0", id: null, method: "ping" },
    { jsonrpc: "2.0", id: 1.5, method: "ping" },
  ])("is 400 and -32600 if it is no message: %j", async (body) => {
    const { client } = setUpLegacy();
    const peer = await client({ revision: "2025-03-26" }).open();
    const response = await peer.post(body).ended();
    expect(response.status).toBe(400);
    expect(response.json).toMatchObject({ error: { code: -32600 } });
  });

  it("reaches the handler with who sent it, each time anew", async () => {
    const { endpoint, server } = setUpLegacy();
    server.handle("who", (_params, { caller }) => ({ details: caller?.details, headers: caller?.headers }));
    let details = "first";
    const caller = {
      principal: "ann",
      get details() {
        return details;
      },
      headers: { "x-from": "there" },
    };
    const peer = await new FakeClient(endpoint, { caller }).open();
    details = "second";
    expect((await peer.request(1, "who").ended()).json).toMatchObject({
      result: { details: "second", headers: { "x-from": "there" } },
    });
  });
});

describe("deleting a session", () => {
  it("aborts its handlers, ends their responses and its stream, and leaves others alone", async () => {
    const { client, server, endpoint } = setUpLegacy();
    const reasons: unknown[] = [];
    const running = gate();
    server.tool("wait", {}, async (_args, context) => {
      if (context.meta.progressToken === "p2") await context.progress(1);
      if (context.meta.progressToken === "p2") running.open();
      await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
      reasons.push(context.signal.reason);
      return "too late";
    });
    const [peer, other] = [await client().open(), await client().open()];
    const [plain, streamed, standalone] = [peer.call(1, "wait"), peer.call(2, "wait"), peer.get()];
    await running.passed;
    expect((await peer.delete().ended()).status).toBe(204);
    expect(reasons).toEqual([
      expect.objectContaining({ code: "connection-closed" }),
      expect.objectContaining({ code: "connection-closed" }),
    ]);
    const error = { code: -32603, message: "The session ended while this was being served" };
    expect([plain.status, plain.json]).toEqual([500, { jsonrpc: "2.0", id: 1, error }]);
    expect(streamed.messages.slice(1)).toEqual([{ jsonrpc: "2.0", id: 2, error }]);
    expect([streamed.isEnded, standalone.isEnded]).toEqual([true, true]);
    expect((await peer.request(3, "ping").ended()).status).toBe(404);
    expect((await peer.delete().ended()).status).toBe(404);
    expect((await other.request(3, "ping").ended()).status).toBe(200);
    expect(endpoint.size).toBe(1);
  });
});

describe("shutting down", () => {
  it("drains: takes in what running requests wait for, refuses new ones, ends streams, then closes", async () => {
    const { client, server, endpoint } = setUpLegacy();
    server.tool("ask", {}, async (_args, context) => {
      const { action } = await context.elicit({ message: "Sure?", schema: z.object({ ok: z.boolean() }) });
      return action;
    });
    const peer = await client({ revision: "2025-06-18", capabilities: { elicitation: {} } }).open();
    const [call, standalone] = [peer.call(1, "ask"), peer.get()];
    const [question] = await call.received(1);
    const drained = endpoint.drain(60_000);
    await standalone.ended();
    for (const response of [peer.request(2, "ping"), client().initialize(), peer.get()]) {
      await response.ended();
      expect([response.status, response.headers["retry-after"]]).toEqual([503, "1"]);
    }
    await peer.post({ jsonrpc: "2.0", id: question?.id, result: { action: "decline" } }).ended();
    expect((await call.ended()).messages.at(-1)).toMatchObject({ result: { content: [{ text: "decline" }] } });
    await drained;
    expect(endpoint.size).toBe(0);
  });

  it("waits no longer than it may", async () => {
    const { client, server, endpoint } = setUpLegacy();
    server.tool(
      "wait",
      {},
      (_args, { signal }) =>
        new Promise<string>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    );
    server.use(async ({ method }, next) => {
      if (method === "initialize" && endpoint.size > 1) await new Promise(() => undefined);
      return next();
    });
    const peer = await client().open();
    const call = peer.call(1, "wait");
    const opening = client().initialize();
    await endpoint.drain(1);
    expect([call.status, call.headers.connection, opening.status]).toEqual([503, "close", 503]);
    const message = "The server shut down while this was being served; it may or may not have been done";
    const error = { code: -32603, message };
    expect(call.json).toEqual({ jsonrpc: "2.0", id: 1, error });
  });

  it.each([
    ["2025-06-18", true],
    ["2025-11-25", true],
    ["2025-06-18", false],
    ["2025-11-25", false],
  ] as const)("drains at once although a client of %s listens, with an event store: %s", async (revision, isStored) => {
    const { client, endpoint } = setUpLegacy(isStored ? { eventStore: new InMemoryEventStore() } : {});
    const peer = await client({ revision }).open();
    const standalone = peer.get();
    await settled();
    await endpoint.drain(Number.MAX_SAFE_INTEGER);
    expect(standalone.isEnded).toBe(true);
  });

  it("opens no stream for a client whose GET waited for the session store", async () => {
    const sessionStore = new InMemorySessionStore();
    const elsewhere = await setUpLegacy({ sessionStore }).client().open();
    const { client, server, endpoint } = setUpLegacy({ sessionStore });
    const running = gate();
    server.tool("wait", {}, async () => {
      await running.passed;
      return "done";
    });
    const call = (await client().open()).call(1, "wait");
    const moved = client();
    moved.sessionId = elsewhere.sessionId;
    const standalone = moved.get();
    const drained = endpoint.drain(Number.MAX_SAFE_INTEGER);
    expect((await standalone.ended()).status).toBe(503);
    running.open();
    await drained;
    expect(call.status).toBe(200);
  });

  it("drains at once if nothing runs", async () => {
    const { client, endpoint } = setUpLegacy();
    await client().open();
    await endpoint.drain(Number.MAX_SAFE_INTEGER);
    expect(endpoint.size).toBe(0);
  });
});

it("refuses options that cannot be meant", () => {
  const store = new InMemoryEventStore();
  for (const options of [
    { maxSessions: 0 },
    { maxSessions: Number.NaN },
    { sessionIdleMs: 0 },
    { retryMs: -1 },
    { keepAliveMs: 0 },
    { stateless: true, eventStore: store },
    { stateless: true, sessionStore: new InMemorySessionStore() },
  ]) {
    expect(() => setUpLegacy(options)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  }
});
