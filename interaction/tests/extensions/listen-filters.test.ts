import { defineExtension, defineListenFilter, defineNotification, McpServer } from "parley-mcp/server";
import { expect, vi } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";
const jobChanged = defineNotification("notifications/acme/job", {
  params: z.object({ jobId: z.string(), state: z.string() }),
});
const jobIds = defineListenFilter("acmeJobIds", {
  filter: z.array(z.string()),
  notification: jobChanged,
  topicOf: ({ jobId }) => jobId,
});
const jobs = defineExtension("com.example/jobs", { listenFilters: [jobIds] });

const identity = { name: "jobs", version: "1.0.0" };
const mustNotRun = (): never => {
  throw new Error("must not run");
};

/** A server whose jobs have states, except the secret one. */
function jobServer(states: Map<string, string>, options = {}) {
  const server = new McpServer({ ...identity, extensions: [jobs], ...options });
  server.serveListenFilter(jobIds, {
    honor: (ids) => ids.filter((id) => id !== "secret"),
    topics: (honored) => honored,
    params: (jobId) => ({ jobId, state: states.get(jobId) ?? "gone" }),
  });
  const change = (jobId: string, state: string) => {
    states.set(jobId, state);
    server.announce.changed(jobIds, jobId);
  };
  return { server, change };
}

verifies(
  "extensions:listen:roundtrip",
  "each subscription with a filter of an extension hears of its own topics, beside the lists",
  async ({ connect }) => {
    const { server, change } = jobServer(new Map());
    server.tool("render", {}, mustNotRun);
    const client = await connect(server, { extensions: [jobs] });
    const handled = vi.fn();
    client.onNotification("notifications/acme/job", handled);
    const first = await client.listen({ tools: true, extensions: [jobIds.of(["j1", "secret"])] });
    const second = await client.listen({ extensions: [jobIds.of(["j2"])] });
    const changes = first[Symbol.asyncIterator]();

    expect(first.honored.tools).toBe(true);
    expect(jobIds.honoredIn(first.honored)).toEqual(["j1"]);
    change("secret", "known");
    change("j1", "done");
    const { value } = await changes.next();
    expect(value && jobIds.read(value)).toEqual({ jobId: "j1", state: "done" });
    const [params] = handled.mock.calls[0] ?? [];
    expect(params._meta).toEqual({ [SUBSCRIPTION_ID]: expect.anything() });
    server.announce.toolsChanged();
    expect(await changes.next()).toEqual({ done: false, value: { kind: "tools" } });
    change("j2", "done");
    expect(await second[Symbol.asyncIterator]().next()).toMatchObject({ value: { topic: "j2" } });
    expect(handled).toHaveBeenCalledTimes(2);
  },
);

verifies(
  "extensions:listen:gate",
  "a listen request with a filter of an undeclared extension is -32021, whether or not the value is valid",
  async ({ connect }) => {
    const { server } = jobServer(new Map());
    const stranger = await connect(server);
    for (const acmeJobIds of [["j1"], 7]) {
      await expect(stranger.request("subscriptions/listen", { notifications: { acmeJobIds } })).rejects.toMatchObject({
        code: -32021,
        message: expect.stringContaining("acmeJobIds"),
        data: { requiredCapabilities: { extensions: { "com.example/jobs": {} } } },
      });
    }
  },
);

verifies(
  "extensions:listen:invalid",
  "a wrong value of an extension's filter is refused beside a valid filter of the specification",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, extensions: [jobs] });
    server.serveListenFilter(jobIds, { honor: mustNotRun, topics: mustNotRun, params: mustNotRun });
    const client = await connect(server, { extensions: [jobs] });
    const notifications = { toolsListChanged: true, acmeJobIds: ["j1", 7] };
    await expect(client.request("subscriptions/listen", { notifications })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("params.notifications.acmeJobIds[1]"),
    });
  },
);

verifies(
  "extensions:listen:not-honored",
  "a filter is not honored without handlers, with an empty part, at a server without the extension, and for an unknown member",
  async ({ connect, wire }) => {
    const extensions = [jobs];
    const unserved = await connect(new McpServer({ ...identity, extensions }), { extensions });
    const { server } = jobServer(new Map());
    const empty = await connect(server, { extensions });
    const plain = await connect(new McpServer(identity), { extensions });

    for (const client of [unserved, empty, plain]) {
      const changes = await client.listen({ extensions: [jobIds.of(["secret"])] });
      expect(changes.honored).toEqual({});
      await changes.close();
    }
    const acknowledged = deferred<unknown>();
    empty.onNotification("notifications/subscriptions/acknowledged", (params) =>
      acknowledged.resolve(params.notifications),
    );
    const cancel = new AbortController();
    const listening = empty.request(
      "subscriptions/listen",
      { notifications: { ofNobody: true } },
      { signal: cancel.signal },
    );
    expect(await acknowledged.promise).toEqual({});
    cancel.abort();
    await expect(listening).rejects.toMatchObject({ code: "request-aborted" });
    expect(wire.methods("client")).toContain("subscriptions/listen");
  },
);

