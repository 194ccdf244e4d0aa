import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { hostHttp, type RawHttpClient } from "../../src/http/raw-http-client.js";
import { verifies } from "../../src/verifies.js";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

function echo(): McpServer {
  const server = new McpServer({ name: "echo", version: "1.0.0" });
  server.tool("who", {}, (_args, { clientInfo }) => clientInfo?.name ?? "");
  return server;
}

function post(client: RawHttpClient, address: string | undefined, body: unknown) {
  return client.send("POST", { "content-type": "application/json" }, body, new URL(address ?? "", client.url).href);
}

verifies(
  ["transport:sse:endpoint-event", "transport:sse:post:session-routing"],
  "the first event says where to post; what is posted is accepted and answered on that stream alone",
  async () => {
    const authenticate = (request: { header(name: string): string | undefined }) => ({
      principal: request.header("x-user"),
    });
    await using host = await hostHttp(echo(), { authenticate, legacy: { sse: true } });
    const [one, other] = [host.client(), host.client()];
    const sse = new URL("/sse", host.url).href;
    const [stream, others] = [await one.send("GET", {}, undefined, sse), await other.send("GET", {}, undefined, sse)];
    const [endpoint, otherEndpoint] = [await stream.event(), await others.event()];
    expect(endpoint).toEqual({ event: "endpoint", data: expect.stringMatching(/^\/messages\?sessionId=\S+$/) });
    expect(otherEndpoint?.data).not.toBe(endpoint?.data);

    const accepted = await post(one, endpoint?.data, ping);
    expect([accepted.status, await accepted.text()]).toEqual([202, ""]);
    expect(await stream.event()).toEqual({ event: "message", data: '{"jsonrpc":"2.0","id":1,"result":{}}' });

    expect((await post(one, "/messages", ping)).status).toBe(400);
    expect((await post(one, "/messages?sessionId=unknown", ping)).status).toBe(404);
    const thief = host.client({ headers: { "x-user": "mallory" } });
    expect((await post(thief, otherEndpoint?.data, ping)).status).toBe(404);
    await post(other, otherEndpoint?.data, { ...ping, id: 2 });
    expect(await others.message()).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
    expect((await one.send("POST", { "content-type": "application/json" }, ping, sse)).status).toBe(405);
    expect((await one.send("GET", { accept: "application/json" }, undefined, sse)).status).toBe(406);
    stream.disconnect();
    others.disconnect();
  },
);

verifies(
  "flow:compat:dual-transport-server",
  "clients of Streamable HTTP and of HTTP+SSE use one server at once",
  async () => {
    await using host = await hostHttp(echo(), { legacy: { sse: true } });
    const connect = (name: string, path: string) =>
      Client.connect(new URL(path, host.url), { name, version: "1.0.0", revision: "2025-11-25" });
    const [current, old] = await Promise.all([connect("current", "/mcp"), connect("old", "/sse")]);
    const [one, other] = await Promise.all([current.callTool("who"), old.callTool("who")]);
    expect([one.content, other.content]).toEqual([
      [{ type: "text", text: "current" }],
      [{ type: "text", text: "old" }],
    ]);
    await Promise.all([current.close(), old.close()]);
  },
);
