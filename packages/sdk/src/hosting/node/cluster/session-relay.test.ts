/** Two servers in one process, as two workers: requests of a session reach the server that has it. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { Client } from "../../../client/client.js";
import { McpServer } from "../../../server/mcp-server.js";
import { type HttpServerHandle, type ServeHttpOptions, serveHttp } from "../serve-http.js";
import { sessionIdPrefix, WorkerRelay } from "./session-relay.js";

let folder: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-relay-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface OpenedWorker extends HttpServerHandle {
  readonly prefix: string;
  readonly aborted: Promise<void>;
}

async function openWorker(options: ServeHttpOptions = {}): Promise<OpenedWorker> {
  count += 1;
  const name = `worker-${count}`;
  const prefix = sessionIdPrefix(count);
  const server = new McpServer({ name, version: "1.0.0" });
  let abort: () => void = () => undefined;
  const aborted = new Promise<void>((resolve) => {
    abort = resolve;
  });
  server.tool("who", (_args, { caller }) => `${name} for ${caller?.address}`);
  server.tool("count", async (_args, context) => {
    await context.progress(1, 2, "one");
    return name;
  });
  server.tool("hang", (_args, { signal }) => {
    signal.addEventListener("abort", () => abort());
    return new Promise<string>(() => undefined);
  });
  const sessionRelay = new WorkerRelay(folder, prefix);
  const legacy = { sessionIdPrefix: prefix, ...options.legacy };
  const handle = await serveHttp(server, { shutdownGraceMs: 0, ...options, sessionRelay, legacy });
  onTestFinished(() => handle.close());
  return { ...handle, prefix, aborted };
}

const HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2025-11-25",
};
const call = (name: string, _meta = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, _meta } });

/** Opens a session at a worker, and returns its id. */
async function openSession({ url }: HttpServerHandle): Promise<string> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const response = await fetch(url, { method: "POST", headers: HEADERS, body });
  const id = response.headers.get("mcp-session-id") ?? "";
  const initialized = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
  await fetch(url, { method: "POST", headers: { ...HEADERS, "mcp-session-id": id }, body: initialized });
  return id;
}

function post({ url }: HttpServerHandle, id: string, body: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { method: "POST", headers: { ...HEADERS, "mcp-session-id": id, ...init.headers }, body, ...init });
}

