import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "parley-mcp/client";
import { Agent } from "undici";
import { expect, vi } from "vitest";
import { connectLegacy, connectModern, RawHttpServer } from "../../src/http/raw-http-server.js";
import { TunnelProxy } from "../../src/http/tunnel-proxy.js";
import { verifies } from "../../src/verifies.js";
import { openLog } from "../../src/wire-log.js";

const CALL_RESULT = { resultType: "complete", content: [] };

verifies(
  "client-transport:http:custom-headers",
  "headers of the connection go with every verb, asked for anew each time, and never above the protocol's",
  async () => {
    await using server = await RawHttpServer.start(["GET", "DELETE"]);
    let turn = 0;
    const headers = async () => ({ Authorization: `Bearer ${++turn}`, "Mcp-Session-Id": "mine", Accept: "text/html" });
    const { client } = await connectLegacy(server, { http: { headers } });
    (await server.next()).respond(405);
    const closing = client.close();
    (await server.next()).respond(204);
    await closing;

    const seen = server.calls.map((call) => [call.verb, call.header("authorization"), call.header("mcp-session-id")]);
    expect(seen).toEqual([
      ["POST", "Bearer 1", "mine"],
      ["POST", "Bearer 2", "session-1"],
      ["GET", "Bearer 3", "session-1"],
      ["DELETE", "Bearer 4", "session-1"],
    ]);
    expect(server.calls[0]?.header("accept")).toBe("application/json, text/event-stream");
  },
);

verifies(
  "client-transport:http:custom-fetch",
  "a fetch of the application's own makes all HTTP requests of the connection",
  async () => {
    const seen: string[] = [];
    const log = openLog("client", "2025-11-25");
    const fetch = async (url: URL, init: { method: string; body?: string }) => {
      const message = init.body === undefined ? undefined : JSON.parse(init.body);
      log.note("client", message);
      seen.push([init.method, url.href, message?.method].filter(Boolean).join(" "));
      if (init.method !== "POST") return new Response(null, { status: 405 });
      if (message.id === undefined) return new Response(null, { status: 202 });
      const result = {
        protocolVersion: "2025-11-25",
        capabilities: {},
        serverInfo: { name: "raw", version: "1.0.0" },
      };
      return Response.json({ jsonrpc: "2.0", id: message.id, result }, { headers: { "mcp-session-id": "s" } });
    };
    const url = "http://nowhere.invalid/mcp";
    const client = await Client.connect({ url, fetch }, { name: "c", version: "1", revision: "2025-11-25" });
    await client.close();

    expect(seen).toEqual([
      `POST ${url} initialize`,
      `POST ${url} notifications/initialized`,
      `GET ${url}`,
      `DELETE ${url}`,
    ]);
  },
);

verifies(
  "client-transport:http:dispatcher",
  "a dispatcher of the application's own makes the connections to the server",
  async () => {
    await using server = await RawHttpServer.start();
    const agent = new Agent();
    const dispatch = vi.spyOn(agent, "dispatch");
    const { client } = await connectModern(server, { http: { dispatcher: agent } });
    const calling = client.callTool("t");
    (await server.next()).result(CALL_RESULT);
    await calling;
    await client.close();
    await agent.close();

    expect(dispatch).toHaveBeenCalledWith(expect.objectContaining({ method: "POST", path: "/mcp" }), expect.anything());
  },
);

/** A program that calls a tool of the server at `url`, with these variables in its environment. Resolves with its output. */
async function runCaller(url: string, variables: Readonly<Record<string, string>>): Promise<string> {
  const program = fileURLToPath(new URL("../../programs/http-caller.js", import.meta.url));
  const env = { PATH: process.env.PATH, ...variables };
  const { stdout } = await promisify(execFile)(process.execPath, [program, url], { env, timeout: 60_000 });
  return stdout;
}

verifies(
  "client-transport:http:proxy",
  "calls go through the proxy that HTTP_PROXY names, except to hosts that NO_PROXY names",
  async () => {
    await using server = await RawHttpServer.start();
    const { port } = new URL(server.url);
    await using proxy = await TunnelProxy.start(Number(port));
    const proxied = runCaller("http://mcp.example/mcp", { HTTP_PROXY: proxy.url });
    (await server.next()).result({ ...CALL_RESULT, structuredContent: { by: "the proxy" } });
    expect(await proxied).toContain('{"by":"the proxy"}');
    const direct = runCaller("http://mcp.localhost/mcp", { HTTP_PROXY: proxy.url, NO_PROXY: ".localhost" });

    await expect(direct).rejects.toThrow("mcp.localhost");
    expect(proxy.tunnels).toEqual(["mcp.example:80"]);
  },
);

verifies(
  "client-transport:http:proxy-loopback",
  "a server on the same machine is called without the proxy that the environment names",
  async () => {
    await using server = await RawHttpServer.start();
    await using proxy = await TunnelProxy.start(1);
    const calling = runCaller(server.url, { HTTP_PROXY: proxy.url, https_proxy: proxy.url });
    (await server.next()).result({ ...CALL_RESULT, structuredContent: { by: "itself" } });

    expect(await calling).toContain('{"by":"itself"}');
    await expect(runCaller("http://127.0.0.2:1/mcp", { HTTP_PROXY: proxy.url })).rejects.toThrow("127.0.0.2");
    expect(proxy.tunnels).toEqual([]);
  },
);

