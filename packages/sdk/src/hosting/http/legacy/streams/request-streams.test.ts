import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { gate, settled, setUpLegacy } from "../http-fakes.fixture.js";

const form = z.object({ ok: z.boolean() });
const asking = { revision: "2025-06-18", capabilities: { elicitation: {} } } as const;

function slowServer(options: Parameters<typeof setUpLegacy>[0] = {}) {
  const legacy = setUpLegacy(options);
  const state = { started: gate(), release: gate(), aborted: gate(), finished: 0 };
  legacy.server.tool("slow", {}, async (_args, context) => {
    context.signal.addEventListener("abort", () => state.aborted.open());
    state.started.open();
    await Promise.race([state.release.passed, state.aborted.passed]);
    state.finished += 1;
    return "slept well";
  });
  legacy.server.tool("steps", {}, async (_args, context) => {
    await context.progress(1);
    await context.progress(2);
    return "done";
  });
  legacy.server.tool("ask", {}, async (_args, context) => {
    const { action } = await context.elicit({ message: "Sure?", schema: form });
    return action;
  });
  return { ...legacy, state };
}

describe("the response to a request", () => {
  it("becomes a stream once something precedes the answer, in order, and ends after it", async () => {
    const { client } = slowServer();
    const peer = await client().open();
    const standalone = peer.get();
    const response = await peer.call(7, "steps").ended();
    expect(response.messages).toMatchObject([
      { method: "notifications/progress", params: { progressToken: "p7", progress: 1 } },
      { method: "notifications/progress", params: { progress: 2 } },
      { id: 7, result: { content: [{ text: "done" }] } },
    ]);
    expect(response.events.every((event) => event.id === undefined)).toBe(true);
    expect(standalone.messages).toEqual([]);
  });

  it("carries the server's questions, whose answers are posted", async () => {
    const { client } = slowServer();
    const peer = await client(asking).open();
    const response = peer.call(1, "ask");
    const [question] = await response.received(1);
    expect(question).toMatchObject({ method: "elicitation/create" });
    const posted = await peer.post({ jsonrpc: "2.0", id: question?.id, result: { action: "cancel" } }).ended();
    expect([posted.status, posted.body]).toEqual([202, undefined]);
    expect((await response.ended()).messages[1]).toMatchObject({ id: 1, result: { content: [{ text: "cancel" }] } });
  });

  it("goes to its own request, also where ids look alike, and refuses one that is in use", async () => {
    const { client, state } = slowServer();
    const peer = await client().open();
    const first = peer.call(1, "slow");
    await state.started.passed;
    const second = await peer.request(1, "ping").ended();
    expect(second.json).toMatchObject({
      id: 1,
      error: { code: -32600, message: expect.stringMatching(/still being served/) },
    });
    const third = await peer.request("1", "ping").ended();
    expect(third.json).toEqual({ jsonrpc: "2.0", id: "1", result: {} });
    state.release.open();
    expect((await first.ended()).json).toMatchObject({ id: 1, result: {} });
    expect((await peer.request(1, "ping").ended()).json).toMatchObject({ id: 1, result: {} });
  });

  it("is an error of its own if the result cannot be written", async () => {
    const { client, server, errors } = slowServer();
    server.handle("broken", () => ({ big: 1n }));
    const peer = await client().open();
    expect((await peer.request(1, "broken").ended()).json).toMatchObject({ id: 1, error: { code: -32603 } });
    expect(errors).toHaveLength(1);
  });

  it("is lost quietly if its client has gone: the handler runs on", async () => {
    const { client, state, errors, server } = slowServer();
    const late = gate();
    server.tool("late", {}, async (_args, context) => {
      await late.passed;
      await context.progress(1);
      await context.notify("notifications/x");
      return "nobody reads this";
    });
    const peer = await client().open();
    const [response, streaming] = [peer.call(1, "slow"), peer.call(2, "late")];
    await state.started.passed;
    response.disconnect();
    streaming.disconnect();
    state.release.open();
    late.open();
    await settled();
    expect([state.finished, errors]).toEqual([1, []]);
    expect(streaming.messages).toEqual([]);
    expect((await peer.request(1, "ping").ended()).status).toBe(200);
  });

  it("cannot carry a question to a client that has gone", async () => {
    const { client, server } = slowServer();
    const [asked, failure] = [gate(), gate()];
    let thrown: unknown;
    server.tool("ask-late", {}, async (_args, context) => {
      await asked.passed;
      await context.elicit({ message: "There?", schema: form }).catch((error: unknown) => {
        thrown = error;
      });
      failure.open();
      return "";
    });
    const peer = await client(asking).open();
    const response = peer.call(1, "ask-late");
    response.disconnect();
    asked.open();
    await failure.passed;
    expect(thrown).toMatchObject({ code: "connection-closed", message: expect.stringContaining("cannot be asked") });
  });

  it("is kept alive while it is quiet", async () => {
    vi.useFakeTimers();
    try {
      const { client, server } = slowServer({ keepAliveMs: 1_000 });
      const release = gate();
      server.tool("quiet", {}, async (_args, context) => {
        await context.progress(1);
        await release.passed;
        return "";
      });
      const peer = await client().open();
      const response = peer.call(1, "quiet");
      await response.received(1);
      vi.advanceTimersByTime(2_500);
      expect(response.text.match(/^:/gm)).toHaveLength(2);
      release.open();
      await response.ended();
      expect(vi.getTimerCount()).toBe(1); // the idle session's
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("a cancelled request", () => {
  it("ends its response without a frame: an empty stream where none was open", async () => {
    const { client, state } = slowServer();
    const peer = await client().open();
    const response = peer.call(1, "slow");
    await state.started.passed;
    expect((await peer.cancel(1).ended()).status).toBe(202);
    await state.aborted.passed;
    await response.ended();
    expect([response.status, response.isStream, response.text]).toEqual([200, true, ""]);
    expect((await peer.request(1, "ping").ended()).json).toMatchObject({ id: 1, result: {} });
  });

  it("ends its stream, after telling that its own question is void", async () => {
    const { client } = slowServer();
    const peer = await client(asking).open();
    const response = peer.call(1, "ask");
    await response.received(1);
    peer.cancel(1);
    await response.ended();
    expect(response.messages.map(({ method, id }) => method ?? id)).toEqual([
      "elicitation/create",
      "notifications/cancelled",
    ]);
  });

  it("is over before it begins if the cancellation came first, and other requests are as they were", async () => {
    const { client, state } = slowServer();
    const [peer, other] = [await client().open(), await client().open()];
    await peer.cancel(1).ended();
    const response = await peer.call(1, "slow").ended();
    expect([response.status, response.isStream, response.text]).toEqual([200, true, ""]);
    const others = other.call(1, "slow");
    await state.started.passed;
    state.release.open();
    expect((await others.ended()).json).toMatchObject({ id: 1, result: { content: [{ text: "slept well" }] } });
    expect((await peer.call(1, "slow").ended()).json).toMatchObject({ id: 1, result: {} });
    expect(state.finished).toBe(2);
  });

  it("is no matter if it is unknown or over", async () => {
    const { client, errors } = slowServer();
    const peer = await client().open();
    expect((await peer.cancel("never").ended()).status).toBe(202);
    expect(errors).toEqual([]);
  });
});

describe("with plain JSON alone", () => {
  it("notifications vanish, questions fail at once, and answers are JSON", async () => {
    const { client, server } = slowServer({ jsonResponses: true });
    const thrown: unknown[] = [];
    server.tool("try", {}, async (_args, context) => {
      await context.progress(1);
      await context.elicit({ message: "Sure?", schema: form }).catch((error: unknown) => thrown.push(error));
      await context.request("ping").catch((error: unknown) => thrown.push(error));
      return "answered anyway";
    });
    const peer = await client(asking).open();
    const standalone = peer.get();
    const response = await peer.call(1, "try").ended();
    expect([response.isStream, response.headers["content-type"]]).toEqual([false, "application/json"]);
    expect(response.json).toMatchObject({ result: { content: [{ text: "answered anyway" }] } });
    expect(thrown).toMatchObject([
      { code: -32603, message: expect.stringContaining("jsonResponses") },
      { code: "capability-not-supported", message: expect.stringContaining("jsonResponses") },
    ]);
    expect(standalone.messages).toEqual([]);
  });

  it("a cancelled request is 204", async () => {
    const { client, state } = slowServer({ jsonResponses: true });
    const peer = await client().open();
    const response = peer.call(1, "slow");
    await state.started.passed;
    peer.cancel(1);
    expect((await response.ended()).status).toBe(204);
    peer.cancel(2);
    expect((await peer.call(2, "slow").ended()).status).toBe(204);
  });
});

describe("batches", () => {
  const ping = (id: number | string) => ({ jsonrpc: "2.0", id, method: "ping" });
  const old = { revision: "2025-03-26" } as const;

  it.each(["2024-11-05", "2025-06-18", "2025-11-25"] as const)("do not exist in %s", async (revision) => {
    const { client } = slowServer();
    const peer = await client({ revision }).open();
    const response = await peer.post([ping(1)]).ended();
    expect([response.status, response.json]).toMatchObject([
      400,
      { error: { code: -32600, message: expect.stringMatching(/batches/) } },
    ]);
  });

  it("are answered by one array, with an error for each item that is no message", async () => {
    const { client } = slowServer();
    const peer = await client(old).open();
    const heard = { jsonrpc: "2.0", method: "notifications/x" };
    const initialize = { jsonrpc: "2.0", id: 3, method: "initialize", params: {} };
    const response = await peer.post([ping(1), heard, ping("1"), 5, [ping(4)], initialize, ping(2)]).ended();
    expect(response.status).toBe(200);
    const answers = response.json as { id?: unknown; error?: { message: string } }[];
    expect(answers.filter(({ error }) => !error)).toEqual(
      [1, "1", 2].map((id) => ({ jsonrpc: "2.0", id, result: {} })),
    );
    expect(answers.filter(({ error }) => error).map(({ id, error }) => [id, error?.message])).toEqual([
      [undefined, expect.stringContaining("must be an object")],
      [undefined, expect.stringContaining("must not hold another")],
      [3, expect.stringContaining("must not be part of a batch")],
    ]);
  });

  it("are accepted if they ask nothing, and answered if all of them is wrong", async () => {
    const { client } = slowServer();
    const peer = await client(old).open();
    const accepted = await peer.post([{ jsonrpc: "2.0", method: "notifications/x" }]).ended();
    expect([accepted.status, accepted.body]).toEqual([202, undefined]);
    expect((await peer.post([{}]).ended()).json).toMatchObject([{ error: { code: -32600 } }]);
  });

  it("have their limits, and initialize opens no session from within one", async () => {
    const { client, endpoint } = slowServer();
    expect(
      (
        await client()
          .post([{ jsonrpc: "2.0", id: 1, method: "initialize" }])
          .ended()
      ).status,
    ).toBe(400);
    expect(endpoint.size).toBe(0);
    const peer = await client(old).open();
    const response = await peer.post(Array.from({ length: 101 }, (_, index) => ping(index))).ended();
    expect([response.status, response.json]).toMatchObject([
      400,
      { error: { message: expect.stringContaining("more than 100 messages") } },
    ]);
    expect((await peer.post([]).ended()).status).toBe(400);
  });

  it("become a stream with what was answered before; cancelled ones are left out", async () => {
    const { client, state, server } = slowServer();
    const later = gate();
    server.tool("later", {}, async (_args, context) => {
      await later.passed;
      await context.progress(1);
      return "";
    });
    const peer = await client(old).open();
    const call = (id: number, name: string) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name, _meta: { progressToken: id } },
    });
    const response = peer.post([ping(1), call(2, "later"), call(3, "slow")]);
    await settled();
    later.open();
    await response.received(3);
    expect(response.isEnded).toBe(false);
    await state.started.passed;
    peer.cancel(3);
    await response.ended();
    expect(response.messages.map(({ id, method }) => id ?? method)).toEqual([1, "notifications/progress", 2]);
  });

  it("are an empty stream if every request in them was cancelled", async () => {
    const { client, state } = slowServer();
    const peer = await client(old).open();
    const slow = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "slow" } });
    peer.cancel(2);
    const response = peer.post([slow(1), slow(2)]);
    await state.started.passed;
    peer.cancel(1);
    await response.ended();
    expect([response.status, response.isStream, response.text]).toEqual([200, true, ""]);
  });

  it("are refused as a whole if their session ends before any of it was sent", async () => {
    const { client, state } = slowServer();
    const peer = await client(old).open();
    const response = peer.post([ping(1), { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "slow" } }]);
    await state.started.passed;
    await peer.delete().ended();
    expect([response.status, response.json]).toEqual([
      500,
      { jsonrpc: "2.0", error: { code: -32603, message: "The session ended while this was being served" } },
    ]);
  });
});
