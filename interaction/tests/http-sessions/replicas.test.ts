import {
  createNodeHandler,
  InMemoryEventStore,
  InMemorySessionChannel,
  InMemorySessionStore,
  type LegacyOptions,
} from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import type { RawResponse } from "../../src/http/raw-http-client.js";
import { openReplicas } from "../../src/http/replicas.js";
import { verifies } from "../../src/verifies.js";

const form = z.object({ ok: z.boolean() });
const ELICITING = { capabilities: { elicitation: {} } };

function defineAsk(server: McpServer): void {
  server.tool("ask", async (_args, context) => (await context.elicit({ message: "Sure?", schema: form })).action);
}

function defineQuick(server: McpServer): void {
  server.tool("quick", () => "done");
}

/** A tool that reports a step, and goes on to the next when it is told to. */
function stepping() {
  const steps = [deferred<void>(), deferred<void>()];
  const aborted = deferred<void>();
  const define = (server: McpServer) => {
    server.tool("steps", async (_args, context) => {
      context.signal.addEventListener("abort", () => aborted.resolve());
      await context.progress(1);
      await steps[0]?.promise;
      await context.progress(2);
      await steps[1]?.promise;
      return "stepped";
    });
    defineQuick(server);
  };
  return { define, aborted: aborted.promise, step: (number: 0 | 1) => steps[number]?.resolve() };
}

/** Reads up to the first message, and returns the id of its event. */
async function firstEventId(response: RawResponse): Promise<string> {
  for (;;) {
    const event = await response.event();
    if (event?.data !== "") return event?.id ?? "";
  }
}

verifies(
  "hosting:replicas:answer",
  "the handler at the second process gets the answer that is posted at the third",
  async () => {
    await using replicas = await openReplicas(defineAsk, ELICITING);
    const [, second, third] = replicas.all;
    const call = await second.client.call(1, "ask");
    const question = await call.message();
    const result = { action: "accept", content: { ok: true } };

    const posted = await third.client.post({ jsonrpc: "2.0", id: question?.id, result });

    expect(posted.status).toBe(202);
    expect(await call.message()).toMatchObject({ result: { content: [{ text: "accept" }] } });
  },
);

verifies(
  "hosting:replicas:answer-lost",
  "the answer to a question of a process that was killed is 503, with a time to try again",
  async () => {
    await using replicas = await openReplicas(defineAsk, ELICITING);
    const [first, second, third] = replicas.all;
    const call = await second.client.call(1, "ask");
    const question = await call.message();
    first.channel.kill();
    second.channel.kill();

    const posted = await third.client.post({ jsonrpc: "2.0", id: question?.id, result: { action: "decline" } });

    expect(posted.status).toBe(503);
    expect(posted.header("retry-after")).toBe("1");
  },
);

verifies("hosting:replicas:question-ids", "three processes ask one client, each under another id", async () => {
  await using replicas = await openReplicas(defineAsk, ELICITING);

  const calls = await Promise.all(replicas.all.map(({ client }, id) => client.call(id, "ask")));
  const questions = await Promise.all(calls.map((call) => call.message()));

  expect(new Set(questions.map((question) => String(question?.id))).size).toBe(3);
});

verifies(
  "hosting:replicas:standalone-question",
  "roots/list, sent for a notification at the second process, goes over the stream at the first; the third gets the answer",
  async () => {
    const roots = deferred<unknown>();
    const define = (server: McpServer) => {
      server.onNotification("notifications/roots/list_changed", async (_params, _method, context) => {
        roots.resolve(await context.listRoots());
      });
    };
    await using replicas = await openReplicas(define, { capabilities: { roots: { listChanged: true } } });
    const [first, second, third] = replicas.all;
    const stream = await first.client.get();

    await second.client.notify("notifications/roots/list_changed");
    const question = await stream.message();
    await third.client.post({ jsonrpc: "2.0", id: question?.id, result: { roots: [{ uri: "file:///a" }] } });

    expect(question).toMatchObject({ method: "roots/list" });
    expect(await roots.promise).toMatchObject([{ uri: "file:///a" }]);
  },
);

verifies(
  "hosting:replicas:cancel",
  "a cancellation at the third process aborts the handler at the second",
  async () => {
    const { define, aborted } = stepping();
    await using replicas = await openReplicas(define);
    const [, second, third] = replicas.all;
    const call = await second.client.call(1, "steps");
    await call.message();

    await third.client.cancel(1);

    await aborted;
    expect(await call.messages()).toEqual([]);
  },
);

