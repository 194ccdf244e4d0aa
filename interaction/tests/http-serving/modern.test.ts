import { McpServer, ProtocolError, type ServerContext } from "parley-mcp/server";
import { createFetchHandler } from "parley-mcp/web";
import { expect, vi } from "vitest";
import { deferred } from "../../src/deferred.js";
import { nextTurn } from "../../src/faults/fault-proxy.js";
import {
  callPost,
  enveloped,
  exchange,
  MODERN,
  modernPost,
  outcomeOf,
  post,
  refused,
} from "../../src/http/http-posts.js";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { verifies } from "../../src/verifies.js";

function acting(act: (context: ServerContext) => unknown): McpServer {
  const server = new McpServer({ name: "actor", version: "1.0.0", onError: () => {} });
  server.handle("acme/act", (_params, context) => act(context));
  return server;
}

const ACT = modernPost("acme/act", enveloped({}, { progressToken: "p" }));

verifies(
  ["hosting:http:modern:json-first", "hosting:http:modern:buffering"],
  "an answer is JSON, or the end of an unbuffered stream if something precedes it",
  async () => {
    await using plain = await hostHttp(acting(() => ({ a: 1 })));
    const json = await fetch(plain.url, ACT);
    expect(json.headers.get("content-type")).toBe("application/json");
    expect(await json.json()).toMatchObject({ id: 1, result: { a: 1 } });
    const released = deferred<void>();
    const server = acting(async (context) => {
      await context.progress(1);
      await released.promise;
      return {};
    });
    await using streaming = await hostHttp(server, { keepAliveMs: 10 });
    const stream = await fetch(streaming.url, ACT);
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    expect(stream.headers.get("x-accel-buffering")).toBe("no");
    expect(stream.headers.get("cache-control")).toContain("no-store");
    let text = "";
    for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.includes("\n:\n")) released.resolve();
    }
    const events = text.split("\n\n").filter((block) => block.startsWith("data: "));
    expect(events.map((block) => JSON.parse(block.slice(6)))).toMatchObject([
      { method: "notifications/progress", params: { progressToken: "p", progress: 1 } },
      { id: 1, result: {} },
    ]);
  },
);

verifies("hosting:http:modern:listen", "changes arrive as they happen, after the acknowledgment", async () => {
  const server = acting(() => ({}));
  server.tool("t", {}, () => "");
  await using host = await hostHttp(server, { shutdownGraceMs: 10_000 });
  const params = enveloped({ notifications: { toolsListChanged: true } });
  const { body } = await fetch(host.url, modernPost("subscriptions/listen", params, {}, "sub"));
  let text = "";
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (!text.includes("list_changed")) server.announce.toolsChanged();
    else void host.handle.close();
  }
  expect(text).toMatch(/subscriptions\/acknowledged[\s\S]*tools\/list_changed[\s\S]*"id":"sub","result"/);
});

verifies(
  "hosting:http:modern:isolated-ids",
  "modern requests with equal ids in parallel each get their own answer, whichever finishes first",
  async () => {
    const gates = [deferred<void>(), deferred<void>()];
    let arrived = 0;
    const server = acting(async () => {
      const turn = arrived++;
      if (arrived === 2) gates[1]?.resolve();
      await gates[turn]?.promise;
      gates[0]?.resolve();
      return { turn };
    });
    await using host = await hostHttp(server);
    const answers = await Promise.all([exchange(host.url, ACT), exchange(host.url, ACT)]);
    expect(new Set(answers.map(({ json }) => JSON.stringify(json?.result)))).toHaveProperty("size", 2);
    for (const { json } of answers) expect(json).toMatchObject({ id: 1 });
  },
);

verifies(
  ["hosting:http:modern:disconnect-aborts", "hosting:http:modern:posted-cancel"],
  "a client that closes its response aborts the handler, and a posted cancellation does not",
  async () => {
    const started = deferred<AbortSignal>();
    const late = vi.fn();
    const server = acting(async (context) => {
      await context.progress(1);
      started.resolve(context.signal);
      await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
      await context.notify("acme/late").catch(late);
      return {};
    });
    await using host = await hostHttp(server);
    const client = new AbortController();
    const response = await fetch(host.url, { ...ACT, signal: client.signal });
    const signal = await started.promise;
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    const posted = await fetch(host.url, post(cancel, { "mcp-protocol-version": MODERN }));
    expect([posted.status, await posted.text(), signal.aborted]).toEqual([202, "", false]);
    client.abort();
    await expect(response.text()).rejects.toThrow();
    await vi.waitFor(() => expect(late).toHaveBeenCalledOnce());
    expect(late.mock.lastCall?.[0]).toMatchObject({ code: "context-ended" });
  },
);

