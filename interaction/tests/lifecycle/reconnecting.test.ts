import { PassThrough } from "node:stream";
import type { Client, ConnectTarget } from "parley-mcp/client";
import { StreamTransport, serveStdio } from "parley-mcp/node";
import { defineExtension, defineListenFilter, defineNotification, McpServer } from "parley-mcp/server";
import { expect, vi } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const AT_ONCE = { initialDelayMs: 0 };

/** A line to a server that can be cut; asked for again, it is laid anew, unless the cable is out. */
function layLine(server: McpServer) {
  const cable = { isOut: false, laid: 0, opening: [] as string[] };
  let cut = () => {};
  const target: ConnectTarget = async () => {
    if (cable.isOut) throw new Error("no cable");
    const [toServer, toClient] = [new PassThrough(), new PassThrough()];
    await serveStdio(server, { input: toServer, output: toClient });
    cable.laid += 1;
    toServer.once("data", (bytes) => cable.opening.push(JSON.parse(String(bytes)).method));
    cut = () => void toClient.destroy();
    return new StreamTransport({ input: toClient, output: toServer });
  };
  return { target, cable, cut: () => cut() };
}

function clock() {
  const server = new McpServer({ name: "clock", version: "1.0.0", onError: () => {} });
  server.tool("now", {}, () => "noon");
  server.tool("hang", {}, async (_arguments, context) => {
    await context.progress(1);
    return new Promise<string>(() => {});
  });
  return server;
}

/** Cuts the line, and waits until the client has noticed. */
async function lose(client: Client, cut: () => void): Promise<void> {
  await expect(client.callTool("hang", {}, { onProgress: cut })).rejects.toMatchObject({ code: "connection-closed" });
}

verifies("client:reconnect:calls-go-on", "a call made right after the loss is answered over a new line", async (t) => {
  const { target, cable, cut } = layLine(clock());
  const client = await t.connectTo(target, { reconnect: AT_ONCE, onError: () => {} });
  await lose(client, cut);

  const { content } = await client.callTool("now");

  expect(content).toEqual([{ type: "text", text: "noon" }]);
  expect(cable.laid).toBe(2);
});

verifies(
  "client:reconnect:pending-rejects",
  "a call that was pending when the connection broke rejects, and its handler runs once",
  async (t) => {
    const server = clock();
    const started = deferred<void>();
    const runs = vi.fn(() => {
      started.resolve();
      return new Promise<string>(() => {});
    });
    server.tool("wait", {}, runs);
    const { target, cable, cut } = layLine(server);
    const client = await t.connectTo(target, { reconnect: AT_ONCE, onError: () => {} });
    const pending = client.callTool("wait");
    await started.promise;
    cut();

    await expect(pending).rejects.toMatchObject({ code: "connection-closed" });
    await client.callTool("now");
    expect([cable.laid, runs.mock.calls.length]).toEqual([2, 1]);
  },
);

verifies(
  "client:reconnect:subscription-restored",
  "a subscription yields restored after a lost connection, and then the next change",
  async (t) => {
    const server = clock();
    server.resource("clock://face", { name: "face" }, () => "12:00");
    const { target, cut } = layLine(server);
    const client = await t.connectTo(target, { reconnect: AT_ONCE, onError: () => {} });
    const changes = (await client.listen({ tools: true, resource: ["clock://face"] }))[Symbol.asyncIterator]();
    cut();

    expect(await changes.next()).toEqual({ done: false, value: { kind: "restored" } });
    server.announce.resourceUpdated("clock://face");
    expect(await changes.next()).toEqual({ done: false, value: { kind: "resource", uri: "clock://face" } });
    server.tool("later", {}, () => "one");
    expect(await changes.next()).toEqual({ done: false, value: { kind: "tools" } });
  },
);

verifies(
  "extensions:listen:restored",
  "a subscription with a filter of an extension yields restored after a loss, and then the next change of the topic",
  async (t) => {
    const jobIds = defineListenFilter("acmeJobIds", {
      filter: z.array(z.string()),
      notification: defineNotification("notifications/acme/job", { params: z.object({ jobId: z.string() }) }),
      topicOf: ({ jobId }) => jobId,
    });
    const jobs = defineExtension("com.example/jobs", { listenFilters: [jobIds] });
    const server = clock();
    server.extend(jobs);
    server.serveListenFilter(jobIds, { honor: (ids) => ids, topics: (ids) => ids, params: (jobId) => ({ jobId }) });
    const { target, cut } = layLine(server);
    const client = await t.connectTo(target, { extensions: [jobs], reconnect: AT_ONCE, onError: () => {} });
    const changes = (await client.listen({ extensions: [jobIds.of(["j1"])] }))[Symbol.asyncIterator]();
    cut();

    expect(await changes.next()).toEqual({ done: false, value: { kind: "restored" } });
    server.announce.changed(jobIds, "j1");
    expect(await changes.next()).toMatchObject({ value: { kind: "extension", topic: "j1" } });
  },
);

