import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "parley-mcp/client";
import { createNodeHandler, type ServeHttpOptions, serveHttp } from "parley-mcp/node";
import { type ProtectedResourceOptions, protectedResource } from "parley-mcp/oauth/resource";
import { McpServer } from "parley-mcp/server";
import { serveTasks } from "parley-mcp/tasks";
import type { JsonObject } from "parley-mcp/types";
import { createFetchHandler } from "parley-mcp/web";
import { expect, vi } from "vitest";
import { callPost, enveloped, exchange, modernPost, type Outcome, type Post, post } from "../../src/http/http-posts.js";
import { bearer, ISSUER, RESOURCE, TestIssuer } from "../../src/oauth/test-issuer.js";
import { verifies } from "../../src/verifies.js";

const ROOT = "/.well-known/oauth-protected-resource";
const METADATA = `resource_metadata="https://mcp.example.com${ROOT}/mcp"`;

function filesServer(run: () => string, filters = false): McpServer {
  const scopedLists = filters ? "filter" : "show";
  const server = new McpServer({ name: "files", version: "1.0.0", scopedLists, onError: () => {} });
  server.tool("list", {}, run);
  server.tool("write", { scopes: ["files:write"] }, run);
  server.resource("file:///a", { name: "a", scopes: ["files:read"] }, run);
  server.resourceTemplate("file:///dir/{name}", { name: "dir", scopes: ["files:read"] }, run);
  server.prompt("ask", { scopes: ["prompts"] }, run);
  return server;
}

async function protect(
  options: Partial<ProtectedResourceOptions> = {},
  serving: ServeHttpOptions = {},
  filters = false,
) {
  const issuer = await TestIssuer.create();
  const run = vi.fn(() => "done");
  const server = filesServer(run, filters);
  const authorization = protectedResource({ ...issuer.options, ...options });
  const http = await serveHttp(server, { authorization, ...serving });
  const send = async (message: Post, scope: string): Promise<Outcome> => {
    const headers = { ...message.headers, ...bearer(await issuer.token({ scope })) };
    return exchange(http.url, { ...message, headers });
  };
  return { issuer, server, run, http, send, [Symbol.asyncDispose]: () => http.close() };
}

function challengeOf({ headers }: Outcome): string {
  return headers.get("www-authenticate") ?? "";
}

verifies(
  "hosting:auth:scope-403",
  "a call without the scopes of its tool is 403 with a challenge, and with the scopes it is served",
  async () => {
    await using resource = await protect();
    const refused = await resource.send(callPost("write"), "files:read");
    expect(refused.status).toBe(403);
    expect(challengeOf(refused)).toBe(
      'Bearer error="insufficient_scope", error_description="This needs an access token with files:write", ' +
        `scope="files:write", ${METADATA}`,
    );
    expect(refused.json).toMatchObject({ id: 1, error: { code: 403, data: { scopes: ["files:write"] } } });
    expect(resource.run).not.toHaveBeenCalled();
    expect((await resource.send(callPost("write"), "files:write")).status).toBe(200);
  },
);

verifies(
  "oauth-resource:scopes-at-once",
  "one challenge names all scopes that a message or a batch needs, in either era",
  async () => {
    await using resource = await protect({ requiredScopes: ["mcp"] });
    expect(challengeOf(await resource.send(callPost("write"), "other"))).toContain('scope="mcp files:write"');
    expect(challengeOf(await resource.send(callPost("list"), "files:write"))).toContain('scope="mcp"');
    const request = (method: string, params: object, id: number) => ({ jsonrpc: "2.0", id, method, params });
    const write = request("tools/call", { name: "write" }, 1);
    const batch = [write, request("prompts/get", { name: "ask" }, 2)];
    expect(challengeOf(await resource.send(post(write), "other"))).toContain('scope="mcp files:write"');
    expect(challengeOf(await resource.send(post(batch), "other"))).toContain('scope="mcp files:write prompts"');
    for (const method of ["GET", "DELETE"]) {
      const headers = bearer(await resource.issuer.token());
      expect((await fetch(resource.http.url, { method, headers })).status).toBe(403);
    }
  },
);

verifies(
  "oauth-resource:scope-hierarchy",
  "a scope permits the calls of the scopes that it implies over several steps",
  async () => {
    const impliedScopes = { "files:all": ["files:admin"], "files:admin": ["files:write"] };
    await using resource = await protect({ impliedScopes });
    expect((await resource.send(callPost("write"), "files:all")).status).toBe(200);
    expect((await resource.send(callPost("write"), "files")).status).toBe(403);
  },
);

