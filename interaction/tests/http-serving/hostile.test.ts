import { connect } from "node:net";
import { McpServer } from "parley-mcp/server";
import { expect, vi } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { callPost, enveloped, exchange, modernPost } from "../../src/http/http-posts.js";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { verifies } from "../../src/verifies.js";

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** A tool that waits for its end, and the signals of those that wait. */
function waiter() {
  const server = new McpServer({ name: "waiter", version: "1.0.0", onError: () => {} });
  const signals: AbortSignal[] = [];
  let started = deferred<AbortSignal>();
  server.tool("wait", {}, async (_args, { signal }) => {
    signals.push(signal);
    started.resolve(signal);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return "too late";
  });
  server.tool("greet", {}, () => "hello");
  const nextStart = async () => {
    const signal = await started.promise;
    started = deferred<AbortSignal>();
    return signal;
  };
  return { server, signals, nextStart };
}

verifies(
  "hosting:http:odd-ids",
  'requests with id 0, -7 and "" can each be cancelled, by a message or by closing the response',
  async () => {
    const { server, nextStart } = waiter();
    await using host = await hostHttp(server);
    const legacy = await host.client().open();
    for (const id of [0, -7, ""]) {
      const running = legacy.call(id, "wait");
      const signal = await nextStart();
      expect((await legacy.cancel(id)).status).toBe(202);
      expect([await (await running).messages(), signal.aborted]).toEqual([[], true]);

      const client = new AbortController();
      const sent = modernPost("tools/call", enveloped({ name: "wait" }), {}, id);
      const modern = fetch(host.url, { ...sent, signal: client.signal });
      const modernSignal = await nextStart();
      client.abort();
      await expect(modern).rejects.toThrow();
      await vi.waitFor(() => expect(modernSignal.aborted).toBe(true));
    }
  },
);

verifies(
  "hosting:http:hostile-names",
  "names of Object members are -32602 as unknown tools and prompts to legacy clients as well",
  async () => {
    const { server } = waiter();
    server.prompt("hello", {}, () => "hello");
    await using host = await hostHttp(server);
    const client = await host.client().open();
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      for (const method of ["tools/call", "prompts/get"]) {
        expect(await (await client.request(1, method, { name })).json()).toMatchObject({
          id: 1,
          error: { code: -32602 },
        });
      }
    }
  },
);

verifies(
  "hosting:http:cancelled-nothing",
  "cancellations that name nothing are 202, and a call that runs meanwhile and the next one are answered",
  async () => {
    const { server, signals } = waiter();
    const released = deferred<void>();
    server.tool("slow", {}, async (_args, { signal }) => {
      signals.push(signal);
      await released.promise;
      return "done";
    });
    await using host = await hostHttp(server);
    const client = await host.client().open();
    expect(await (await client.call(1, "greet")).json()).toMatchObject({ id: 1, result: {} });
    const running = client.call(2, "slow");
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    for (const requestId of [1, 99, "unknown", null, { id: 2 }, undefined]) {
      const cancelled = await client.notify("notifications/cancelled", { requestId });
      expect([cancelled.status, await cancelled.text()]).toEqual([202, ""]);
    }
    released.resolve();
    expect(await (await running).json()).toMatchObject({ id: 2, result: { content: [{ text: "done" }] } });
    expect(await (await client.call(3, "greet")).json()).toMatchObject({ id: 3, result: {} });
    expect(signals[0]?.aborted).toBe(false);
  },
);

verifies(
  "hosting:http:cancellation-flood",
  "the first of 257 cancellations of unknown requests is forgotten, and the last is not",
  async () => {
    const { server } = waiter();
    await using host = await hostHttp(server, { legacy: { sse: true } });
    const client = await host.client().open();
    for (let id = 1; id <= 257; id += 1) await client.cancel(id);
    await client.cancel("x".repeat(1_000));
    expect(await (await client.call("x".repeat(1_000), "greet")).json()).toMatchObject({ result: {} });
    expect(await (await client.call(1, "greet")).json()).toMatchObject({ id: 1, result: {} });
    expect(await (await client.call(257, "greet")).messages()).toEqual([]);
  },
);