verifies(
  "extensions:listen:legacy",
  "a legacy subscription honors no filter of an extension, while the rest is honored",
  async ({ connect }) => {
    const { server } = jobServer(new Map());
    server.tool("render", {}, mustNotRun);
    const client = await connect(server, { extensions: [jobs] });
    const changes = await client.listen({ tools: true, extensions: [jobIds.of(["j1"])] });
    expect(changes.honored).toEqual({ tools: true });
  },
);

verifies(
  "extensions:listen:burst",
  "ten changes of a topic while its params are made lead to one more notification, with the last state",
  async ({ connect }) => {
    let state = 0;
    const [started, released] = [deferred<void>(), deferred<void>()];
    const params = vi.fn(async (jobId: string) => {
      const seen = `${state}`;
      started.resolve();
      await released.promise;
      return { jobId, state: seen };
    });
    const server = new McpServer({ ...identity, extensions: [jobs] });
    server.serveListenFilter(jobIds, { honor: (ids) => ids, topics: (ids) => ids, params });
    const client = await connect(server, { extensions: [jobs] });
    const changes = (await client.listen({ extensions: [jobIds.of(["j1"])] }))[Symbol.asyncIterator]();
    server.announce.changed(jobIds, "j1");
    await started.promise;
    for (state = 1; state < 10; state += 1) {
      server.announce.changed(jobIds, "j1");
      await new Promise(setImmediate);
    }
    released.resolve();

    await vi.waitFor(() => expect(params).toHaveBeenCalledTimes(2));
    let last: string | undefined;
    while (last !== "10") {
      const { value } = await changes.next();
      last = value && jobIds.read(value)?.state;
    }
    expect(params).toHaveBeenCalledTimes(2);
  },
);

verifies(
  "extensions:listen:limits",
  "a resource and a topic fill a subscription that may hold two, and one more topic is refused",
  async ({ connect }) => {
    const { server } = jobServer(new Map(), { maxSubscribedResources: 2 });
    server.resource("jobs://log", { name: "log" }, mustNotRun);
    const client = await connect(server, { extensions: [jobs] });
    const listen = (...ids: string[]) => client.listen({ resource: ["jobs://log"], extensions: [jobIds.of(ids)] });
    await expect(listen("j1", "j2")).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("at most 2 resources and topics, got 3"),
    });
    expect((await listen("j1", "j1", "secret")).honored.resource).toEqual(["jobs://log"]);
  },
);

verifies(
  "extensions:listen:honor-failure",
  "honor that throws or hangs holds no place, and the next listen request is served",
  async (t) => {
    const onError = vi.fn();
    const asked = deferred<void>();
    const server = new McpServer({ ...identity, extensions: [jobs], maxListenStreams: 1, onError });
    server.serveListenFilter(jobIds, {
      honor: ([id = ""]) => {
        if (id === "throws") throw new Error("no database");
        // What plain JavaScript may return.
        if (id === "wrong") return 7 as unknown as string[];
        if (id !== "hangs") return [id];
        asked.resolve();
        return new Promise<string[]>(() => {});
      },
      topics: (ids) => ids,
      params: mustNotRun,
    });
    const client = await t.connect(server, { extensions: [jobs] });
    const request = (id: string, signal?: AbortSignal) =>
      client.request("subscriptions/listen", { notifications: { acmeJobIds: [id] } }, signal ? { signal } : {});

    await expect(request("throws")).rejects.toMatchObject({ code: -32603 });
    await expect(request("wrong")).rejects.toMatchObject({ code: -32603 });
    expect(onError.mock.calls.map(([error]) => error.cause.message)).toEqual([
      "no database",
      expect.stringContaining("honor of the listen filter acmeJobIds"),
    ]);
    const cancel = new AbortController();
    const hanging = request("hangs", cancel.signal);
    await asked.promise;
    cancel.abort();
    await expect(hanging).rejects.toMatchObject({ code: "request-aborted" });
    await vi.waitFor(async () => {
      const changes = await client.listen({ extensions: [jobIds.of(["j1"])] });
      expect(jobIds.honoredIn(changes.honored)).toEqual(["j1"]);
    });
  },
);

verifies(
  "extensions:listen:honor-result",
  "an honored part that is no JSON fails the subscription, with the fault in the report",
  async ({ connect }) => {
    const anyJob = defineListenFilter("acmeAny", {
      filter: z.any(),
      notification: jobChanged,
      topicOf: (job) => job.jobId,
    });
    const any = defineExtension("com.example/any", { listenFilters: [anyJob] });
    const reported: unknown[] = [];
    const onError = ({ cause }: Error) => reported.push((cause as Error).message);
    const server = new McpServer({ ...identity, extensions: [any], onError, maxListenStreams: 1 });
    const client = await connect(server, { extensions: [any] });
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const noJson = "honor of the listen filter acmeAny returned a value that is no JSON";
    const noTopics = "topics of the listen filter acmeAny must return an array of strings, got";

    for (const [honored, topics, report] of [
      [{ count: 10n }, ["a"], noJson],
      [cycle, ["a"], noJson],
      [{ toJSON: mustNotRun }, ["a"], noJson],
      [() => 1, ["a"], `${noJson}: function`],
      ["a", undefined, `${noTopics} undefined`],
      ["a", null, `${noTopics} null`],
      ["a", "abc", `${noTopics} string`],
      ["a", ["a", 1], `${noTopics} an array with number`],
      ["a", [{}], `${noTopics} an array with object`],
    ] as const) {
      server.serveListenFilter(anyJob, {
        honor: () => honored,
        topics: () => topics as readonly string[],
        params: mustNotRun,
      });
      await expect(client.listen({ extensions: [anyJob.of("a")] })).rejects.toMatchObject({ code: -32603 });
      expect(reported.splice(0)).toEqual([report]);
    }
    server.serveListenFilter(anyJob, { honor: () => "a", topics: () => ["a"], params: mustNotRun });
    expect(anyJob.honoredIn((await client.listen({ extensions: [anyJob.of("a")] })).honored)).toBe("a");
  },
);