verifies(
  "oauth-resource:scopes-of-offers",
  "reading, completing and watching resources, templates and prompts needs their scopes, in either form of subscription",
  async () => {
    await using resource = await protect();
    const watched = { notifications: { resourceSubscriptions: ["file:///a"] } };
    const completed = {
      ref: { type: "ref/resource", uri: "file:///dir/{name}" },
      argument: { name: "name", value: "" },
    };
    const messages = [
      modernPost("resources/read", enveloped({ uri: "file:///a" })),
      modernPost("resources/read", enveloped({ uri: "file:///dir/b" })),
      modernPost("prompts/get", enveloped({ name: "ask" })),
      modernPost("completion/complete", enveloped(completed)),
      modernPost("subscriptions/listen", enveloped(watched)),
      post({ jsonrpc: "2.0", id: 1, method: "resources/subscribe", params: { uri: "file:///a" } }),
    ];
    for (const message of messages) expect((await resource.send(message, "other")).status).toBe(403);
    const read = await resource.send(modernPost("resources/read", enveloped({ uri: "file:///a" })), "files:read");
    expect(read).toMatchObject({ status: 200, json: { result: { cacheScope: "private" } } });
  },
);

verifies(
  "oauth-resource:scopes-without-token",
  "a server without authentication refuses calls that need scopes over HTTP, and does not check scopes over a pipe",
  async () => {
    const server = filesServer(() => "done");
    await using http = await serveHttp(server);
    expect((await fetch(http.url, callPost("write"))).status).toBe(403);
    expect((await fetch(http.url, callPost("list"))).status).toBe(200);
    const client = await Client.connect(server, { name: "host", version: "1.0.0" });
    expect((await client.callTool("write")).content).toEqual([{ type: "text", text: "done" }]);
    await client.close();
  },
);

verifies(
  "oauth-resource:scopes-of-arguments",
  "a handler that requires scopes ends with 403, or with an error on the stream after a notification, in either era",
  async () => {
    await using resource = await protect({}, { legacy: { stateless: true } });
    resource.server.tool("open", {}, async (_args, context) => {
      if (context.meta.progressToken !== undefined) await context.progress(1);
      context.requireScopes("project:7");
      return "done";
    });
    const legacy = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "open", arguments: {} } };
    for (const message of [callPost("open"), post(legacy)]) {
      const refused = await resource.send(message, "other");
      expect(refused.status).toBe(403);
      expect(challengeOf(refused)).toContain(`scope="project:7", ${METADATA}`);
      expect((await resource.send(message, "project:7")).status).toBe(200);
    }
    const noisy = modernPost("tools/call", enveloped({ name: "open" }, { progressToken: 1 }));
    const headers = { ...noisy.headers, ...bearer(await resource.issuer.token()) };
    const streamed = await fetch(resource.http.url, { ...noisy, headers });
    expect(streamed.status).toBe(200);
    expect(await streamed.text()).toContain('"code":403');
  },
);

verifies(
  "oauth-resource:scopes-of-tasks",
  "the methods of a task need the scopes of its call in either era, and tasks/list omits the task without them",
  async () => {
    const issuer = await TestIssuer.create();
    const server = new McpServer({ name: "files", version: "1.0.0", tasks: serveTasks(), onError: () => {} });
    const schema = { type: "object", properties: { sure: { type: "boolean" } } } as const;
    server.tool("wipe", { scopes: ["files:write"], task: "optional" }, async (_args, context) => {
      const { action } = await context.elicit({ message: "Really?", schema }, { key: "sure" });
      return action;
    });
    const authorization = protectedResource(issuer.options);
    await using http = await serveHttp(server, { authorization, legacy: { stateless: true } });
    const send = async (method: string, params: JsonObject, scope: string): Promise<Outcome> => {
      const extensions = { "io.modelcontextprotocol/tasks": {} };
      const meta = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} }, extensions } };
      const name = params.taskId === undefined ? {} : { "mcp-name": String(params.taskId) };
      const { headers, ...message } = modernPost(method, enveloped(params, meta), name);
      return exchange(http.url, { ...message, headers: { ...headers, ...bearer(await issuer.token({ scope })) } });
    };
    const sendLegacy = async (method: string, params: JsonObject, scope: string): Promise<Outcome> => {
      const version = { "mcp-protocol-version": "2025-11-25" };
      const { headers, ...message } = post({ jsonrpc: "2.0", id: 1, method, params }, version);
      return exchange(http.url, { ...message, headers: { ...headers, ...bearer(await issuer.token({ scope })) } });
    };
    const created = await send("tools/call", { name: "wipe", arguments: {} }, "files:write");
    const { taskId } = (created.json as { result: { taskId: string } }).result;

    const inputResponses = { sure: { action: "accept", content: { sure: true } } };
    const refused = [
      await send("tasks/get", { taskId }, "files:read"),
      await send("tasks/update", { taskId, inputResponses }, "files:read"),
      await send("tasks/cancel", { taskId }, "files:read"),
      await send("subscriptions/listen", { notifications: { taskIds: [taskId] } }, "files:read"),
      await sendLegacy("tasks/get", { taskId }, "files:read"),
      await sendLegacy("tasks/result", { taskId }, "files:read"),
      await sendLegacy("tasks/cancel", { taskId }, "files:read"),
    ];
    for (const outcome of refused) {
      expect(outcome.status).toBe(403);
      expect(challengeOf(outcome)).toContain(`scope="files:write", ${METADATA}`);
    }
    expect((await sendLegacy("tasks/list", {}, "files:read")).json).toMatchObject({ result: { tasks: [] } });
    expect((await sendLegacy("tasks/list", {}, "files:write")).json).toMatchObject({ result: { tasks: [{ taskId }] } });
    expect((await send("tasks/cancel", { taskId }, "files:write")).status).toBe(200);
  },
);