verifies(
  "hosting:http:modern:backpressure",
  "a slow reader holds up a handler that waits, and is cut off by a handler that does not",
  { judge: "not-written-down" },
  async () => {
    let sent = 0;
    const patient = acting(async (context) => {
      for (; sent < 10_000; sent += 1) await context.notify("acme/note", { text: "x".repeat(1_000) });
      return {};
    });
    const handler = createFetchHandler(patient);
    const slow = await handler(new Request("http://localhost/mcp", ACT));
    await vi.waitFor(() => expect(sent).toBeGreaterThan(10));
    expect(sent).toBeLessThan(1_000);
    expect((await slow.text()).match(/acme\/note/g)).toHaveLength(10_000);
    const signals: AbortSignal[] = [];
    const hasty = acting((context) => {
      signals.push(context.signal);
      for (let count = 0; count < 10_000; count += 1) void context.notify("acme/note", { text: "x".repeat(1_000) });
      return {};
    });
    await using host = await hostHttp(hasty);
    await expect(fetch(host.url, ACT).then((response) => response.text())).rejects.toThrow();
    expect(signals[0]?.aborted).toBe(true);
  },
);

verifies(
  "hosting:http:modern:backpressure",
  "a handler that waits for a slow reader over a socket loses no notification",
  async () => {
    let sent = 0;
    const server = acting(async (context) => {
      for (; sent < 2_000; sent += 1) await context.notify("acme/note", { text: "x".repeat(10_000) });
      return {};
    });
    await using host = await hostHttp(server);
    const slow = await fetch(host.url, ACT);
    await vi.waitFor(() => expect(sent).toBeGreaterThan(10));
    for (let before = 0; before !== sent; ) {
      before = sent;
      for (let turn = 0; turn < 50; turn += 1) await nextTurn();
    }
    expect(sent).toBeLessThan(2_000);
    expect((await slow.text()).match(/acme\/note/g)).toHaveLength(2_000);
  },
);

verifies(
  ["hosting:http:modern:notification-post-202", "hosting:http:modern:dropped-notifications"],
  "notifications of every kind are 202 and empty",
  async () => {
    const server = acting(() => ({}));
    const seen = vi.fn();
    for (const method of ["acme/note", "notifications/roots/list_changed"]) server.onNotification(method, seen);
    await using host = await hostHttp(server);
    const note = (method: string) =>
      exchange(host.url, post({ jsonrpc: "2.0", method }, { "mcp-protocol-version": MODERN }));
    expect(await note("acme/note")).toMatchObject({ status: 202, json: undefined });
    for (const dropped of ["notifications/initialized", "notifications/roots/list_changed"]) {
      expect(await note(dropped)).toMatchObject({ status: 202, json: undefined });
    }
    expect(seen).toHaveBeenCalledOnce();
  },
);

verifies(
  "hosting:http:notification-refused",
  "a notification of an unknown revision is 400, and one of an unknown session 404",
  async () => {
    await using host = await hostHttp(
      acting(() => ({})),
      { legacy: {} },
    );
    const note = (headers: Record<string, string>) =>
      exchange(host.url, post({ jsonrpc: "2.0", method: "acme/note" }, headers));

    expect(await note({ "mcp-protocol-version": "1999-01-01" })).toMatchObject({ status: 400 });
    const unknown = { "mcp-protocol-version": "2025-11-25", "mcp-session-id": "unknown" };
    expect(await note(unknown)).toMatchObject({ status: 404 });
  },
);

verifies(
  "hosting:http:modern:discover-response-shape",
  "discovery says what is spoken, and who speaks in _meta",
  async () => {
    await using host = await hostHttp(acting(() => ({})));
    const { status, json } = await exchange(host.url, modernPost("server/discover"));
    expect([status, json?.result]).toMatchObject([
      200,
      {
        resultType: "complete",
        supportedVersions: expect.arrayContaining([MODERN, "2025-11-25"]),
        capabilities: {},
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "actor" } },
      },
    ]);
    expect(json?.result).not.toHaveProperty("serverInfo");
  },
);

verifies(
  ["hosting:http:modern:initialize-removed", "hosting:http:modern:removed-method-status-404"],
  "methods that are unknown or gone are 404",
  async () => {
    await using host = await hostHttp(acting(() => ({})));
    for (const method of ["initialize", "ping", "logging/setLevel", "resources/subscribe", "acme/unknown"]) {
      expect(await exchange(host.url, modernPost(method))).toMatchObject(refused(404, -32601, 1));
    }
  },
);

