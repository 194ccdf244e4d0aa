import { InMemoryEventStore } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { verifies } from "../../src/verifies.js";

const asking = { capabilities: { elicitation: { form: {} } } };
const confirmation = z.object({ ok: z.boolean() });

function worker() {
  const server = new McpServer({ name: "worker", version: "1.0.0", onError: () => undefined });
  const [started, release, finished] = [deferred(), deferred(), deferred<boolean>()];
  server.tool("steps", {}, async (_args, context) => {
    await context.progress(1);
    await context.progress(2);
    return "done";
  });
  server.tool("wait", {}, async (_args, { signal }) => {
    started.resolve();
    await Promise.race([release.promise, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
    finished.resolve(signal.aborted);
    return "waited";
  });
  server.tool("ask", {}, async (_args, context) => {
    const { action } = await context.elicit({ message: "Sure?", schema: confirmation });
    return action;
  });
  return { server, started, release, finished };
}

verifies(
  [
    "transport:streamable-http:notifications",
    "hosting:http:sse-close-after-response",
    "hosting:http:standalone-sse-no-response",
    "hosting:http:json-until-streamed",
  ],
  "progress precedes the answer on the request's own stream, which then ends; nothing of it is on the standalone one",
  async () => {
    const { server } = worker();
    await using host = await hostHttp(server);
    const client = await host.client().open();
    const standalone = await client.get();
    const plain = await client.request(1, "ping");
    expect(plain.header("content-type")).toBe("application/json");
    const response = await client.call("c", "steps");
    expect(response.isStream).toBe(true);
    expect(await response.messages()).toMatchObject([
      { method: "notifications/progress", params: { progressToken: "c", progress: 1 } },
      { method: "notifications/progress", params: { progressToken: "c", progress: 2 } },
      { id: "c", result: { content: [{ text: "done" }] } },
    ]);
    await client.delete();
    expect(await standalone.messages()).toEqual([]);
  },
);

verifies(
  ["transport:streamable-http:server-to-client", "hosting:http:notifications-202"],
  "a question goes out on the request's stream, and its answer is posted and accepted",
  async () => {
    const { server } = worker();
    await using host = await hostHttp(server);
    const client = await host.client(asking).open();
    const response = await client.call(1, "ask");
    const question = await response.message();
    expect(question).toMatchObject({ method: "elicitation/create" });
    const accepted = await client.post({ jsonrpc: "2.0", id: question?.id, result: { action: "decline" } });
    expect([accepted.status, await accepted.text()]).toEqual([202, ""]);
    expect(await response.messages()).toMatchObject([{ id: 1, result: { content: [{ text: "decline" }] } }]);
    const heard = await client.notify("notifications/roots/list_changed");
    expect([heard.status, await heard.text()]).toEqual([202, ""]);
  },
);

verifies(
  ["hosting:http:response-same-connection", "hosting:http:duplicate-id"],
  "answers find their own responses out of order, and an id in use is refused without harm to the first",
  async () => {
    const { server, started, release } = worker();
    await using host = await hostHttp(server);
    const client = await host.client().open();
    const slow = client.call(1, "wait");
    await started.promise;
    expect(await (await client.request(1, "ping")).json()).toMatchObject({ id: 1, error: { code: -32600 } });
    expect(await (await client.request("1", "ping")).json()).toEqual({ jsonrpc: "2.0", id: "1", result: {} });
    release.resolve();
    expect(await (await slow).json()).toMatchObject({ id: 1, result: { content: [{ text: "waited" }] } });
  },
);

verifies("hosting:http:disconnect-not-cancel", "the handler of a client that has gone runs on", async () => {
  const { server, started, release, finished } = worker();
  const noticed = deferred();
  const onResponse = ({ status }: { status: number | undefined }) => {
    if (status === undefined) noticed.resolve();
  };
  await using host = await hostHttp(server, { onResponse });
  const client = await host.client().open();
  const gone = new AbortController();
  const headers = {
    "mcp-session-id": client.sessionId ?? "",
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait" } });
  const lost = fetch(host.url, { method: "POST", headers, body, signal: gone.signal }).catch(() => undefined);
  await started.promise;
  gone.abort();
  await Promise.all([lost, noticed.promise]);
  expect((await client.request(2, "ping")).status).toBe(200);
  release.resolve();
  expect(await finished.promise).toBe(false);
});

verifies(
  "hosting:http:cancelled",
  "a cancelled request is a stream that ends without an answer, opened for it or open before; in JSON mode it is 204",
  async () => {
    const { server, started } = worker();
    await using host = await hostHttp(server);
    const client = await host.client(asking).open();
    const plain = client.call(1, "wait");
    await started.promise;
    expect((await client.cancel(1)).status).toBe(202);
    expect([(await plain).status, (await plain).isStream, await (await plain).messages()]).toEqual([200, true, []]);

    const streamed = await client.call(2, "ask");
    await streamed.message();
    await client.cancel(2);
    expect((await streamed.messages()).map(({ method }) => method)).toEqual(["notifications/cancelled"]);
    expect(await (await client.request(2, "ping")).json()).toMatchObject({ id: 2, result: {} });

    const other = worker();
    await using jsonHost = await hostHttp(other.server, { legacy: { jsonResponses: true } });
    const jsonClient = await jsonHost.client().open();
    const running = jsonClient.call(1, "wait");
    await other.started.promise;
    await jsonClient.cancel(1);
    expect([(await running).status, await (await running).text()]).toEqual([204, ""]);
  },
);

verifies(
  "hosting:http:cancelled-early",
  "a cancellation that overtakes its request keeps the handler from running, in its own session alone",
  async () => {
    const { server } = worker();
    let runs = 0;
    server.tool("count", {}, () => `run ${++runs}`);
    await using host = await hostHttp(server);
    const [client, other] = [await host.client().open(), await host.client().open()];
    expect((await client.cancel(1)).status).toBe(202);
    const cancelled = await client.call(1, "count");
    expect([cancelled.status, cancelled.isStream, await cancelled.messages()]).toEqual([200, true, []]);
    expect(await (await other.call(1, "count")).json()).toMatchObject({ result: { content: [{ text: "run 1" }] } });
    expect(await (await client.call(2, "count")).json()).toMatchObject({ result: { content: [{ text: "run 2" }] } });
  },
);

verifies(
  [
    "transport:streamable-http:unrelated-messages",
    "hosting:http:no-broadcast",
    "hosting:http:standalone-sse",
    "hosting:http:second-sse-rejected",
  ],
  "a change goes to the one standalone stream of each session, whatever else is open",
  async () => {
    const { server, started, release } = worker();
    server.tool("talk", {}, async (_args, context) => {
      await context.progress(1);
      started.resolve();
      await release.promise;
      return "";
    });
    await using host = await hostHttp(server);
    const [client, other] = [await host.client().open(), await host.client().open()];
    expect((await client.get({ accept: "application/json" })).status).toBe(406);
    const [standalone, others] = [await client.get(), await other.get()];
    expect((await client.get()).status).toBe(409);
    const running = await client.call(1, "talk");
    await started.promise;
    server.announce.toolsChanged();
    const change = { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: {} };
    expect([await standalone.message(), await others.message()]).toEqual([change, change]);
    release.resolve();
    expect((await running.messages()).map(({ id, method }) => method ?? id)).toEqual(["notifications/progress", 1]);
    await client.delete();
    expect(await standalone.messages()).toEqual([]);
    others.disconnect();
  },
);

verifies(
  "hosting:http:send-no-listener-noop",
  "a notification that nobody heard waits for the next client that listens",
  async () => {
    const { server } = worker();
    await using host = await hostHttp(server);
    const client = await host.client().open();
    server.announce.toolsChanged();
    expect(await (await client.request(1, "ping")).json()).toMatchObject({ result: {} });
    const standalone = await client.get();
    expect(await standalone.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    standalone.disconnect();
  },
);

verifies(
  "hosting:http:send-no-listener-noop",
  "the latest of the notifications that nobody heard are kept, within bounds",
  async () => {
    const { server } = worker();
    const uris = Array.from("0123456789", (digit) => `notes://${digit}/${"x".repeat(8_000)}`);
    for (const uri of uris) server.resource(uri, { name: uri.slice(0, 9) }, () => "");
    await using host = await hostHttp(server);
    const client = await host.client().open();
    for (const [id, uri] of uris.entries()) await client.request(id, "resources/subscribe", { uri });
    for (const uri of uris) server.announce.resourceUpdated(uri);
    expect((await client.request("ping", "ping")).status).toBe(200);
    const standalone = await client.get();
    await client.delete();
    const heard = (await standalone.messages()).map(({ params }) =>
      String((params as { uri: string }).uri).slice(0, 9),
    );
    expect(heard).toEqual(["notes://6", "notes://7", "notes://8", "notes://9"]);
  },
);

verifies(
  "hosting:http:slow-reader",
  "a stream that is not read ends at its bound, and the session goes on",
  async () => {
    const { server } = worker();
    const flooded = deferred<unknown>();
    server.tool("flood", {}, async (_args, context) => {
      const padding = "x".repeat(1_000_000);
      for (let count = 1; count <= 100; count += 1) {
        // Not waited for: a handler that pays no attention to its reader.
        void context.notify("acme/note", { padding }).catch(flooded.resolve);
      }
      flooded.resolve(undefined);
      return "";
    });
    await using host = await hostHttp(server, { maxQueuedBytes: 100_000 });
    const client = await host.client().open();
    const stream = await client.call(1, "flood");
    await flooded.promise;
    await expect(stream.messages()).rejects.toThrow();
    expect((await client.request(2, "ping")).status).toBe(200);
  },
);

verifies("hosting:http:batch-limit", "a batch of two is served, one of three is refused with 400", async () => {
  const note = { jsonrpc: "2.0", method: "acme/note" };
  for (const legacy of [{}, { stateless: true }, { jsonResponses: true }]) {
    const served: unknown[] = [];
    const server = new McpServer({ name: "short", version: "1.0.0", maxBatchItems: 2, onError: () => undefined });
    server.onNotification("acme/note", (params) => void served.push(params));
    await using host = await hostHttp(server, { legacy });
    const client = await host.client({ revision: "2025-03-26" }).open();
    expect((await client.post([note, note])).status).toBe(202);
    const refused = await client.post([note, note, note]);
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: -32600 } }]);
    expect(served).toHaveLength(2);
  }
});