verifies(
  "hosting:replicas:resume",
  "a client that lost the first process gets the rest at the second: one event that was stored, and the later ones",
  async () => {
    const { define, step } = stepping();
    await using replicas = await openReplicas(define);
    const [first, second] = replicas.all;
    const call = await first.client.call(1, "steps");
    const after = await firstEventId(call);
    step(0);
    await call.message();
    call.disconnect();

    const resumed = await second.client.get({ "last-event-id": after });
    const stored = await resumed.message();
    step(1);

    expect(stored).toMatchObject({ params: { progress: 2 } });
    expect(await resumed.messages()).toMatchObject([{ result: { content: [{ text: "stepped" }] } }]);
  },
);

verifies(
  "hosting:replicas:writer-died",
  "the stream ends at the second process after the first was killed, and nothing is left to resume",
  async () => {
    const { define } = stepping();
    await using replicas = await openReplicas(define);
    const [first, second] = replicas.all;
    const call = await first.client.call(1, "steps");
    const after = await firstEventId(call);
    const resumed = await second.client.get({ "last-event-id": after });

    first.channel.kill();

    expect(await resumed.messages()).toEqual([]);
    expect((await second.client.get({ "last-event-id": after })).status).toBe(400);
  },
);

verifies(
  "hosting:replicas:delete",
  "DELETE at the third process ends the stream at the first and the handler at the second, and all three answer 404",
  async () => {
    const { define, aborted } = stepping();
    await using replicas = await openReplicas(define);
    const [first, second, third] = replicas.all;
    const stream = await first.client.get();
    const call = await second.client.call(1, "steps");
    await call.message();

    expect((await third.client.delete()).status).toBe(204);

    await aborted;
    expect(await stream.messages()).toEqual([]);
    expect(await call.messages()).toMatchObject([{ error: { code: -32603 } }]);
    for (const { client } of replicas.all) expect((await client.call(2, "quick")).status).toBe(404);
  },
);

verifies(
  "hosting:replicas:delete-late",
  "the stream at the first process ends with the DELETE that is repeated at the second, or sent to the third, after a 503",
  async () => {
    for (const [again, status] of [[1, 204] as const, [2, 404] as const]) {
      await using replicas = await openReplicas(defineQuick);
      const [first, second] = replicas.all;
      const stream = await first.client.get();
      await (await second.client.call(1, "quick")).text();
      replicas.sessionStore.isLate = true;

      expect((await second.client.delete()).status).toBe(503);
      expect((await replicas.all[again].client.delete()).status).toBe(status);

      expect(await stream.messages()).toEqual([]);
      for (const { client } of replicas.all) expect((await client.call(2, "quick")).status).toBe(404);
    }
  },
);

verifies(
  "hosting:replicas:state",
  "the level that was set at the third process holds at the second, and the stream at the first gets the watched resource",
  async () => {
    const define = (server: McpServer) => {
      server.tool("talk", (_args, context) => {
        context.log.debug("chatter");
        return "";
      });
      server.resource("a://b", { name: "b" }, () => "");
    };
    await using replicas = await openReplicas(define);
    const [first, second, third] = replicas.all;
    const stream = await first.client.get();

    await (await third.client.request(1, "logging/setLevel", { level: "debug" })).text();
    await (await third.client.request(2, "resources/subscribe", { uri: "a://b" })).text();
    const talk = await second.client.call(3, "talk");
    second.server.announce.resourceUpdated("a://b");

    expect(await talk.message()).toMatchObject({ params: { data: "chatter" } });
    expect(await stream.message()).toMatchObject({ params: { uri: "a://b" } });
  },
);

verifies(
  "hosting:replicas:one-stream",
  "the other processes answer 409 while the first has the stream, and the third accepts it once the client has left",
  async () => {
    await using replicas = await openReplicas(defineQuick);
    const [first, second, third] = replicas.all;
    const stream = await first.client.get();

    expect((await second.client.get()).status).toBe(409);
    expect((await first.client.get()).status).toBe(409);
    stream.disconnect();

    let next = await third.client.get();
    // The first process learns of the end of a connection a moment later.
    while (next.status === 409) next = await third.client.get();
    expect(next.status).toBe(200);
    await (await third.client.call(1, "quick")).text();
  },
);