describe("a request of a session", () => {
  it("is served by the worker that has the session, for the address of the client", async () => {
    const [first, second] = [await openWorker(), await openWorker()];
    const id = await openSession(first);
    expect(id.slice(0, 4)).toBe(first.prefix);
    const name = `worker-${Number.parseInt(first.prefix, 16)}`;
    expect(await (await post(first, id, call("who"))).text()).toContain(`${name} for 127.0.0.1`);
    expect(await (await post(second, id, call("who"))).text()).toContain(`${name} for 127.0.0.1`);
  });

  it("cannot choose the address that counts", async () => {
    const [first, second] = [await openWorker(), await openWorker()];
    const id = await openSession(first);
    const headers = { ...HEADERS, "mcp-session-id": id, "parley-client-address": "10.0.0.1" };
    for (const { url } of [first, second]) {
      const answer = await fetch(url, { method: "POST", headers, body: call("who") });
      expect(await answer.text()).toContain("for 127.0.0.1");
    }
  });

  it("for a foreign host is refused, whatever worker its session id names", async () => {
    const [first, second] = [await openWorker(), await openWorker()];
    const id = await openSession(first);
    for (const { port } of [first, second]) {
      const headers = { ...HEADERS, host: "evil.example", "mcp-session-id": id };
      const request = httpRequest({ port, path: "/mcp", method: "POST", headers });
      const [response] = (await once(request.end(call("who")), "response")) as [IncomingMessage];
      response.resume();
      expect(response.statusCode).toBe(403);
    }
  });

  it("counts for the address that the program names", async () => {
    const clientAddress = (request: { readonly headers: NodeJS.Dict<string | string[]> }) =>
      String(request.headers["x-real-ip"]);
    const [first, second] = [await openWorker({ clientAddress }), await openWorker({ clientAddress })];
    const id = await openSession(first);
    const headers = { ...HEADERS, "mcp-session-id": id, "x-real-ip": "10.0.0.7" };
    const answer = await fetch(second.url, { method: "POST", headers, body: call("who") });
    expect(await answer.text()).toContain("for 10.0.0.7");
  });

  it("gets its stream, and its messages as they come", async () => {
    const [first, second] = [await openWorker(), await openWorker()];
    const id = await openSession(first);
    const answer = await post(second, id, call("count", { progressToken: 1 }));
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    const text = await answer.text();
    expect(text.indexOf("one")).toBeGreaterThan(0);
    expect(text.indexOf("one")).toBeLessThan(text.indexOf("result"));
  });

  it("opens the event stream of the session, and ends with it", async () => {
    const [first, second] = [await openWorker(), await openWorker()];
    const id = await openSession(first);
    const headers = { accept: "text/event-stream", "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
    const stream = await fetch(second.url, { headers });
    expect(stream.status).toBe(200);
    expect((await fetch(second.url, { method: "DELETE", headers })).status).toBeLessThan(300);
    await stream.text();
    expect((await post(first, id, call("who"))).status).toBe(404);
  });

  it("is cancelled in the worker of the session", async () => {
    const [first, second] = [await openWorker(), await openWorker()];
    const id = await openSession(first);
    const hanging = post(second, id, call("hang"));
    const cancel = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await vi.waitFor(async () => {
      await post(second, id, cancel);
      await Promise.race([first.aborted, Promise.reject(new Error("not yet"))]);
    });
    await hanging;
  });

  it("is answered 404 if the worker of the session has ended", async () => {
    const [first, second] = [await openWorker(), await openWorker()];
    const id = await openSession(first);
    await first.close();
    expect((await post(second, id, call("who"))).status).toBe(404);
  });

  it("loses its connection if the worker of the session ends meanwhile", async () => {
    const [first, second] = [await openWorker(), await openWorker()];
    const id = await openSession(first);
    const headers = { accept: "text/event-stream", "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
    const stream = await fetch(second.url, { headers });
    const hanging = post(second, id, call("hang")).then((answer) => answer.text());
    await first.close();
    await Promise.allSettled([stream.text(), hanging]);
    expect((await post(second, id, call("who"))).status).toBe(404);
  });

  it("ends in the worker of the session if its client goes away", async () => {
    const [first, second] = [await openWorker(), await openWorker()];
    const id = await openSession(first);
    const { port } = second;
    const headers = { ...HEADERS, "mcp-session-id": id, "transfer-encoding": "chunked" };
    const unfinished = httpRequest({ port, path: "/mcp", method: "POST", headers });
    unfinished.on("error", () => undefined);
    unfinished.write('{"jsonrpc":"2.0",');
    await post(second, id, call("who"));
    unfinished.destroy();
    expect((await post(second, id, call("who"))).status).toBe(200);
  });

  it("reaches its worker over HTTP+SSE as well", async () => {
    const legacy = { sse: true };
    const [first, second] = [await openWorker({ legacy }), await openWorker({ legacy })];
    const stream = await fetch(new URL("/sse", first.url), { headers: { accept: "text/event-stream" } });
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    const { value } = await reader.read();
    const path = /data: (\S+)/.exec(new TextDecoder().decode(value))?.[1] ?? "";
    const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const answer = await fetch(new URL(path, second.url), { method: "POST", headers: HEADERS, body: ping });
    expect(answer.status).toBe(202);
    await reader.cancel();
  });
});

describe("a request without a session of another worker", () => {
  it("is served where it arrives", async () => {
    const worker = await openWorker();
    const client = await Client.connect(worker.url, { name: "cli", version: "1.0.0" });
    expect((await client.callTool("count")).content).toMatchObject([{ text: expect.stringContaining("worker-") }]);
    await client.close();
    for (const id of ["", "zz", "not-hexadecimal"]) {
      expect((await post(worker, id, call("who"))).status).toBeGreaterThanOrEqual(400);
    }
  });
});

it("an id prefix has four hexadecimal digits", async () => {
  const server = new McpServer({ name: "studio", version: "1.0.0" });
  await expect(serveHttp(server, { legacy: { sessionIdPrefix: "xyz" } })).rejects.toThrow(
    "sessionIdPrefix: expected four",
  );
});

it("a relay is closed if the server cannot listen", async () => {
  const worker = await openWorker();
  const server = new McpServer({ name: "studio", version: "1.0.0" });
  const relay = () => new WorkerRelay(folder, "ffff");
  await expect(serveHttp(server, { port: worker.port, sessionRelay: relay() })).rejects.toThrow("EADDRINUSE");
  const again = await serveHttp(server, { sessionRelay: relay() });
  await again.close();
});
