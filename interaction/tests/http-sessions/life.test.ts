import { InMemorySessionStore, type SessionEnd } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { hostHttp, type RawHttpClient } from "../../src/http/raw-http-client.js";
import { verifies } from "../../src/verifies.js";

function counter(): McpServer {
  const server = new McpServer({ name: "counter", version: "1.0.0", onError: () => undefined });
  server.handle("x/who", (_params, { revision, clientInfo, caller }) => ({
    revision,
    client: clientInfo?.name,
    principal: caller?.principal,
  }));
  return server;
}

/** Who calls is what the header says: good enough for a test. */
const authenticate = (request: { header(name: string): string | undefined }) => ({
  principal: request.header("x-user"),
});

async function statuses(client: RawHttpClient): Promise<number[]> {
  const responses = [await client.request(1, "ping"), await client.get(), await client.delete()];
  for (const response of responses) response.disconnect();
  return responses.map(({ status }) => status);
}

verifies(
  ["hosting:session:create", "hosting:session:id-charset", "hosting:session:reuse"],
  "initialize names the session, and the session remembers what it settled",
  async () => {
    await using host = await hostHttp(counter());
    const ids = new Set<string | null>();
    for (let round = 0; round < 20; round += 1) {
      const response = await host.client().initialize();
      expect([response.status, response.header("content-type")]).toEqual([200, "application/json"]);
      ids.add(response.header("mcp-session-id"));
    }
    expect(ids.size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]{32,}$/);

    const client = await host.client({ revision: "2025-06-18" }).open();
    const answer = await client.request(1, "x/who");
    expect(await answer.json()).toMatchObject({ result: { revision: "2025-06-18", client: "raw-client" } });
    expect(answer.header("mcp-session-id")).toBeNull();
  },
);

verifies(
  ["hosting:session:missing-id", "hosting:session:unknown-id"],
  "a request without a session id is 400, and one with an unknown id 404, whatever the request asks",
  async () => {
    await using host = await hostHttp(counter());
    const client = host.client();
    expect(await statuses(client)).toEqual([400, 400, 400]);
    client.sessionId = "00000000000000000000000000000000";
    expect(await statuses(client)).toEqual([404, 404, 404]);
    expect((await client.initialize()).status).toBe(404);
  },
);

verifies(
  ["hosting:session:delete", "hosting:session:post-termination-404", "hosting:session:isolation"],
  "a deleted session is gone, and the other one is not",
  async () => {
    await using host = await hostHttp(counter());
    const [gone, stays] = [await host.client().open(), await host.client().open()];
    const stream = await stays.get();
    expect((await gone.delete()).status).toBe(204);
    expect(await statuses(gone)).toEqual([404, 404, 404]);
    expect(await (await stays.request(1, "ping")).json()).toMatchObject({ id: 1, result: {} });
    expect((await stays.get()).status).toBe(409);
    stream.disconnect();
  },
);

verifies(
  "hosting:session:delete-cancels-inflight",
  "handlers are aborted, and what they were to answer is -32603, not a 404 that a client would send again upon",
  async () => {
    const server = counter();
    const [started, aborted] = [deferred(), deferred()];
    server.tool("wait", {}, async (_args, { signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      aborted.resolve();
      return "too late";
    });
    server.tool("talk", {}, async (_args, context) => {
      await context.progress(1);
      started.resolve();
      await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
      return "too late";
    });
    await using host = await hostHttp(server);
    const client = await host.client().open();
    const plain = client.call("plain", "wait");
    const streamed = await client.call("streamed", "talk");
    await started.promise;
    expect((await client.delete()).status).toBe(204);
    await aborted.promise;
    const error = { code: -32603, message: "The session ended while this was being served" };
    expect([(await plain).status, await (await plain).json()]).toEqual([500, { jsonrpc: "2.0", id: "plain", error }]);
    expect((await streamed.messages()).slice(1)).toEqual([{ jsonrpc: "2.0", id: "streamed", error }]);
  },
);

verifies(
  "hosting:session:reinitialize",
  "a second initialize in a session is refused, and the session goes on as it was",
  async () => {
    await using host = await hostHttp(counter());
    const client = await host.client({ revision: "2025-06-18" }).open();
    const again = await client.request(1, "initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "impostor", version: "1.0.0" },
    });
    expect(await again.json()).toMatchObject({
      id: 1,
      error: { code: -32600, message: "Session already initialized" },
    });
    expect(await (await client.request(2, "x/who")).json()).toMatchObject({
      result: { revision: "2025-06-18", client: "raw-client" },
    });
  },
);

verifies("hosting:session:principal", "a session is 404 to anybody but its owner, who alone can end it", async () => {
  await using host = await hostHttp(counter(), { authenticate });
  const ann = await host.client({ headers: { "x-user": "ann" } }).open();
  for (const headers of [{ "x-user": "bob" }, {}] as const) {
    const other = host.client({ headers });
    other.sessionId = ann.sessionId;
    expect(await statuses(other)).toEqual([404, 404, 404]);
  }
  expect(await (await ann.request(1, "x/who")).json()).toMatchObject({ result: { principal: "ann" } });
});

verifies(
  ["hosting:session:limit", "hosting:session:failed-initialize"],
  "a failed initialize takes no place, and a new session takes that of an idle one, or is 503 if none is idle",
  async () => {
    const ends: [string, SessionEnd][] = [];
    const onSessionClosed = ({ id }: { id: string }, end: SessionEnd) => void ends.push([id, end]);
    await using host = await hostHttp(counter(), { legacy: { maxSessions: 1, onSessionClosed } });
    for (let round = 0; round < 5; round += 1) {
      const failed = await host.client().request(1, "initialize", { protocolVersion: round });
      expect([(await failed.json()).error, failed.header("mcp-session-id")]).toMatchObject([{ code: -32602 }, null]);
    }
    const first = await host.client().open();
    const second = await host.client().open();
    expect(ends).toEqual([[first.sessionId, "evicted"]]);
    const stream = await second.get();
    const refused = await host.client().initialize();
    expect([refused.status, refused.header("retry-after")]).toEqual([503, "1"]);
    expect((await second.request(1, "ping")).status).toBe(200);
    stream.disconnect();
  },
);

