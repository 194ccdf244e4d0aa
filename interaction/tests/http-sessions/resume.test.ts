import { type EventStore, InMemoryEventStore } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { hostHttp, type RawEvent, type RawHttpClient, type RawResponse } from "../../src/http/raw-http-client.js";
import { verifies } from "../../src/verifies.js";

function worker() {
  const server = new McpServer({ name: "worker", version: "1.0.0", onError: () => undefined });
  const [started, release, aborted] = [deferred(), deferred(), deferred()];
  server.tool("work", {}, async (_args, context) => {
    context.signal.addEventListener("abort", () => aborted.resolve());
    await context.progress(1);
    started.resolve();
    await Promise.race([release.promise, aborted.promise]);
    await context.progress(2);
    return "done";
  });
  return { server, started, release, aborted };
}

async function serve(server: McpServer, eventStore: EventStore = new InMemoryEventStore()) {
  return hostHttp(server, { legacy: { eventStore, retryMs: 10 } });
}

const resume = (client: RawHttpClient, event: RawEvent | undefined): Promise<RawResponse> =>
  client.get({ "last-event-id": event?.id ?? "" });

async function events(response: RawResponse): Promise<RawEvent[]> {
  const event = await response.event();
  return event ? [event, ...(await events(response))] : [];
}

verifies(
  ["hosting:resume:event-ids", "hosting:resume:priming", "hosting:resume:replay"],
  "streams are primed, all ids differ, and a stream that is over can be had again from any of them",
  async () => {
    const { server, release } = worker();
    release.resolve();
    await using host = await serve(server);
    const client = await host.client().open();
    const standalone = await client.get();
    const primed = await standalone.event();
    const [first, second] = [await events(await client.call(1, "work")), await events(await client.call(2, "work"))];
    for (const event of [primed, first[0], second[0]]) {
      expect(event).toEqual({ id: expect.any(String), retry: "10", data: "" });
    }
    const ids = [primed, ...first, ...second].map((event) => event?.id);
    expect([ids.length, new Set(ids).size]).toEqual([9, 9]);
    for (const [index, event] of first.slice(0, -1).entries()) {
      expect(await events(await resume(client, event))).toEqual(first.slice(index + 1));
    }
    standalone.disconnect();

    const older = await host.client({ revision: "2025-06-18" }).open();
    const unprimed = await events(await older.call(1, "work"));
    expect(unprimed.map(({ id, data }) => [typeof id, data === ""])).toEqual(new Array(3).fill(["string", false]));
  },
);

verifies("hosting:resume:unprimed", "a stream that cannot be resumed has messages alone", async () => {
  const { server, release } = worker();
  release.resolve();
  await using host = await hostHttp(server, { legacy: {} });
  const client = await host.client().open();

  const sent = await events(await client.call(1, "work"));

  expect(sent.length).toBeGreaterThan(0);
  expect(sent.map(({ id }) => id)).toEqual(sent.map(() => undefined));
  expect(sent.map(({ data }) => data?.[0])).toEqual(sent.map(() => "{"));
});

verifies(
  ["transport:streamable-http:resumability", "hosting:resume:buffered-replay", "hosting:resume:stream-scoped"],
  "a resumed stream brings the missed events in order, of that stream alone, and then the rest",
  async () => {
    const { server, started, release } = worker();
    await using host = await serve(server);
    const client = await host.client().open();
    const standalone = await client.get();
    const lost = await client.call(1, "work");
    const primed = await lost.event();
    await started.promise;
    lost.disconnect();
    server.announce.toolsChanged();
    const resumed = await resume(client, primed);
    expect(await resumed.message()).toMatchObject({ params: { progress: 1 } });
    release.resolve();
    expect(await resumed.messages()).toMatchObject([
      { method: "notifications/progress", params: { progress: 2 } },
      { id: 1, result: { content: [{ text: "done" }] } },
    ]);
    expect(await standalone.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    standalone.disconnect();
  },
);

verifies("hosting:resume:bad-event-id", "ids from nowhere are 400, and the session goes on", async () => {
  const { server, release } = worker();
  release.resolve();
  await using host = await serve(server, new InMemoryEventStore({ maxEvents: 1 }));
  const [client, other] = [await host.client().open(), await host.client().open()];
  const [primed, , progress, answer] = await events(await client.call(1, "work"));
  const known = await resume(client, progress);
  expect([known.status, await known.messages()]).toMatchObject([200, [{ id: 1 }]]);
  for (const [asking, id] of [
    [client, "nonsense"],
    [client, "00000000-0000-4000-8000-000000000000.1"],
    [client, `${answer?.id}9`],
    [client, primed?.id],
    [other, answer?.id],
    [other, progress?.id],
  ] as const) {
    const refused = await resume(asking, { id: id ?? "" });
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: -32600 } }]);
  }
  expect((await client.request(2, "ping")).status).toBe(200);
});

verifies(
  ["hosting:resume:bad-event-id", "hosting:http:second-sse-rejected"],
  "an open stream takes no second listener, and a stream is not resumed after an event that is gone",
  async () => {
    const { server } = worker();
    await using host = await serve(server, new InMemoryEventStore({ maxEvents: 1 }));
    const client = await host.client().open();
    const standalone = await client.get();
    const seen = [await standalone.event()];
    for (let count = 0; count < 3; count += 1) {
      server.announce.toolsChanged();
      seen.push(await standalone.event());
    }
    expect((await client.get()).status).toBe(409);
    const refused = await resume(client, seen[0]);
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: -32600 } }]);
    const resumed = await resume(client, seen[2]);
    expect([(await resumed.event())?.data, await resumed.event()]).toEqual(["", seen[3]]);
    resumed.disconnect();
  },
);

verifies(
  "hosting:resume:close-stream",
  "a handler that closes its stream works on, and its client comes back for the answer",
  async () => {
    const { server, release } = worker();
    server.tool("long", {}, async (_args, context) => {
      context.closeStream();
      await release.promise;
      return "at last";
    });
    await using host = await serve(server);
    const client = await host.client().open();
    const before = await events(await client.call(1, "long"));
    expect(before.map(({ data }) => data)).toEqual(["", ""]);
    expect(before.at(-1)?.retry).toBe("10");
    const polling = await resume(client, before.at(-1));
    release.resolve();
    expect(await polling.messages()).toMatchObject([{ id: 1, result: { content: [{ text: "at last" }] } }]);
  },
);

verifies(
  ["hosting:resume:cancelled", "hosting:resume:session-end"],
  "neither a cancelled request nor a deleted session leaves an event, and nothing waits for either",
  async () => {
    const { server, started, aborted } = worker();
    const store = new InMemoryEventStore();
    await using host = await serve(server, store);
    const client = await host.client().open();
    const response = await client.call(1, "work");
    const primed = await response.event();
    await started.promise;
    expect(store.size).toBe(1);
    await client.cancel(1);
    await aborted.promise;
    expect((await response.messages()).map(({ id }) => id)).toEqual([undefined]);
    expect(store.size).toBe(0);
    expect((await resume(client, primed)).status).toBe(400);

    expect(await (await client.call(2, "work")).answer()).toMatchObject({ id: 2 });
    expect(store.size).toBe(3);
    await client.delete();
    expect(store.size).toBe(0);
  },
);