verifies(
  "hosting:replicas:stream-taken-over",
  "the second process accepts the stream of the first, which was killed, and says that the list of tools may have changed",
  async () => {
    await using replicas = await openReplicas(defineQuick);
    const [first, second] = replicas.all;
    await first.client.get();
    first.channel.kill();

    const stream = await second.client.get();

    expect(stream.status).toBe(200);
    expect(await stream.message()).toMatchObject({ method: "notifications/tools/list_changed" });
  },
);

verifies(
  "hosting:replicas:changes-once",
  "three processes have served the session, and its stream gets one notification of each change",
  async () => {
    const define = (server: McpServer) => {
      defineQuick(server);
      server.resource("a://b", { name: "b" }, () => "");
    };
    await using replicas = await openReplicas(define);
    const [first, second, third] = replicas.all;
    for (const { client } of replicas.all) await (await client.call(1, "quick")).text();
    const stream = await second.client.get();
    await (await first.client.request(2, "resources/subscribe", { uri: "a://b" })).text();

    third.server.announce.toolsChanged();
    third.server.announce.resourceUpdated("a://b");

    expect(await stream.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    expect(await stream.message()).toMatchObject({ method: "notifications/resources/updated" });
  },
);

verifies("hosting:replicas:one-read", "the second call at a process costs one read of the session store", async () => {
  await using replicas = await openReplicas(defineQuick);
  const [, second] = replicas.all;
  await (await second.client.call(1, "quick")).text();
  const reads = replicas.sessionStore.reads;
  const published = second.channel.published;

  await (await second.client.call(2, "quick")).text();

  expect(replicas.sessionStore.reads).toBe(reads + 1);
  expect(replicas.eventStore.size).toBe(0);
  expect(second.channel.published).toBe(published);
});

verifies("hosting:replicas:untouched", "two processes serve a session, and the third does nothing", async () => {
  await using replicas = await openReplicas(defineAsk, ELICITING);
  const [first, second, third] = replicas.all;
  await first.client.get();

  const call = await second.client.call(1, "ask");
  const question = await call.message();
  await first.client.post({ jsonrpc: "2.0", id: question?.id, result: { action: "decline" } });
  await call.messages();

  expect([third.channel.subscriptions, third.channel.published]).toEqual([0, 0]);
});

verifies(
  "hosting:replicas:unavailable",
  "a call is 503 while the store fails and a running one is answered, and the session goes on afterwards",
  async () => {
    const { define, step } = stepping();
    await using replicas = await openReplicas(define);
    const [first, second] = replicas.all;
    const call = await first.client.call(1, "steps");
    await call.message();
    await (await second.client.call(2, "quick")).text();

    replicas.sessionStore.isFailing = true;
    const refused = await second.client.call(3, "quick");
    step(0);
    step(1);
    const answer = (await call.messages()).at(-1);
    replicas.sessionStore.isFailing = false;
    second.channel.isFailing = true;
    const stream = await second.client.get();
    const served = await second.client.call(4, "quick");

    expect([refused.status, refused.header("retry-after")]).toEqual([503, "1"]);
    expect(answer).toMatchObject({ result: { content: [{ text: "stepped" }] } });
    expect([stream.status, served.status]).toEqual([503, 200]);
    second.channel.isFailing = false;
    expect((await second.client.get()).status).toBe(200);
  },
);

verifies("hosting:replicas:options", "a channel needs both stores, and one that replaces records", () => {
  const [sessionStore, eventStore] = [new InMemorySessionStore(), new InMemoryEventStore()];
  const sessionChannel = new InMemorySessionChannel();
  const plainStore = { get: async () => undefined, set: async () => {}, delete: async () => {} };
  const refused = (legacy: LegacyOptions, message: string) =>
    expect(() => createNodeHandler(new McpServer({ name: "a", version: "1" }), { legacy })).toThrow(message);

  refused({ sessionChannel }, "pass the sessionStore that all processes share, or leave sessionChannel out");
  refused({ sessionChannel, sessionStore }, "pass the eventStore that all processes share");
  refused({ sessionChannel, sessionStore: plainStore, eventStore }, "the sessionStore needs the method replace");
  refused({ sessionChannel, stateless: true }, "stateless: a server without sessions");
});