verifies(
  ["hosting:session:idle", "hosting:session:lifecycle-callbacks"],
  "an idle session ends by itself, one with an open stream does not, and the hooks hear of each opening and end",
  async () => {
    const heard: string[] = [];
    const ended = deferred();
    await using host = await hostHttp(counter(), {
      authenticate,
      legacy: {
        sessionIdleMs: 1_000,
        onSessionOpened: ({ principal }) => void heard.push(`${principal} opened`),
        onSessionClosed: ({ principal }, end) => {
          heard.push(`${principal} ${end}`);
          if (principal === "ann") ended.resolve();
        },
      },
    });
    const bob = await host.client({ headers: { "x-user": "bob" } }).open();
    const stream = await bob.get();
    const ann = await host.client({ headers: { "x-user": "ann" } }).open();
    await ended.promise;
    expect((await ann.request(1, "ping")).status).toBe(404);
    expect((await bob.request(1, "ping")).status).toBe(200);
    await bob.delete();
    expect(heard).toEqual(["bob opened", "ann opened", "ann idle", "bob deleted"]);
    stream.disconnect();
  },
);

verifies("hosting:session:cors-expose", "a page that may call may read the session id", async () => {
  const cors = { origins: ["https://app.example.com"] };
  await using host = await hostHttp(counter(), { cors });
  const response = await host.client({ headers: { origin: "https://app.example.com" } }).initialize();
  expect(response.status).toBe(200);
  expect(response.header("access-control-expose-headers")?.toLowerCase()).toContain("mcp-session-id");
});

verifies("hosting:session:late-cancellation", "a client that counts every request as 1 loses none", async () => {
  await using host = await hostHttp(counter());
  const client = await host.client().open();

  await client.request(1, "x/who");
  await client.notify("notifications/cancelled", { requestId: 1 });
  const again = await client.request(1, "x/who");

  expect(await again.json()).toMatchObject({ id: 1, result: { client: "raw-client" } });
});

verifies(
  "hosting:session:lookups",
  "a flood of 300 random session ids at a slow store is partly 429, and a session of another principal is found",
  async () => {
    const sessionStore = new InMemorySessionStore();
    const options = { authenticate, legacy: { sessionStore } };
    const first = await hostHttp(counter(), options);
    const ann = await first.client({ headers: { "x-user": "ann" } }).open();
    await first[Symbol.asyncDispose]();
    const answered = deferred();
    const get = sessionStore.get.bind(sessionStore);
    sessionStore.get = async (id) => {
      if (id !== ann.sessionId) await answered.promise;
      return get(id);
    };

    await using second = await hostHttp(counter(), options);
    const flood = Array.from({ length: 300 }, async (_, number) => {
      const mallory = second.client({ headers: { "x-user": "mallory" } });
      mallory.sessionId = String(number).padStart(40, "0");
      return mallory.request(1, "x/who");
    });
    const refused = await Promise.race(flood);
    const moved = second.client({ headers: { "x-user": "ann" } });
    moved.sessionId = ann.sessionId;
    const found = await moved.request(1, "x/who");
    answered.resolve();
    const statuses = (await Promise.all(flood)).map(({ status }) => status);

    expect([refused.status, refused.header("retry-after")]).toEqual([429, "1"]);
    expect(found.status).toBe(200);
    expect(statuses.filter((status) => status === 404)).toHaveLength(256);
    expect(statuses.filter((status) => status === 429)).toHaveLength(44);
  },
);

verifies("hosting:session:store-503", "a session store that fails for a while keeps its sessions", async () => {
  let isDown = false;
  class Store extends InMemorySessionStore {
    override async get(id: string) {
      if (isDown) throw new Error("no connection");
      return super.get(id);
    }
  }
  const options = { legacy: { sessionStore: new Store() } };
  const first = await hostHttp(counter(), options);
  const opened = await first.client().open();
  await first[Symbol.asyncDispose]();
  await using second = await hostHttp(counter(), options);
  const moved = second.client();
  moved.sessionId = opened.sessionId;

  isDown = true;
  const refused = await moved.request(1, "x/who");
  expect(refused.status).toBe(503);
  expect(refused.header("retry-after")).toBe("1");
  isDown = false;
  expect((await moved.request(1, "x/who")).status).toBe(200);
});

verifies("hosting:session:revived", "another process goes on with the session of its owner", async () => {
  const sessionStore = new InMemorySessionStore();
  const options = { authenticate, legacy: { sessionStore } };
  const first = await hostHttp(counter(), options);
  const ann = await first.client({ revision: "2025-06-18", headers: { "x-user": "ann" } }).open();
  await first[Symbol.asyncDispose]();

  await using second = await hostHttp(counter(), options);
  const thief = second.client({ headers: { "x-user": "bob" } });
  const moved = second.client({ headers: { "x-user": "ann" } });
  thief.sessionId = ann.sessionId;
  moved.sessionId = ann.sessionId;
  expect((await thief.request(1, "x/who")).status).toBe(404);
  expect(await (await moved.request(1, "x/who")).json()).toMatchObject({
    result: { revision: "2025-06-18", client: "raw-client", principal: "ann" },
  });
  expect((await moved.delete()).status).toBe(204);
  expect(sessionStore.size).toBe(0);
});