verifies(
  "client:reconnect:same-revision",
  "a client opens a lost connection again in the revision that was found before, without a probe",
  async (t) => {
    const { target, cable, cut } = layLine(clock());
    const client = await t.connectTo(target, {
      revisions: [t.revision, "2025-06-18"],
      reconnect: AT_ONCE,
      onError: () => {},
    });
    const { revision } = client;
    await lose(client, cut);
    await client.listTools();

    expect(client.revision).toBe(revision);
    expect(cable.opening).toEqual(
      t.era === "modern" ? ["server/discover", "tools/list"] : ["initialize", "initialize"],
    );
  },
);

verifies(
  "client:reconnect:bounded",
  "a client closes after two failed attempts: calls and subscriptions reject, and onClose is called once",
  async (t) => {
    const onError = vi.fn();
    const onClose = vi.fn();
    const { target, cable, cut } = layLine(clock());
    const client = await t.connectTo(target, { reconnect: { ...AT_ONCE, maxAttempts: 2 }, onError, onClose });
    const changes = (await client.listen({ tools: true }))[Symbol.asyncIterator]();
    cable.isOut = true;
    cut();

    await expect(changes.next()).rejects.toMatchObject({ code: "connection-closed" });
    await expect(client.callTool("now")).rejects.toMatchObject({ code: "connection-closed" });
    await expect(client.listen({ tools: true })).rejects.toMatchObject({ code: "connection-closed" });
    expect(onClose).toHaveBeenCalledOnce();
    const failures = onError.mock.calls.filter(([error]) => String(error.cause).includes("no cable"));
    expect(failures).toHaveLength(2);
  },
);

verifies(
  "client:reconnect:impatient-call",
  "a call that waits for the connection obeys its timeout or its signal, and the client goes on waiting",
  async (t) => {
    const onClose = vi.fn();
    const { target, cable, cut } = layLine(clock());
    const client = await t.connectTo(target, { reconnect: { initialDelayMs: 3_600_000 }, onError: () => {}, onClose });
    await lose(client, cut);
    const stop = new AbortController();
    const aborted = client.callTool("now", {}, { signal: stop.signal });
    const late = client.callTool("now", {}, { timeoutMs: 1 });
    stop.abort();

    await expect(aborted).rejects.toMatchObject({ code: "request-aborted" });
    await expect(late).rejects.toMatchObject({ code: "request-timeout" });
    expect([cable.laid, onClose.mock.calls.length]).toEqual([1, 0]);
  },
);

verifies(
  "client:reconnect:off",
  "a lost connection stays lost with reconnect off, and onClose is called",
  async (t) => {
    const closed = deferred<void>();
    const { target, cable, cut } = layLine(clock());
    const client = await t.connectTo(target, { reconnect: false, onError: () => {}, onClose: () => closed.resolve() });
    const changes = (await client.listen({ tools: true }))[Symbol.asyncIterator]();
    cut();
    await closed.promise;

    await expect(changes.next()).rejects.toMatchObject({ code: "connection-closed" });
    await expect(client.callTool("now")).rejects.toMatchObject({ code: "connection-closed" });
    expect(cable.laid).toBe(1);
  },
);

verifies(
  "client:reconnect:close-is-final",
  "a client that is closed while it waits to connect opens nothing more, and onClose is called once",
  async (t) => {
    const onClose = vi.fn();
    const { target, cable, cut } = layLine(clock());
    const client = await t.connectTo(target, { reconnect: { initialDelayMs: 3_600_000 }, onError: () => {}, onClose });
    await lose(client, cut);
    const waiting = client.callTool("now");
    await client.close();

    await expect(waiting).rejects.toMatchObject({ code: "connection-closed" });

    await expect(client.callTool("now")).rejects.toMatchObject({ code: "connection-closed" });
    expect([cable.laid, onClose.mock.calls.length]).toEqual([1, 1]);
  },
);

verifies(
  "client:reconnect:close-ends-subscriptions",
  "the loop of a subscription ends with the client, whether that waits to connect, connects, or has connected again",
  async (t) => {
    const delaysMs = [3_600_000, 0];
    for (const initialDelayMs of delaysMs) {
      for (const isAwaited of [false, true]) {
        const server = clock();
        server.resource("clock://face", { name: "face" }, () => "12:00");
        const { target, cut } = layLine(server);
        const client = await t.connectTo(target, { reconnect: { initialDelayMs }, onError: () => {} });
        const changes = await client.listen({ tools: true, resource: ["clock://face"] });
        if (isAwaited) await lose(client, cut);
        else cut();
        await client.close();

        const kinds: string[] = [];
        for await (const { kind } of changes) kinds.push(kind);
        expect(kinds.filter((kind) => kind !== "restored")).toEqual([]);
      }
    }
  },
);
