import { McpServer } from "parley-mcp/server";
import type { JsonRpcMessage } from "parley-mcp/testing";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";
import { messagesOf } from "../../src/wire-log.js";

/** The ids of the requests among the messages, in order. */
const requestIds = (messages: readonly JsonRpcMessage[]) =>
  messages.flatMap((message) => ("method" in message && "id" in message ? [message.id] : []));

/** An answer to something without a readable id. */
const invalidRequest = { jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) } };

verifies(
  "protocol:request-id:unique",
  "no id is used twice on a connection, not even one that a caller chose before the client came to it",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "echo", version: "1.0.0" });
    server.handle("acme/echo", () => ({}));

    const first = await connect(server);
    for (let sent = 0; sent < 4; sent += 1) await first.request("acme/echo");
    const usual = requestIds(wire.from("client"));
    const second = await connect(server);
    await second.request("acme/echo", {}, { id: usual.at(-1) ?? 0 });
    await Promise.all([1, 2, 3, 4].map(() => second.request("acme/echo")));

    const unusual = requestIds((wire.connections[1]?.entries ?? []).flatMap(messagesOf));
    expect(usual).toHaveLength(5);
    expect(unusual).toHaveLength(6);
    for (const ids of [usual, unusual]) {
      expect(new Set(ids.map(String)).size).toBe(ids.length);
      for (const id of ids) expect(typeof id === "string" || Number.isSafeInteger(id)).toBe(true);
    }
  },
);

verifies(
  "protocol:request-id:verbatim",
  "results and errors come back under the very id that was sent",
  async ({ openClient, params }) => {
    const server = new McpServer({ name: "echo", version: "1.0.0" });
    server.handle("acme/echo", () => ({}));
    const peer = await openClient(server);

    const ids = [7, "7", "007", "7.0", " 7", "ünï/1", "__proto__", Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
    for (const id of ids) {
      await peer.send({ jsonrpc: "2.0", id, method: "acme/echo", params: params() });
      expect(await peer.receive()).toStrictEqual({ jsonrpc: "2.0", id, result: expect.any(Object) });
      await peer.send({ jsonrpc: "2.0", id, method: "acme/unknown", params: params() });
      expect(await peer.receive()).toMatchObject({ id, error: { code: -32601 } });
    }
  },
);

verifies(
  "protocol:request-id:unusual",
  'requests under 0, -1 and "" are answered, and aborted when they are cancelled',
  async ({ openClient, params }) => {
    const server = new McpServer({ name: "slow", version: "1.0.0" });
    server.handle("acme/echo", () => ({ served: true }));
    server.handle("acme/wait", (_params, { signal, requestId }) => {
      waiting.resolve();
      return new Promise(() => signal.addEventListener("abort", () => aborted.resolve(requestId)));
    });
    const peer = await openClient(server);
    let waiting = deferred();
    let aborted = deferred<unknown>();

    for (const id of [0, -1, ""]) {
      waiting = deferred();
      aborted = deferred();
      expect(await peer.request(id, "acme/echo", params())).toMatchObject({ id, result: { served: true } });

      await peer.send({ jsonrpc: "2.0", id, method: "acme/wait", params: params() });
      await waiting.promise;
      await peer.notify("notifications/cancelled", { requestId: id });
      expect(await aborted.promise).toBe(id);
    }
    expect(await peer.drain()).toEqual([]);
  },
);

verifies(
  "protocol:request-id:refused",
  "an id that is null, fractional or no scalar is refused without an id, and the next request is served",
  async ({ openClient, params }) => {
    const reported: Error[] = [];
    const server = new McpServer({ name: "strict", version: "1.0.0", onError: (error) => void reported.push(error) });
    server.handle("acme/echo", () => {
      served += 1;
      return {};
    });
    let served = 0;
    const peer = await openClient(server);

    const ids = [null, 1.5, true, {}, [1]];
    for (const id of ids) {
      await peer.send({ jsonrpc: "2.0", id, method: "acme/echo", params: params() });
      expect(await peer.receive()).toStrictEqual(invalidRequest);
    }

    expect(served).toBe(0);
    expect(reported).toHaveLength(ids.length);
    expect(await peer.request(1, "acme/echo", params())).toMatchObject({ id: 1, result: {} });
  },
);

verifies(
  "protocol:request-id:too-large",
  "an integer beyond 2^53 is refused instead of being answered under its neighbor",
  async ({ openClient, params }) => {
    const server = new McpServer({ name: "strict", version: "1.0.0", onError: () => undefined });
    server.handle("acme/echo", () => {
      throw new Error("must not run");
    });
    const peer = await openClient(server);

    const own = JSON.stringify(params());
    for (const id of ["9007199254740993", "-9007199254740993", "1e300"]) {
      await peer.sendText(`{"jsonrpc":"2.0","id":${id},"method":"acme/echo","params":${own}}`);
      expect(await peer.receive()).toStrictEqual(invalidRequest);
    }
  },
);

verifies(
  "protocol:request-id:caller-supplied",
  "calls and plain requests go out under the ids their callers chose",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "echo", version: "1.0.0" });
    server.tool("echo", {}, (_args, { requestId }) => JSON.stringify(requestId));
    server.handle("acme/echo", (_params, { requestId }) => ({ requestId }));
    const client = await connect(server);

    const call = await client.callTool("echo", {}, { id: "order/66" });
    const request = await client.request("acme/echo", {}, { id: -3 });

    expect(call.content).toEqual([{ type: "text", text: '"order/66"' }]);
    expect(request.requestId).toBe(-3);
    expect(requestIds(wire.from("client")).slice(-2)).toEqual(["order/66", -3]);
  },
);

