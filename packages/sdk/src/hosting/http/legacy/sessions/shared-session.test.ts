import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { McpServer } from "../../../../server/mcp-server.js";
import { type FakeResponse, gate, settled, setUpLegacy } from "../http-fakes.fixture.js";
import { replicas } from "./replicas.fixture.js";

const form = z.object({ ok: z.boolean() });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Tools that ask, wait, speak and stream. */
function tools() {
  const [finish, aborted] = [gate(), gate()];
  const asked: unknown[] = [];
  const define = (server: McpServer) => {
    server.resource("a://b", { name: "b" }, () => "");
    server.tool("quick", () => "done");
    server.tool("ask", async (_args, context) => (await context.elicit({ message: "Sure?", schema: form })).action);
    server.tool("wait", async (_args, context) => {
      context.signal.addEventListener("abort", () => aborted.open());
      await finish.passed;
      return "waited";
    });
    server.tool("steps", async (_args, context) => {
      await context.progress(1);
      await finish.passed;
      await context.progress(2);
      return "stepped";
    });
    server.tool("talk", (_args, context) => {
      context.log.debug("chatter");
      return "";
    });
    server.handle("notifications/ask", async (_params, context) => {
      asked.push(await context.listRoots().catch((error: unknown) => error));
    });
  };
  return { define, finish, aborted, asked };
}

/** What a question in a response stream asks for an answer to. */
async function questionIn(response: FakeResponse): Promise<string> {
  const [question] = await response.received(1);
  return String(question?.id);
}

async function texts(response: FakeResponse): Promise<unknown> {
  const { body, messages } = await response.ended();
  const answer = body === undefined ? messages.at(-1) : JSON.parse(body);
  return answer.result?.content?.[0]?.text ?? answer;
}