verifies(
  "hosting:http:modern:unsupported-version-400",
  "an unknown revision is told which ones are known",
  async () => {
    await using host = await hostHttp(acting(() => ({})));
    const params = enveloped({}, { "io.modelcontextprotocol/protocolVersion": "v999.0.0" });
    const asked = modernPost("tools/list", params, { "mcp-protocol-version": "v999.0.0" });
    const { status, json } = await exchange(host.url, asked);
    const data = { requested: "v999.0.0", supported: expect.arrayContaining([MODERN]) };
    expect([status, json]).toMatchObject([400, { id: 1, error: { code: -32022, data } }]);
    const unnamed = modernPost("tools/list", {}, { "mcp-protocol-version": "v999.0.0" });
    const told = await exchange(host.url, unnamed);
    expect([told.status, told.json]).toMatchObject([400, { id: 1, error: { code: -32022, data } }]);
  },
);

verifies(
  "hosting:http:modern:served-revisions",
  "legacy revisions of the server are neither discovered nor named as supported",
  async () => {
    await using host = await hostHttp(
      acting(() => ({})),
      { legacy: false },
    );
    const supported = [MODERN];
    const discovered = await exchange(host.url, modernPost("server/discover"));
    expect(discovered.json).toMatchObject({ result: { supportedVersions: supported } });
    for (const requested of ["v999.0.0", "2025-11-25"]) {
      const headers = { "mcp-protocol-version": requested };
      const params = enveloped({}, { "io.modelcontextprotocol/protocolVersion": requested });
      for (const asked of [modernPost("tools/list", params, headers), modernPost("tools/list", {}, headers)]) {
        const { status, json } = await exchange(host.url, asked);
        expect([status, json]).toMatchObject([400, { error: { code: -32022, data: { supported, requested } } }]);
      }
    }
  },
);

verifies(
  "hosting:http:modern:envelope-missing-key-status-400",
  "a request that lacks its envelope is malformed",
  async () => {
    await using host = await hostHttp(acting(() => ({})));
    const without = (key: string) => enveloped({}, { [`io.modelcontextprotocol/${key}`]: undefined });
    for (const params of [{}, { _meta: {} }, without("protocolVersion"), without("clientCapabilities")]) {
      expect(await exchange(host.url, modernPost("tools/list", params))).toMatchObject(refused(400, -32602, 1));
      // Which a legacy client may send before anything else.
      expect(await exchange(host.url, modernPost("ping", params))).toMatchObject(refused(400, -32602, 1));
    }
  },
);

verifies(
  ["hosting:http:modern:missing-capability-400", "hosting:http:modern:handler-error-status-via-table"],
  "the code of an error decides the HTTP status, and its data is kept",
  async () => {
    let next: ProtocolError | undefined;
    const server = acting((context) => {
      if (next) throw next;
      context.requireCapabilities({ sampling: {} });
      return {};
    });
    await using host = await hostHttp(server);
    const act = () => exchange(host.url, ACT);
    const { status, json } = await act();
    const data = { requiredCapabilities: { sampling: {} } };
    expect([status, json?.error]).toMatchObject([400, { code: -32021, data }]);
    for (const [code, expected] of [
      [-32601, 404],
      [-32600, 400],
      [-32602, 200],
      [-32603, 200],
      [-31000, 200],
    ] as const) {
      next = new ProtocolError(code, "deliberate", { data: { why: code } });
      expect(await act()).toMatchObject({ status: expected, json: { id: 1, error: { code, data: { why: code } } } });
    }
  },
);

verifies(
  "hosting:http:modern:handler-exception-internal-error",
  "crashes and odd results are told to nobody outside",
  async () => {
    for (const act of [() => Promise.reject(new Error("secret")), () => ({ secret: 1n })]) {
      await using host = await hostHttp(acting(act));
      const { json } = await exchange(host.url, ACT);
      expect(json).toEqual({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "Internal error" } });
    }
  },
);

verifies(
  "hosting:http:shutdown",
  "closing lets requests finish and arrive, ends listens, and takes no more",
  async () => {
    const started = deferred<void>();
    const released = deferred<void>();
    const server = acting(async () => {
      started.resolve();
      await released.promise;
      return { text: "x".repeat(5_000_000) };
    });
    server.tool("t", {}, () => "");
    await using host = await hostHttp(server, { shutdownGraceMs: 10_000 });
    const running = fetch(host.url, ACT);
    const params = enveloped({ notifications: { toolsListChanged: true } });
    const listening = await fetch(host.url, modernPost("subscriptions/listen", params, {}, 2));
    await started.promise;
    const closed = host.handle.close();
    expect(await listening.text()).toContain('"id":2,"result"');
    released.resolve();
    expect((await outcomeOf(running)).json).toMatchObject({ id: 1, result: { resultType: "complete" } });
    await closed;
    await expect(fetch(host.url, callPost("t"))).rejects.toThrow();
  },
);