verifies("hosting:http:batch", "one array answers a batch of 2025-03-26; other revisions refuse it", async () => {
  const { server } = worker();
  await using host = await hostHttp(server);
  const batch = [1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "ping" }));
  const old = await host.client({ revision: "2025-03-26" }).open();
  expect(await (await old.post(batch)).json()).toEqual(batch.map(({ id }) => ({ jsonrpc: "2.0", id, result: {} })));
  const notified = await old.post([{ jsonrpc: "2.0", method: "notifications/x" }]);
  expect([notified.status, await notified.text()]).toEqual([202, ""]);
  const current = await (await host.client().open()).post(batch);
  expect([current.status, await current.json()]).toMatchObject([400, { error: { code: -32600 } }]);
});

verifies(
  [
    "hosting:http:protocol-version-400",
    "hosting:http:protocol-version-rejection-literal",
    "hosting:http:protocol-version-session",
  ],
  "unknown versions are 400 in the words that clients look for; others leave the session's revision as it is",
  async () => {
    const { server } = worker();
    server.handle("x/revision", (_params, { revision }) => ({ revision }));
    await using host = await hostHttp(server);
    const client = await host.client({ revision: "2025-06-18" }).open();
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const headers = { "mcp-protocol-version": "1999-01-01" };
    for (const response of [
      await client.post(ping, headers),
      await client.get(headers),
      await client.delete(headers),
    ]) {
      const { error } = (await response.json()) as { error: { message: string } };
      expect([response.status, error.message]).toEqual([400, expect.stringMatching(/^Unsupported protocol version/)]);
    }
    const ask = { jsonrpc: "2.0", id: 2, method: "x/revision" };
    for (const named of [
      {},
      { "mcp-protocol-version": "2025-06-18" },
      { "mcp-protocol-version": "2025-03-26" },
    ] as const) {
      expect(await (await client.post(ask, named)).json()).toMatchObject({ result: { revision: "2025-06-18" } });
    }
  },
);

