/** Misspelled options at every entry point. A misspelled protection would otherwise leave a server open. */
import { describe, expect, it } from "vitest";
import { InMemoryCacheStore } from "../client/cache-store.js";
import { Client } from "../client/index.js";
import { HttpEndpoint } from "../hosting/http/http-endpoint.js";
import { InMemorySessionStore } from "../hosting/http/legacy/sessions/session-store.js";
import { InMemoryEventStore } from "../hosting/http/legacy/streams/event-store.js";
import { createFetchHandler } from "../hosting/web/fetch-handler.js";
import { createNodeHandler, serveHttp, serveSocket, serveStdio } from "../node/index.js";
import { defineExtension } from "../routing/extension.js";
import { defineListenFilter } from "../routing/listen-filter-definition.js";
import { defineMethod, defineNotification } from "../routing/method-definition.js";
import { defineResultType } from "../routing/result-type.js";
import { InMemoryUsedStates } from "../server/input/used-states.js";
import { McpServer } from "../server/mcp-server.js";
import { telemetry } from "../telemetry/telemetry.js";
import { HttpTransport } from "../transport/http/http-transport.js";
import { ChildProcessTransport } from "../transport/node/child-process-transport.js";

const IDENTITY = { name: "peer", version: "1.0.0" };
const ANY = { type: "object" };
const read = () => "text";
const newServer = (options: object = {}) => new McpServer({ ...IDENTITY, ...options });
const newClient = (options: object) => new Client({ ...IDENTITY, ...options });
const serve = (options: object) => serveHttp(newServer(), options);
const method = (options: object) => defineMethod("acme/jobs", { params: ANY, result: ANY, ...options });
const filter = (options: object) => {
  const notification = defineNotification("notifications/acme/job", { params: ANY });
  return defineListenFilter("acmeJobs", { filter: ANY, notification, topicOf: () => "", ...options });
};