describe("a session at several processes", () => {
  it("goes on at another process: an answer that is posted there reaches the handler that asked", async () => {
    const { define } = tools();
    const { open, errors } = replicas(define);
    const [, b, c] = await open({ capabilities: { elicitation: {} } });
    const call = b.call(1, "ask");
    const id = await questionIn(call);
    const posted = await c.post({ jsonrpc: "2.0", id, result: { action: "accept", content: { ok: true } } }).ended();
    expect(posted.status).toBe(202);
    expect(await texts(call)).toBe("accept");
    expect(errors).toEqual([]);
  });

  it("passes on an error, and progress of the client, too", async () => {
    const { define } = tools();
    const { open } = replicas(define);
    const [a, b] = await open({ capabilities: { elicitation: {} } });
    const call = a.call(1, "ask");
    const id = await questionIn(call);
    expect((await b.notify("notifications/progress", { progressToken: id, progress: 1 }).ended()).status).toBe(202);
    await b.post({ jsonrpc: "2.0", id, error: { code: -1, message: "no" } }).ended();
    expect(await call.ended().then(({ messages }) => messages.at(-1))).toMatchObject({ result: { isError: true } });
  });

  it("asks with ids that no other process uses", async () => {
    const { define } = tools();
    const { open } = replicas(define);
    const clients = await open({ capabilities: { elicitation: {} } });
    const ids = await Promise.all(clients.map((client, index) => questionIn(client.call(index, "ask"))));
    expect(new Set(ids).size).toBe(3);
  });

  it("answers 503 to the answer to a question whose process is not there", async () => {
    const { define } = tools();
    const { open } = replicas(define);
    const [a] = await open();
    const posted = await a.post({ jsonrpc: "2.0", id: "other-1", result: {} }).ended();
    expect(posted.status).toBe(503);
    expect(posted.headers["retry-after"]).toBe("1");
  });

  it("answers 503 to an answer that no process waits for, although some have the session", async () => {
    const { define } = tools();
    const { open } = replicas(define);
    const [a, b] = await open();
    await b.call(1, "quick").ended();
    expect((await a.post({ jsonrpc: "2.0", id: "other-1", result: {} }).ended()).status).toBe(503);
  });

  it("drops the answer to a question that is over, as one process does", async () => {
    const { define } = tools();
    const { open } = replicas(define);
    const [a, b] = await open({ capabilities: { elicitation: {} } });
    const call = b.call(1, "ask");
    const answer = { jsonrpc: "2.0", id: await questionIn(call), result: { action: "decline" } };
    await b.post(answer).ended();
    await call.ended();
    for (const client of [a, b]) expect((await client.post(answer).ended()).status).toBe(202);
  });

  it("passes on few answers that no process waits for, and all that one waits for", async () => {
    const { define } = tools();
    const { open, ends } = replicas(define);
    const [a, b] = await open({ capabilities: { elicitation: {} } });
    await b.call(1, "quick").ended();
    const answerFor = (id: string) => ({ jsonrpc: "2.0", id, result: { action: "decline" } });
    ends[0].published.length = 0;
    const statuses = new Set<number | undefined>();
    for (let count = 0; count < 500; count += 1) {
      statuses.add((await a.post(answerFor(`other-${count}`)).ended()).status);
    }
    expect([...statuses, ends[0].published.length]).toEqual([503, 429, 128]);
    await vi.advanceTimersByTimeAsync(1_000);
    for (let id = 2; id < 302; id += 1) {
      const call = b.call(id, "ask");
      const question = await questionIn(call);
      expect((await a.post(answerFor(question)).ended()).status).toBe(202);
      expect(await texts(call)).toBe("decline");
    }
  });

  it("passes on few answers to a question that is over", async () => {
    const { define } = tools();
    const { open, ends } = replicas(define);
    const [a, b] = await open({ capabilities: { elicitation: {} } });
    const call = b.call(1, "ask");
    const answer = { jsonrpc: "2.0", id: await questionIn(call), result: { action: "decline" } };
    await b.post(answer).ended();
    await call.ended();
    ends[0].published.length = 0;
    for (let count = 0; count < 500; count += 1) await a.post(answer).ended();
    expect(ends[0].published.length).toBe(128);
  });

  it("is cancelled at any process", async () => {
    const { define, aborted } = tools();
    const { open } = replicas(define);
    const [, b, c] = await open();
    const call = b.call(1, "wait");
    await settled();
    expect((await c.cancel(1).ended()).status).toBe(202);
    await aborted.passed;
    expect((await call.ended()).messages).toEqual([]);
  });

  it("cancels a request that arrives after its cancellation at a process that knows the session", async () => {
    const { define } = tools();
    const { open } = replicas(define);
    const [, b, c] = await open();
    await b.call(1, "quick").ended();
    await c.cancel(2).ended();
    expect((await b.call(2, "quick").ended()).messages).toEqual([]);
  });

  it("ends everywhere by a DELETE at any process", async () => {
    const { define, aborted } = tools();
    const { open, store, events, channel, all } = replicas(define);
    const [a, b, c] = await open();
    const stream = a.get();
    const call = b.call(1, "wait");
    await settled();
    expect((await c.delete().ended()).status).toBe(204);
    await aborted.passed;
    expect((await stream.ended()).status).toBe(200);
    expect((await call.ended()).status).toBe(500);
    for (const client of [a, b, c]) expect((await client.call(2, "quick").ended()).status).toBe(404);
    await settled();
    expect([store.size, events.size, channel.size, ...all.map(({ endpoint }) => endpoint.size)]).toEqual([
      0, 0, 0, 0, 0, 0,
    ]);
  });

  it("has one log level and one set of watched resources", async () => {
    const { define } = tools();
    const { open, all } = replicas(define);
    const [a, b, c] = await open();
    const stream = a.get();
    await b.call(1, "quick").ended();
    await c.request(2, "logging/setLevel", { level: "debug" }).ended();
    expect((await b.call(3, "talk").ended()).messages[0]).toMatchObject({ params: { data: "chatter" } });
    await b.request(4, "resources/subscribe", { uri: "a://b" }).ended();
    all[2]?.server.announce.resourceUpdated("a://b");
    expect(await stream.received(1)).toMatchObject([{ params: { uri: "a://b" } }]);
    await c.request(5, "resources/unsubscribe", { uri: "a://b" }).ended();
    all[1]?.server.announce.resourceUpdated("a://b");
    await vi.advanceTimersByTimeAsync(100);
    expect(stream.messages).toHaveLength(1);
  });

  it("merges what two processes change at the same time", async () => {
    const { define } = tools();
    const { open, store } = replicas(define);
    const [a, b, c] = await open();
    for (const client of [a, b, c]) await client.call(0, "quick").ended();
    await Promise.all([
      a.request(1, "logging/setLevel", { level: "error" }).ended(),
      b.request(2, "resources/subscribe", { uri: "a://1" }).ended(),
      c.request(3, "resources/subscribe", { uri: "a://2" }).ended(),
    ]);
    const { handshake } = (await store.get(a.sessionId ?? "")) ?? {};
    expect(handshake?.logLevel).toBe("error");
    expect(handshake?.watched.toSorted()).toEqual(["a://1", "a://2"]);
  });

  it("answers 503 to a change that could not be stored", async () => {
    const { define } = tools();
    const { open, store } = replicas(define);
    const [a] = await open();
    vi.spyOn(store, "replace").mockRejectedValueOnce(new Error("no connection"));
    const refused = await a.request(1, "logging/setLevel", { level: "error" }).ended();
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    expect((await a.request(2, "logging/setLevel", { level: "error" }).ended()).status).toBe(200);
  });

  it("reads the store once for a plain call, and writes nothing", async () => {
    const { define } = tools();
    const { open, store, events, ends } = replicas(define);
    const [, b] = await open();
    await b.call(1, "quick").ended();
    const [get, append] = [vi.spyOn(store, "get"), vi.spyOn(events, "append")];
    const replace = vi.spyOn(store, "replace");
    ends[1].published.length = 0;
    expect((await b.call(2, "quick").ended()).json).toMatchObject({ id: 2 });
    expect([get, append, replace].map((spy) => spy.mock.calls.length)).toEqual([1, 0, 0]);
    expect(ends[1].published).toEqual([]);
  });

  it("costs a process nothing that it does not touch", async () => {
    const { define } = tools();
    const { open, all, channel } = replicas(define);
    const [a] = await open();
    await a.call(1, "quick").ended();
    expect([all[1]?.endpoint.size, channel.size]).toEqual([0, 1]);
  });

  it("keeps its record from expiring, at whatever process it is used", async () => {
    const { define } = tools();
    const { open, store } = replicas(define, { sessionIdleMs: 10_000 });
    const [a, b] = await open();
    for (let time = 0; time < 40_000; time += 2_000) {
      await vi.advanceTimersByTimeAsync(2_000);
      expect((await b.call(time, "quick").ended()).status).toBe(200);
    }
    expect(store.size).toBe(1);
    expect((await a.call(1, "quick").ended()).status).toBe(200);
  });

  it("belongs to its owner at every process", async () => {
    const { define } = tools();
    const { open, all } = replicas(define);
    const [a] = await open({ caller: { principal: "ann" } });
    const thief = all[1]?.client({ caller: { principal: "bob" } });
    if (thief) thief.sessionId = a.sessionId;
    expect((await thief?.call(1, "quick").ended())?.status).toBe(404);
  });

  it("opens a stream for a call that takes longer than 50 ms", async () => {
    const { define, finish } = tools();
    const { open } = replicas(define);
    const [, b] = await open();
    const call = b.call(1, "wait");
    await vi.advanceTimersByTimeAsync(49);
    expect(call.isStream).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(call.events).toMatchObject([{ data: "", retry: "1000" }]);
    finish.open();
    expect(await texts(call)).toBe("waited");
  });

  it("keeps nothing of ids that name no session", async () => {
    const { define } = tools();
    const { open, all, channel, store } = replicas(define);
    await open();
    const get = vi.spyOn(store, "get");
    const stranger = all[1]?.client();
    for (const id of ["0".repeat(40), "x"]) {
      if (stranger) stranger.sessionId = id;
      expect((await stranger?.call(1, "quick").ended())?.status).toBe(404);
    }
    await settled();
    expect([channel.size, all[1]?.endpoint.size, get.mock.calls.length]).toEqual([1, 0, 1]);
  });

  it("gives a change up if others are faster ten times", async () => {
    const { define } = tools();
    const { open, store } = replicas(define);
    const [a] = await open();
    const replace = vi.spyOn(store, "replace").mockResolvedValue(false);
    const refused = await a.request(1, "logging/setLevel", { level: "error" }).ended();
    expect([refused.status, replace.mock.calls.length]).toEqual([503, 10]);
  });

  it("refuses a change whose session was deleted meanwhile", async () => {
    const { define } = tools();
    const { open, store } = replicas(define);
    const [a] = await open();
    vi.spyOn(store, "replace").mockImplementationOnce(async (id) => {
      await store.delete(id);
      return false;
    });
    expect((await a.request(1, "logging/setLevel", { level: "error" }).ended()).status).toBe(503);
    expect((await a.call(2, "quick").ended()).status).toBe(404);
  });

  it("tells the other processes nothing when it keeps its record from expiring", async () => {
    const { define } = tools();
    const { open, store, ends } = replicas(define, { sessionIdleMs: 10_000 });
    const [a] = await open();
    const published = ends[0].published.length;
    const replace = vi.spyOn(store, "replace");
    await vi.advanceTimersByTimeAsync(2_500);
    await a.call(1, "quick").ended();
    await settled();
    expect([replace.mock.calls.length, ends[0].published.length - published]).toEqual([1, 0]);
    replace.mockRejectedValueOnce(new Error("no connection"));
    await vi.advanceTimersByTimeAsync(2_500);
    expect((await a.call(2, "quick").ended()).status).toBe(200);
  });

  it("is not opened if it cannot be stored", async () => {
    const { define } = tools();
    const { all, store, channel } = replicas(define);
    vi.spyOn(store, "set").mockRejectedValueOnce(new Error("no connection"));
    const refused = await all[0]?.client().initialize().ended();
    expect([refused?.status, refused?.headers["retry-after"]]).toEqual([503, "1"]);
    await settled();
    expect([all[0]?.endpoint.size, channel.size]).toEqual([0, 0]);
  });

  it("is forgotten if its client leaves while it is stored", async () => {
    const { define } = tools();
    const { all, store, channel } = replicas(define);
    const stored = gate();
    const set = store.set.bind(store);
    vi.spyOn(store, "set").mockImplementationOnce(async (...args) => {
      await stored.passed;
      return set(...args);
    });
    const opening = all[0]?.client().initialize();
    await settled();
    opening?.disconnect();
    stored.open();
    await settled();
    expect([all[0]?.endpoint.size, store.size, channel.size]).toEqual([0, 0, 0]);
  });

  it("stays if it cannot be deleted", async () => {
    const { define } = tools();
    const { open, store, ends, errors } = replicas(define);
    const [a, b] = await open();
    vi.spyOn(store, "delete").mockRejectedValueOnce(new Error("no connection"));
    expect((await b.delete().ended()).status).toBe(503);
    expect((await a.call(1, "quick").ended()).status).toBe(200);
    ends[1].isFailing = true;
    expect((await b.delete().ended()).status).toBe(204);
    expect((await a.call(1, "quick").ended()).status).toBe(404);
    expect(errors).toHaveLength(1);
  });

  it("is 503 at a process whose channel fails and that has not served it, and is served by the others", async () => {
    const { define } = tools();
    const { open, ends } = replicas(define);
    const [a, b] = await open();
    ends[1].isFailing = true;
    expect((await b.call(1, "quick").ended()).status).toBe(503);
    expect((await a.call(2, "quick").ended()).status).toBe(200);
    ends[1].isFailing = false;
    expect((await b.call(3, "quick").ended()).status).toBe(200);
  });

  it("answers 503 to an answer or a cancellation that the channel does not carry", async () => {
    const { define } = tools();
    const { open, ends } = replicas(define);
    const [a] = await open();
    ends[0].isFailing = true;
    expect((await a.post({ jsonrpc: "2.0", id: "x", result: {} }).ended()).status).toBe(503);
    expect((await a.cancel(9).ended()).status).toBe(503);
  });

  it("serves the requests of a batch whose answers go nowhere", async () => {
    const { define } = tools();
    const { open } = replicas(define);
    const [a] = await open({ revision: "2025-03-26" });
    const batch = [
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", id: "x", result: {} },
    ];
    expect((await a.post(batch).ended()).json).toMatchObject([{ id: 1, result: {} }]);
  });

  it("reports a state that takes too many bytes here, and goes on", async () => {
    const { define } = tools();
    const { open, store, errors } = replicas(define);
    const [a, b] = await open();
    await b.call(1, "quick").ended();
    const record = await store.get(a.sessionId ?? "");
    if (!record) throw new Error("The session is not stored");
    const watched = ["a://".padEnd(300_000, "x")];
    const version = (record.version ?? 0) + 1;
    await store.replace(a.sessionId ?? "", { ...record, version, handshake: { ...record.handshake, watched } }, 60_000);
    expect((await b.call(2, "quick").ended()).status).toBe(200);
    expect(errors).toMatchObject([{ message: "The state of a session was not taken over" }]);
  });

  it("is 404 where its record is not one of shared sessions", async () => {
    const { define } = tools();
    const { open, store } = replicas(define);
    const [a, b] = await open();
    const record = await store.get(a.sessionId ?? "");
    if (!record) throw new Error("The session is not stored");
    const { principal, handshake } = record;
    await store.set(a.sessionId ?? "", { principal, handshake }, 60_000);
    expect((await b.call(1, "quick").ended()).status).toBe(404);
    expect((await a.call(1, "quick").ended()).status).toBe(404);
  });

  it("is read again where another request has ended it meanwhile", async () => {
    const { define } = tools();
    const { open, store } = replicas(define);
    const [, b] = await open();
    const late = gate();
    const get = store.get.bind(store);
    vi.spyOn(store, "get")
      .mockImplementationOnce(get)
      .mockImplementationOnce(async (id) => {
        const record = await get(id);
        await late.passed;
        return record;
      });
    const [deleted, call] = [b.delete(), b.call(1, "quick")];
    expect((await deleted.ended()).status).toBe(204);
    late.open();
    expect((await call.ended()).status).toBe(404);
  });

  it("becomes ready everywhere when the client says so at one process", async () => {
    const { define } = tools();
    const { all, bus } = replicas(define);
    const [a, b, c] = all.map((setUp) => setUp.client());
    const opened = await a?.initialize().ended();
    for (const client of [a, b, c]) if (client) client.sessionId = opened?.headers["mcp-session-id"];
    const stream = b?.get();
    await settled();
    expect((await c?.notify("notifications/initialized").ended())?.status).toBe(202);
    bus.publish({ kind: "tools" });
    expect(await stream?.received(1)).toMatchObject([{ method: "notifications/tools/list_changed" }]);
  });

  it("is 404 at a process that does not speak its revision", async () => {
    const { define } = tools();
    const { open, store, events, channel } = replicas(define);
    const [a] = await open({ revision: "2025-06-18" });
    const options = { sessionStore: store, eventStore: events, sessionChannel: channel };
    const other = setUpLegacy(options, { revisions: ["2025-11-25"] }).client();
    other.sessionId = a.sessionId;
    expect((await other.request(1, "ping").ended()).status).toBe(404);
  });
});