verifies(
  "protocol:request-id:collision",
  'a call under id "7" is refused and not sent while 7 is pending, and goes out as a string afterwards',
  async ({ connect, wire }) => {
    const finished = deferred<object>();
    const server = new McpServer({ name: "slow", version: "1.0.0" });
    server.handle("acme/wait", () => finished.promise);
    const client = await connect(server);

    const first = client.request("acme/wait", {}, { id: 7 });
    await expect(client.request("acme/wait", {}, { id: "7" })).rejects.toMatchObject({
      name: "SdkError",
      code: "request-id-in-use",
      message: expect.stringContaining('"7"'),
    });
    finished.resolve({ done: true });
    expect(await first).toMatchObject({ done: true });
    expect(await client.request("acme/wait", {}, { id: "7" })).toMatchObject({ done: true });

    expect(requestIds(wire.from("client")).slice(-2)).toEqual([7, "7"]);
  },
);

verifies(
  "protocol:request-id:used-before",
  "an id that a caller or the client itself has used is refused, whether its request is pending or was answered",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "echo", version: "1.0.0" });
    server.handle("acme/echo", () => ({}));
    const client = await connect(server);
    const own = requestIds(wire.from("client")).at(-1);
    const pending = client.request("acme/echo", {}, { id: "mine" });

    for (const id of ["mine", own]) {
      await expect(client.request("acme/echo", {}, { id: id ?? "" })).rejects.toMatchObject({
        code: "request-id-in-use",
        message: expect.stringContaining(JSON.stringify(id)),
      });
    }
    await pending;
    await expect(client.request("acme/echo", {}, { id: "mine" })).rejects.toMatchObject({ code: "request-id-in-use" });
    await client.request("acme/echo", {}, { id: "other" });
    expect(requestIds(wire.from("client")).slice(-2)).toEqual(["mine", "other"]);
  },
);

verifies(
  "protocol:request-id:duplicate-in-flight",
  "the second request under an id in flight is refused, and the first gets its own answer",
  async ({ openClient, params }) => {
    const finished = deferred<object>();
    const server = new McpServer({ name: "slow", version: "1.0.0" });
    server.handle("acme/wait", () => finished.promise);
    server.handle("acme/never", () => {
      throw new Error("must not run");
    });
    const peer = await openClient(server);

    await peer.send({ jsonrpc: "2.0", id: 1, method: "acme/wait", params: params() });
    await peer.send({ jsonrpc: "2.0", id: 1, method: "acme/never", params: params() });
    expect(await peer.receive()).toMatchObject({ id: 1, error: { code: -32600 } });
    finished.resolve({ from: "first" });
    expect(await peer.receive()).toMatchObject({ id: 1, result: { from: "first" } });

    expect(await peer.request(1, "acme/wait", params())).toMatchObject({ id: 1, result: { from: "first" } });
  },
);

verifies(
  "protocol:request-id:per-connection",
  "two clients use one id at a time, and each gets its own answer",
  async ({ openClient, params }) => {
    const started = [deferred(), deferred()];
    const finished = [deferred(), deferred()];
    const server = new McpServer({ name: "slow", version: "1.0.0" });
    server.handle("acme/wait", async ({ turn }) => {
      started[Number(turn)]?.resolve();
      await finished[Number(turn)]?.promise;
      return { turn };
    });
    const peers = [await openClient(server), await openClient(server)] as const;

    for (const [turn, peer] of peers.entries()) {
      await peer.send({ jsonrpc: "2.0", id: 1, method: "acme/wait", params: params({ turn }) });
      await started[turn]?.promise;
    }
    finished[1]?.resolve();
    expect(await peers[1].receive()).toMatchObject({ id: 1, result: { turn: 1 } });
    expect(await peers[0].drain()).toEqual([]);
    finished[0]?.resolve();
    expect(await peers[0].receive()).toMatchObject({ id: 1, result: { turn: 0 } });
  },
);