const CASES: [use: () => unknown, message: string][] = [
  [() => serve({ autorization: {} }), 'serveHttp: there is no option "autorization"; did you mean "authorization"?'],
  [() => serve({ auth: {} }), 'serveHttp: there is no option "auth"; did you mean "authenticate" or "authorization"?'],
  [() => serve({ authentication: read }), 'there is no option "authentication"; did you mean "authenticate"?'],
  [() => serve({ maxConnection: 1 }), 'there is no option "maxConnection"; did you mean "maxConnections"?'],
  [() => serve({ cors: { origin: "any" } }), 'cors: there is no option "origin"; did you mean "origins"?'],
  [() => serve({ legacy: { stateles: true } }), 'legacy: there is no option "stateles"; did you mean "stateless"?'],
  [() => serve({ legacy: { sse: { paths: "/" } } }), 'legacy: sse: there is no option "paths"; did you mean "path"?'],
  [
    () => createNodeHandler(newServer(), { authorized: read } as object),
    'createNodeHandler: there is no option "authorized"; expected some of path, legacy, authenticate',
  ],
  [
    () => createFetchHandler(newServer(), { allowedHost: [] } as object),
    'createFetchHandler: there is no option "allowedHost"; did you mean "allowedHosts"?',
  ],
  [
    () => new HttpEndpoint(newServer(), { autorization: {} } as object),
    'HttpEndpoint: there is no option "autorization"; did you mean "authorization"?',
  ],
  [
    () => new InMemorySessionStore({ maxSession: 1 } as object),
    'InMemorySessionStore: there is no option "maxSession"; did you mean "maxSessions"?',
  ],
  [
    () => new InMemoryEventStore({ maxAge: 1 } as object),
    'InMemoryEventStore: there is no option "maxAge"; did you mean "maxAgeMs"?',
  ],
  [
    () => new InMemoryUsedStates({ maxState: 1 } as object),
    'InMemoryUsedStates: there is no option "maxState"; did you mean "maxStates"?',
  ],
  [
    () => new InMemoryCacheStore({ maxEntry: 1 } as object),
    'InMemoryCacheStore: there is no option "maxEntry"; did you mean "maxEntries"?',
  ],
  [
    () => telemetry({ recordArgument: true } as object),
    'telemetry: there is no option "recordArgument"; did you mean "recordArguments"?',
  ],
  [
    () => serveSocket(newServer(), { port: 0, hosts: "127.0.0.1" } as never),
    'serveSocket: there is no option "hosts"; did you mean "host"?',
  ],
  [
    () => serveStdio(newServer(), { grace: 5 } as object),
    'serveStdio: there is no option "grace"; did you mean "graceMs"?',
  ],
  [
    () => newServer({ scopedList: "filter" }),
    'McpServer: there is no option "scopedList"; did you mean "scopedLists"?',
  ],
  [() => newServer({ limits: { maxByte: 1 } }), 'limits: there is no option "maxByte"; did you mean "maxBytes"?'],
  [() => newServer({ cache: { ttl: 1 } }), 'server: cache: there is no option "ttl"; did you mean "ttlMs"?'],
  [
    () => newServer({ rateLimits: { "tools/call": { perSecond: 1, bursts: 1 } } }),
    'rateLimits["tools/call"]: there is no option "bursts"; did you mean "burst"?',
  ],
  [() => newServer({ requestState: { key: [] } }), 'requestState: there is no option "key"; did you mean "keys"?'],
  [
    () => newServer({ urlElicitations: { ttl: 1 } }),
    'urlElicitations: there is no option "ttl"; did you mean "ttlMs"?',
  ],
  [
    () => newServer({ schemaLimits: { depth: 1 } }),
    'schemaLimits: there is no option "depth"; expected some of maxDepth',
  ],
  [
    () => newServer().tool("x", { scope: ["admin"] } as object, read),
    'tool "x": there is no option "scope"; did you mean "scopes"?',
  ],
  [
    () => newServer().prompt("x", { scope: ["admin"] } as object, read),
    'prompt "x": there is no option "scope"; did you mean "scopes"?',
  ],
  [
    () => newServer().resource("x://y", { name: "y", scope: ["admin"] } as never, read),
    'resource "x://y": there is no option "scope"; did you mean "scopes"?',
  ],
  [
    () => newServer().resourceTemplate("x://{y}", { name: "y", scope: ["admin"] } as never, read),
    'resource template "x://{y}": there is no option "scope"; did you mean "scopes"?',
  ],
  [
    () => newClient({ outputCheck: "always" }),
    'Client: there is no option "outputCheck"; did you mean "outputChecks"?',
  ],
  [() => newClient({ cache: { key: "x" } }), 'cache: there is no option "key"; expected some of store, serverKey'],
  [
    () => newClient({ reconnect: { attempts: 1 } }),
    'reconnect: there is no option "attempts"; did you mean "maxAttempts"?',
  ],
  [
    () => Client.connect({ url: "http://localhost/mcp", autorization: {} } as never, IDENTITY),
    'HTTP connection: there is no option "autorization"; did you mean "authorization"?',
  ],
  [
    () => new HttpTransport("http://localhost/mcp", { streams: { maxAttempt: 1 } as object }),
    'streams: there is no option "maxAttempt"; did you mean "maxAttempts"?',
  ],
  [
    () => new ChildProcessTransport({ command: "never-started", arguments: [] } as never),
    'command: there is no option "arguments"; expected some of command, args',
  ],
  [
    () => defineExtension("com.example/x", { method: [] } as never),
    'extension "com.example/x": there is no option "method"; did you mean "methods"?',
  ],
  [
    () => defineExtension("com.example/x", { fallback: { serve: "serve" } as never }),
    'extension "com.example/x": fallback: there is no option "serve"; did you mean "server"?',
  ],
  [() => method({ pages: "jobs" }), 'defineMethod("acme/jobs"): there is no option "pages"; did you mean "page"?'],
  [() => method({ cacheable: { changeBy: 1 } }), 'cacheable: there is no option "changeBy"; did you mean "changedBy"?'],
  [
    () => filter({ topic: read }),
    'defineListenFilter("acmeJobs"): there is no option "topic"; did you mean "topicOf"?',
  ],
  [
    () => defineNotification("notifications/acme/x", { params: ANY, result: ANY } as never),
    'defineNotification("notifications/acme/x"): there is no option "result"; expected some of params',
  ],
  [
    () => defineResultType("job", { methods: ["x"], result: ANY, settled: read } as never),
    'defineResultType("job"): there is no option "settled"; did you mean "settle"?',
  ],
];

describe("an option that does not exist", () => {
  it.each(CASES)("is refused, with its nearest spelling: %s", async (use, message) => {
    await expect((async () => use())()).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining(message),
    });
  });
});