verifies(
  "extensions:listen:params-failure",
  "params that fail are reported, undefined sends nothing, and the next change is sent",
  async ({ connect }) => {
    const onError = vi.fn();
    const returns: unknown[] = [{ jobId: "j1", state: 7 }, undefined, { jobId: "j1", state: "done" }];
    let isFirst = true;
    const server = new McpServer({ ...identity, extensions: [jobs], onError });
    const params = vi.fn((): { jobId: string; state: string } | undefined => {
      if (!isFirst) return returns.shift() as { jobId: string; state: string } | undefined;
      isFirst = false;
      throw new Error("no database");
    });
    server.serveListenFilter(jobIds, { honor: (ids) => ids, topics: (ids) => ids, params });
    const client = await connect(server, { extensions: [jobs] });
    const changes = (await client.listen({ extensions: [jobIds.of(["j1"])] }))[Symbol.asyncIterator]();

    for (let calls = 1; calls <= 4; calls += 1) {
      server.announce.changed(jobIds, "j1");
      await vi.waitFor(() => expect(params).toHaveBeenCalledTimes(calls));
      await new Promise(setImmediate);
    }
    expect(await changes.next()).toMatchObject({ value: { params: { jobId: "j1", state: "done" } } });
    expect(onError.mock.calls.map(([error]) => [error.code, error.cause.message])).toEqual([
      ["handler-failed", "no database"],
      ["handler-failed", expect.stringContaining("params.state")],
    ]);
  },
);

verifies(
  "extensions:listen:unread",
  "a subscription keeps the newest unread notification of each topic, in the order of the first changes",
  async ({ connect }) => {
    const { server, change } = jobServer(new Map());
    const client = await connect(server, { extensions: [jobs] });
    const heard: string[] = [];
    client.onNotification(jobChanged, ({ jobId, state }) => heard.push(`${jobId} ${state}`));
    const changes = (await client.listen({ extensions: [jobIds.of(["j1", "j2"])] }))[Symbol.asyncIterator]();
    for (const [jobId, state] of [
      ["j1", "queued"],
      ["j2", "queued"],
      ["j1", "done"],
    ] as const) {
      change(jobId, state);
      await vi.waitFor(() => expect(heard.at(-1)).toBe(`${jobId} ${state}`));
    }

    const read = [await changes.next(), await changes.next()].map(({ value }) => value && jobIds.read(value));
    expect(read).toEqual([
      { jobId: "j1", state: "done" },
      { jobId: "j2", state: "queued" },
    ]);
  },
);

verifies(
  "extensions:listen:malformed",
  "a notification that breaks a listen filter's schema is dropped and reported, and such an acknowledgment rejects listen",
  { judge: "our-side-is-made-to-misbehave" },
  async ({ openServer }) => {
    const onError = vi.fn();
    const capabilities = { extensions: { "com.example/jobs": {} } };
    const { peer, client } = await openServer(capabilities, { extensions: [jobs], onError });
    const listen = async (acmeJobIds: unknown) => {
      const opening = client.listen({ extensions: [jobIds.of(["j1"])] });
      const { id } = (await peer.receive()) as { id: unknown };
      const _meta = { [SUBSCRIPTION_ID]: id };
      const send = (method: string, params: object) =>
        peer.send({ jsonrpc: "2.0", method, params: { ...params, _meta } });
      await send("notifications/subscriptions/acknowledged", { notifications: { acmeJobIds } });
      return { opening, send };
    };

    const sound = await listen(["j1"]);
    const changes = (await sound.opening)[Symbol.asyncIterator]();
    await sound.send("notifications/acme/job", { jobId: "j1", state: 7 });
    await sound.send("notifications/acme/job", { jobId: "j1", state: "done" });
    expect(await changes.next()).toMatchObject({ value: { params: { state: "done" } } });
    expect(onError.mock.calls.map(([{ cause }]) => [cause.code, cause.message])).toEqual([
      ["invalid-message", expect.stringContaining("params.state")],
    ]);
    const malformed = await listen("j1");
    await expect(malformed.opening).rejects.toMatchObject({
      code: "invalid-result",
      message: expect.stringContaining("notifications.acmeJobIds"),
    });
    expect(await peer.receive()).toMatchObject({ method: "notifications/cancelled" });
  },
);