verifies(
  "oauth-resource:lists",
  "lists of every kind contain items whose scopes the caller lacks, unless the server filters them",
  async () => {
    const lists = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];
    await using open = await protect();
    await using filtering = await protect({}, {}, true);
    for (const method of lists) {
      const [shown, filtered, full] = [
        await open.send(modernPost(method), "other"),
        await filtering.send(modernPost(method), "other"),
        await filtering.send(modernPost(method), "files:read files:write prompts"),
      ].map(({ json }) => JSON.stringify(json?.result));
      const scoped = /"write"|"file:\/\/\/|"ask"/;
      expect(shown).toMatch(scoped);
      expect(filtered).not.toMatch(scoped);
      expect(filtered).toContain('"cacheScope":"private"');
      expect(full).toMatch(scoped);
    }
  },
);

verifies(
  "hosting:auth:metadata-endpoints",
  "the metadata of a resource is served to any origin on every host, before and behind a framework",
  async () => {
    const { options } = await TestIssuer.create();
    const authorization = protectedResource(options);
    const server = filesServer(() => "done");
    await using http = await serveHttp(server, { authorization });
    const handler = createNodeHandler(server, { authorization });
    const mounted = createServer(handler).listen(0, "127.0.0.1");
    await new Promise((resolve) => mounted.once("listening", resolve));
    const web = createFetchHandler(server, { authorization });
    const hosts = [
      (path: string, init: RequestInit) => fetch(new URL(path, http.url), init),
      (path: string, init: RequestInit) =>
        fetch(`http://127.0.0.1:${(mounted.address() as AddressInfo).port}${path}`, init),
      (path: string, init: RequestInit) => web(new Request(`https://mcp.example.com${path}`, init)),
    ];
    for (const ask of hosts) {
      for (const path of [`${ROOT}/mcp`, ROOT]) {
        const read = await ask(path, { headers: { origin: "https://app.example" } });
        expect(await read.json()).toMatchObject({ resource: RESOURCE });
        expect(read.headers.get("access-control-allow-origin")).toBe("*");
        expect(read.headers.get("cache-control")).toContain("max-age");
        expect((await ask(path, { method: "HEAD" })).status).toBe(200);
        expect((await ask(path, { method: "OPTIONS" })).status).toBe(204);
        expect((await ask(path, { method: "POST" })).status).toBe(405);
      }
      expect((await ask("/mcp", callPost("list"))).status).toBe(401);
    }
    mounted.closeAllConnections();
    mounted.close();
  },
);

verifies(
  "hosting:auth:prm:authorization-servers-field",
  "the metadata of a resource names the resource and all its authorization servers",
  async () => {
    await using resource = await protect({ issuer: [ISSUER, "https://two.example"], verifier: () => undefined });
    const metadata = await (await fetch(new URL(`${ROOT}/mcp`, resource.http.url))).json();
    expect(metadata).toMatchObject({ resource: RESOURCE, authorization_servers: [ISSUER, "https://two.example"] });
  },
);

verifies("oauth-resource:offline-access", "protectedResource refuses offline_access among its scopes", () => {
  for (const name of ["requiredScopes", "scopesSupported"]) {
    const make = () => protectedResource({ resource: RESOURCE, issuer: ISSUER, [name]: ["offline_access"] });
    expect(make).toThrow(`${name}: offline_access is for clients to ask for`);
  }
});