verifies(
  ["hosting:http:json-response-mode", "transport:streamable-http:json-response-restrictions"],
  "a server with jsonResponses answers in JSON, fails a question at once and drops progress",
  async () => {
    const { server } = worker();
    const failure = deferred<unknown>();
    server.tool("try", {}, async (_args, context) => {
      await context.progress(1);
      await context.elicit({ message: "Sure?", schema: confirmation }).catch(failure.resolve);
      return "answered anyway";
    });
    await using host = await hostHttp(server, { legacy: { jsonResponses: true } });
    const client = await host.client(asking).open();
    const response = await client.call(1, "try");
    expect(response.header("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({ id: 1, result: { content: [{ text: "answered anyway" }] } });
    expect(await failure.promise).toMatchObject({
      code: -32603,
      message: expect.stringContaining("jsonResponses"),
    });
  },
);

verifies(
  "hosting:http:json-until-streamed",
  "a server with an event store answers clients of 2025-11-25 with a stream, and older ones with JSON",
  async () => {
    const { server } = worker();
    await using host = await hostHttp(server, { legacy: { eventStore: new InMemoryEventStore() } });
    for (const [revision, type] of [
      ["2025-11-25", "text/event-stream"],
      ["2025-06-18", "application/json"],
    ] as const) {
      const client = await host.client({ revision }).open();
      const response = await client.request(1, "ping");
      expect([revision, response.header("content-type")]).toEqual([revision, type]);
      expect(await response.answer()).toMatchObject({ id: 1, result: {} });
    }
  },
);