verifies(
  "hosting:http:legacy-crash",
  "crashes and results that are no JSON are an opaque -32603 with sessions, without, and over HTTP+SSE",
  async () => {
    const server = new McpServer({ name: "crashing", version: "1.0.0", onError: () => {} });
    server.handle("acme/throw", () => Promise.reject(new Error("secret")));
    server.handle("acme/odd", () => ({ secret: 1n }));
    const answer = (id: number) => ({ jsonrpc: "2.0", id, error: { code: -32603, message: "Internal error" } });
    await using host = await hostHttp(server, { legacy: { sse: true } });
    await using stateless = await hostHttp(server, { legacy: { stateless: true } });
    const inSession = await host.client().open();
    const sse = host.client();
    const stream = await sse.send("GET", {}, undefined, new URL("/sse", host.url).href);
    const address = new URL((await stream.event())?.data ?? "", host.url).href;
    const say = (message: object) => sse.send("POST", { "content-type": "application/json" }, message, address);
    const clientInfo = { name: "raw", version: "1.0.0" };
    const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo };
    await say({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    expect(await stream.message()).toMatchObject({ id: 0, result: {} });
    for (const [id, method] of ["acme/throw", "acme/odd"].entries()) {
      expect(await (await inSession.request(id, method)).json()).toEqual(answer(id));
      expect(await (await stateless.client().request(id, method)).json()).toEqual(answer(id));
      expect((await say({ jsonrpc: "2.0", id, method })).status).toBe(202);
      expect(await stream.message()).toEqual(answer(id));
    }
    stream.disconnect();
  },
);

verifies(
  "hosting:http:modern:state-refused",
  "a changed or late state, or one for another tool or argument, is -32602, and the handler does not run",
  async () => {
    let now = 0;
    const runs: string[] = [];
    const server = new McpServer({
      name: "asker",
      version: "1.0.0",
      requestState: { ttlMs: 1_000, now: () => now },
    });
    for (const name of ["ask", "other"]) {
      server.tool(name, { input: z.object({ about: z.string() }) }, async (_args, context) => {
        runs.push(name);
        const { action } = await context.elicit({ message: "Sure?", schema: z.object({}) }, { key: "it" });
        return action;
      });
    }
    await using host = await hostHttp(server);
    const call = async (name: string, about: string, more = {}) => {
      const params = enveloped({ name, arguments: { about }, ...more }, { [CAPABILITIES]: { elicitation: {} } });
      return (await exchange(host.url, modernPost("tools/call", params))).json;
    };
    const asked = await call("ask", "a");
    const { requestState } = z.object({ requestState: z.string() }).parse(asked?.result);
    const answered = { requestState, inputResponses: { it: { action: "accept", content: {} } } };
    const changed = `${requestState.slice(0, -2)}${requestState.endsWith("AA") ? "BB" : "AA"}`;
    runs.length = 0;
    for (const refusedCall of [
      call("ask", "a", { ...answered, requestState: changed }),
      call("ask", "a", { ...answered, requestState: "" }),
      call("ask", "b", answered),
      call("other", "a", answered),
    ]) {
      expect(await refusedCall).toMatchObject({ id: 1, error: { code: -32602 } });
    }
    now = 1_000;
    expect(await call("ask", "a", answered)).toMatchObject({ error: { code: -32602 } });
    expect(runs).toEqual([]);
    now = 999;
    expect(await call("ask", "a", answered)).toMatchObject({ result: { content: [{ text: "accept" }] } });
  },
);

/** All that a server says to a client that goes on sending after the server has closed its own direction. */
function exchangeHalfOpen(port: number, head: string, more: string): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      received += chunk;
    });
    let sending: ReturnType<typeof setInterval> | undefined;
    socket.on("end", () => {
      socket.write(more);
      // Only who sends gets to know that nobody listens any more.
      sending = setInterval(() => socket.write(" "), 20);
    });
    socket
      .on("error", () => {})
      .on("close", () => {
        clearInterval(sending);
        resolve(received);
      });
    socket.write(head);
  });
}

verifies(
  "hosting:http:body-limit",
  "bytes after a refused body are not served, and a client that goes on sending is cut off",
  async () => {
    const { server } = waiter();
    const calls = vi.fn();
    server.onNotification("acme/note", calls);
    await using host = await hostHttp(server, { maxBodyBytes: 1_000 });
    const head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: */*\r\n";
    const note = '{"jsonrpc":"2.0","method":"acme/note"}';
    const next = `${head}mcp-protocol-version: 2026-07-28\r\ncontent-length: ${note.length}\r\n\r\n${note}`;
    const refused = `${head}content-length: 2000\r\n\r\n`;
    const [followed, unfinished] = await Promise.all(
      [`${" ".repeat(2_000)}${next}`, " "].map((more) => exchangeHalfOpen(host.handle.port, refused, more)),
    );
    for (const said of [followed, unfinished]) expect(said?.match(/^HTTP\/1.1 \d+/gm)).toEqual(["HTTP/1.1 413"]);
    expect(calls).not.toHaveBeenCalled();
    expect((await fetch(host.url, callPost("greet"))).status).toBe(200);
  },
);