verifies("client-transport:http:connection-reused", "calls that follow each other go over one connection", async () => {
  await using server = await RawHttpServer.start();
  const { client } = await connectModern(server);
  for (let turn = 0; turn < 3; turn++) {
    const called = client.callTool("quick");
    (await server.next()).result(CALL_RESULT);
    await called;
  }

  expect(server.sockets).toHaveLength(1);
  await client.close();
});

verifies(
  "client-transport:http:connection-closed",
  "calls succeed although the server closes each connection after its answer",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server);
    for (let turn = 0; turn < 3; turn++) {
      const called = client.callTool("quick");
      (await server.next()).result(CALL_RESULT);
      await called;
      server.sockets.at(-1)?.destroy();
      await new Promise((resolve) => process.nextTick(resolve));
    }

    expect(server.sockets).toHaveLength(3);
    await client.close();
  },
);

verifies(
  "client-transport:http:redirects",
  "a redirect that keeps method and origin is followed; any other is an error that names its target",
  async () => {
    await using server = await RawHttpServer.start();
    await using other = await RawHttpServer.start();
    const { client } = await connectModern(server);
    const followed = client.callTool("quick");
    (await server.next()).respond(307, { location: "/mcp/" });
    const again = await server.next();
    again.result(CALL_RESULT);
    await followed;
    expect([again.path, again.message?.method]).toEqual(["/mcp/", "tools/call"]);
    const refused = client.callTool("quick");
    (await server.next()).respond(307, { location: other.url });

    await expect(refused).rejects.toMatchObject({ status: 307, message: expect.stringContaining(other.url) });
    expect(other.calls).toEqual([]);
    await client.close();
  },
);

verifies(
  "client-transport:http:unusable-url",
  "a URL that is none, is not http(s), or carries credentials is refused before anything is sent",
  async () => {
    for (const url of ["/mcp", "ftp://localhost/mcp", "http://user:secret@localhost/mcp"]) {
      const error = await Client.connect(url, { name: "c", version: "1" }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "invalid-argument", message: expect.not.stringContaining("secret") });
    }
  },
);

const TOOL = {
  name: "query",
  inputSchema: {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      limit: { type: "integer", "x-mcp-header": "Limit" },
      dry: { type: "boolean", "x-mcp-header": "Dry" },
      where: { type: "object", properties: { zone: { type: "string", "x-mcp-header": "Zone" } } },
      sql: { type: "string" },
    },
  },
};
const BAD_TOOL = {
  name: "bad",
  inputSchema: { type: "object", properties: { a: { type: "number", "x-mcp-header": "A" } } },
};
const toolList = (...tools: unknown[]) => ({ resultType: "complete", tools, ttlMs: 0, cacheScope: "private" });

verifies(
  "client-transport:http:custom-param-headers",
  "annotated arguments are repeated in headers, encoded, and absent or null ones are not",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server);
    const listed = client.listTools();
    (await server.next()).result(toolList(TOOL));
    await listed;
    const called = client.callTool("query", { region: " eu ", limit: 7, dry: null, where: { zone: "b" }, sql: "x" });
    const call = await server.next();
    call.result(CALL_RESULT);
    await called;

    const names = ["region", "limit", "dry", "zone", "sql"];
    expect(names.map((name) => call.header(`mcp-param-${name}`))).toEqual([
      "=?base64?IGV1IA==?=",
      "7",
      undefined,
      "b",
      undefined,
    ]);
    await client.close();
  },
);

verifies(
  "client-transport:http:bad-header-annotation",
  "a tool with a bad annotation is left out of the list with a warning that names it; the others stay",
  async () => {
    await using server = await RawHttpServer.start();
    const { client, errors } = await connectModern(server);
    const listed = client.listTools();
    (await server.next()).result(toolList(BAD_TOOL, TOOL));

    expect((await listed).tools.map(({ name }) => name)).toEqual(["query"]);
    expect(errors).toMatchObject([{ message: expect.stringContaining('"bad"') }]);
    await client.close();
  },
);

verifies(
  "client-transport:http:header-mismatch-refreshes",
  "a call refused for its headers is made again, once, with those of the tool's newest definition",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server);
    const called = client.callTool("query", { region: "eu" });
    const first = await server.next();
    first.json({ jsonrpc: "2.0", id: first.message?.id, error: { code: -32020, message: "Header mismatch" } }, 400);
    (await server.next()).result(toolList(TOOL));
    const second = await server.next();
    second.result(CALL_RESULT);
    await called;

    expect([first, second].map((call) => call.header("mcp-param-region"))).toEqual([undefined, "eu"]);
    expect(server.log).toEqual(["POST tools/call", "POST tools/list", "POST tools/call"]);
    await client.close();
  },
);
