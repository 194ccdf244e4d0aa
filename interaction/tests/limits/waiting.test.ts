import { connect as connectSocket } from "node:net";
import { InMemoryEventStore } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { expect, vi } from "vitest";
import { deferred } from "../../src/deferred.js";
import { callPost, exchange } from "../../src/http/http-posts.js";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { authenticate, MALLORY, waiter } from "../../src/http/waiter.js";
import { verifies } from "../../src/verifies.js";

const OPENING = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "raw", version: "1.0.0" },
};

verifies(
  "limits:requests:pipelined-bytes",
  "a body that waits behind an unread answer leaves its principal no room elsewhere, until the connection closes",
  async () => {
    const { server, release, started } = waiter({ maxBytesPerPrincipal: 3_500_000 });
    await using host = await hostHttp(server, { authenticate, maxQueuedBytes: 1 });
    const { hostname, port } = new URL(host.url);
    const socket = connectSocket(Number(port), hostname).on("error", () => undefined);
    const raw = (name: string, args: object) => {
      const { headers, body } = callPost(name, { ...args }, MALLORY);
      const head = Object.entries({ ...headers, host: `${hostname}:${port}`, "content-length": body.length });
      return `POST /mcp HTTP/1.1\r\n${head.map(([key, value]) => `${key}: ${value}\r\n`).join("")}\r\n${body}`;
    };
    const text = "x".repeat(1_000_000);
    const elsewhere = async () => (await exchange(host.url, callPost("greet", { text }, MALLORY))).status;

    // The answer to the second waits behind the first call, so the third is not served.
    socket.write(raw("wait", {}) + raw("greet", {}));
    await started(1);
    expect(await elsewhere()).toBe(200);
    socket.write(raw("greet", { text }));
    await vi.waitFor(async () => expect(await elsewhere()).toBe(429));
    socket.destroy();
    release.resolve();

    await vi.waitFor(async () => expect(await elsewhere()).toBe(200));
  },
);

verifies(
  "limits:requests:resumes",
  "the third resume over a limit of two is refused while the event store does not answer, and served afterwards",
  async () => {
    const { server, release } = waiter({ maxRequestsPerSession: 2 });
    release.resolve();
    const eventStore = new InMemoryEventStore();
    const read = eventStore.read.bind(eventStore);
    const answered = deferred();
    let reads = 0;
    eventStore.read = async (...args) => {
      reads += 1;
      await answered.promise;
      return read(...args);
    };
    await using host = await hostHttp(server, { legacy: { eventStore } });
    const client = await host.client().open();
    const call = await client.call(1, "wait");
    const primed = await call.event();
    await call.messages();
    const resume = () => client.get({ "last-event-id": primed?.id ?? "" });

    const waiting = [resume(), resume()];
    await vi.waitFor(() => expect(reads).toBe(2));
    const third = await resume();
    expect([third.status, await third.json()]).toMatchObject([429, { error: { data: { limit: "session" } } }]);
    answered.resolve();

    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
    await vi.waitFor(async () => expect((await resume()).status).toBe(200));
  },
);

verifies(
  "limits:requests:refusals-heard",
  "onRefusal hears of the second call over a limit of one, with its status and error, in both eras",
  async () => {
    const refusals: Error[] = [];
    const { server, release, started } = waiter({ maxRequests: 1 });
    await using host = await hostHttp(server, { onRefusal: (error) => void refusals.push(error) });
    const legacy = await host.client().open();
    const running = fetch(host.url, callPost("wait"));
    await started(1);

    expect((await exchange(host.url, callPost("greet"))).status).toBe(503);
    expect((await legacy.request(2, "tools/list")).status).toBe(503);
    expect((await host.client().request(1, "initialize", OPENING)).status).toBe(503);
    release.resolve();
    await running;
    await fetch(host.url, callPost("unknown"));

    const heard = { name: "HttpRefusal", status: 503, error: { code: 429, data: { limit: "server" } } };
    expect(refusals).toMatchObject([heard, heard, heard]);
  },
);

verifies(
  "limits:requests:batch-bytes",
  "the last answer of a batch that exceeds 16 Mi characters is an error that says so, over HTTP",
  async () => {
    const server = new McpServer({ name: "batcher", version: "1.0.0", pageSize: 500 });
    server.handle("acme/long", () => ({ text: "x".repeat(6 * 1024 * 1024) }));
    for (let index = 0; index < 300; index += 1) server.tool(`tool-${index}`, { description: "long" }, () => "");
    await using host = await hostHttp(server);
    const client = await host.client({ revision: "2025-03-26" }).open();

    const calls = [1, 2, 3].map((id) => ({ jsonrpc: "2.0", id, method: "acme/long" }));
    const response = await client.post([{ jsonrpc: "2.0", id: 0, method: "tools/list" }, ...calls]);
    const answers = (await response.json()) as unknown as { id: number; error?: object }[];

    expect(answers.map(({ id }) => id)).toEqual([0, 1, 2, 3]);
    const dropped = { code: 429, message: expect.stringContaining("dropped"), data: { limit: "connection" } };
    expect(answers.map(({ error }) => error)).toEqual([undefined, undefined, undefined, dropped]);
  },
);
