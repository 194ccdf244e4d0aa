/** Numeric options of clients, servers, transports, stores and the roles of OAuth. Callers in plain JavaScript pass texts, null and NaN. */
import { describe, expect, it } from "vitest";
import { Client, InMemoryCacheStore } from "../client/index.js";
import { InMemoryEventStore, InMemorySessionStore, serveHttp, serveSocket, serveStdio } from "../node/index.js";
import { InMemoryCredentialStore, oauth } from "../oauth/index.js";
import { FileAuthorizationStore, FileCredentialStore, loopbackRedirect } from "../oauth/node/index.js";
import { introspectionVerifier, jwtVerifier, protectedResource } from "../oauth/resource/index.js";
import { authorizationServer, hashPassword, InMemoryAuthorizationStore } from "../oauth/server/index.js";
import { McpServer } from "../server/mcp-server.js";
import { FileTaskStore } from "../tasks/node/file-task-store.js";
import { HttpTransport } from "../transport/http/http-transport.js";
import { ChildProcessTransport } from "../transport/node/child-process-transport.js";
import { SocketTransport } from "../transport/node/socket-transport.js";
import { connectInProcess } from "./connect-in-process.js";

type Options = Readonly<Record<string, unknown>>;

const IDENTITY = { name: "peer", version: "1.0.0" };
const ISSUER = "https://login.example.com";
const RESOURCE = "https://mcp.example.com/mcp";
const REDIRECT = { redirectUri: "http://127.0.0.1/callback", receive: async () => new URLSearchParams() };
const newServer = (options: Options = {}) => new McpServer({ ...IDENTITY, ...options });
const newClient = (options: Options) => new Client({ ...IDENTITY, ...options });
const connectHttp = (options: Options) => new HttpTransport("http://localhost/mcp", options);

/** Nests a value under a dotted name: `limits.maxBytes` becomes `{ limits: { maxBytes: value } }`. */
function optionsWith(name: string, value: unknown): Options {
  return name.split(".").reduceRight((inner: unknown, key) => ({ [key]: inner }), value) as Options;
}

const CONSUMERS: Readonly<Record<string, [use: (options: Options) => unknown, names: readonly string[]]>> = {
  Client: [
    newClient,
    [
      "maxBatchItems",
      "maxInboundRequests",
      "maxInputRequests",
      "maxInputRounds",
      "maxKnownToolBytes",
      "maxKnownTools",
      "maxPages",
      "maxRefreshBytes",
      "pingIntervalMs",
      "probeTimeoutMs",
      "progressIntervalMs",
      "reconnect.initialDelayMs",
      "reconnect.maxAttempts",
      "reconnect.maxDelayMs",
      "schemaLimits.maxDepth",
      "timeoutMs",
      "urlRetryMs",
    ],
  ],
  InMemoryCacheStore: [(options) => new InMemoryCacheStore(options), ["maxCharacters", "maxEntries"]],
  HttpTransport: [
    connectHttp,
    [
      "acceptTimeoutMs",
      "closeTimeoutMs",
      "maxJsonDepth",
      "maxJsonNodes",
      "maxMessageBytes",
      "streams.initialDelayMs",
      "streams.maxAttempts",
      "streams.maxDelayMs",
      "streams.maxRetryMs",
    ],
  ],
  ChildProcessTransport: [
    (options) => new ChildProcessTransport({ command: "never-started", ...options }),
    ["exitGraceMs", "killGraceMs", "maxJsonDepth", "maxJsonNodes", "maxLineBytes", "maxQueuedBytes"],
  ],
  SocketTransport: [
    (options) => new SocketTransport({ path: "never.sock", ...options }),
    ["connectTimeoutMs", "maxLineBytes", "maxQueuedBytes"],
  ],
  McpServer: [
    newServer,
    [
      "cache.ttlMs",
      "limits.maxBytes",
      "limits.maxRequests",
      "maxBatchItems",
      "maxInputRequests",
      "maxListenStreams",
      "maxLogMessagesPerSecond",
      "maxSubscribedResources",
      "pageSize",
      "progressIntervalMs",
      "questionTimeoutMs",
      "requestState.maxStateBytes",
      "requestState.ttlMs",
      "schemaLimits.maxDepth",
      "timeoutMs",
      "urlElicitations.max",
      "urlElicitations.ttlMs",
    ],
  ],
  serveHttp: [
    (options) => serveHttp(newServer(), { port: 0, ...options }),
    [
      "bodyTimeoutMs",
      "cors.maxAgeSeconds",
      "headersTimeoutMs",
      "idleConnectionMs",
      "keepAliveMs",
      "legacy.maxSessions",
      "legacy.retryMs",
      "legacy.sessionIdleMs",
      "maxBodyBytes",
      "maxConnections",
      "maxConnectionsPerAddress",
      "maxJsonDepth",
      "maxJsonNodes",
      "maxQueuedBytes",
      "maxTotalQueuedBytes",
      "shutdownGraceMs",
      "stallTimeoutMs",
    ],
  ],
  serveSocket: [
    (options) => serveSocket(newServer(), { port: 0, ...options }),
    ["firstMessageTimeoutMs", "graceMs", "maxConnections", "maxLineBytes", "maxTotalQueuedBytes", "stallTimeoutMs"],
  ],
  serveStdio: [(options) => serveStdio(newServer(), options), ["graceMs", "maxLineBytes"]],
  InMemorySessionStore: [(options) => new InMemorySessionStore(options), ["maxBytes", "maxSessions"]],
  InMemoryEventStore: [
    (options) => new InMemoryEventStore(options),
    ["maxAgeMs", "maxBytes", "maxEvents", "maxTotalBytes"],
  ],
  FileTaskStore: [(options) => FileTaskStore.open("never-opened.jsonl", options), ["lockTimeoutMs", "staleLockMs"]],
  oauth: [(options) => oauth({ redirect: REDIRECT, ...options }), ["loginTimeoutMs"]],
  loopbackRedirect: [(options) => loopbackRedirect({ open: () => undefined, ...options }), ["port", "timeoutMs"]],
  InMemoryCredentialStore: [(options) => new InMemoryCredentialStore(options), ["maxCharacters", "maxEntries"]],
  FileCredentialStore: [
    (options) => new FileCredentialStore({ folder: "never-opened", ...options }),
    ["lockTimeoutMs", "maxBytes", "maxEntries"],
  ],
  authorizationServer: [
    (options) => authorizationServer({ issuer: ISSUER, resources: [RESOURCE], users: [], ...options }),
    ["accessTokenMs", "grantMs", "keyMs", "refreshIdleMs", "sessionMs"],
  ],
  hashPassword: [(options) => hashPassword("a password", options), ["iterations"]],
  InMemoryAuthorizationStore: [(options) => new InMemoryAuthorizationStore(options), ["maxCharacters", "maxRecords"]],
  FileAuthorizationStore: [
    (options) => FileAuthorizationStore.open("never-opened.jsonl", options),
    ["lockTimeoutMs", "maxCharacters", "maxRecords"],
  ],
  protectedResource: [
    (options) => protectedResource({ resource: RESOURCE, issuer: ISSUER, ...options }),
    [
      "cacheMs",
      "dpop.maxRememberedProofs",
      "maxCachedBytes",
      "maxCachedTokens",
      "maxPendingTokens",
      "rejectedMs",
      "skewMs",
      "verifyTimeoutMs",
    ],
  ],
  jwtVerifier: [(options) => jwtVerifier({ issuer: ISSUER, ...options }), ["skewMs"]],
  introspectionVerifier: [
    (options) => introspectionVerifier({ issuer: ISSUER, clientId: "id", clientSecret: "secret", ...options }),
    ["skewMs"],
  ],
};

const CASES = Object.entries(CONSUMERS).flatMap(([consumer, [use, names]]) =>
  names.map((name) => ({ consumer, use, name, last: name.split(".").at(-1) as string })),
);

describe.each(CASES)("$consumer, option $name", ({ use, name, last }) => {
  const given: [unknown, string][] = [
    [Number.NaN, "got NaN"],
    [-2, "got -2"],
    ["8", 'got the string "8"; convert it with Number()'],
    [null, "got null; leave the option out for its default"],
    [{}, "got a value of type object"],
  ];

  it.each(given)("refuses %j", async (value, got) => {
    const options = optionsWith(name, value);
    const withOrigins = name.startsWith("cors.") ? { cors: { origins: "any", maxAgeSeconds: value } } : options;
    await expect((async () => use(withOrigins))()).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringMatching(new RegExp(`${last}: expected .*, ${got.replace(/[()]/g, "\\$&")}`)),
    });
  });
});

describe("the bounds", () => {
  it("belong to the range", () => {
    expect(() => newClient({ maxInputRounds: 0, maxPages: 1, reconnect: { maxAttempts: 0 } })).not.toThrow();
    expect(() => newServer({ pageSize: 1, maxListenStreams: 0, timeoutMs: Number.POSITIVE_INFINITY })).not.toThrow();
    expect(() => connectHttp({ maxMessageBytes: 1, closeTimeoutMs: 0, streams: { maxAttempts: 0 } })).not.toThrow();
  });

  it.each(["maxPages", "maxKnownTools", "timeoutMs", "pingIntervalMs"])("exclude 0: %s", (name) => {
    expect(() => newClient({ [name]: 0 })).toThrow(`${name}: expected a`);
  });
});

describe("the timeout of one call", () => {
  it.each(["timeoutMs", "maxTimeoutMs"])("is refused as a text: %s", async (name) => {
    await using client = await connectInProcess(newServer());
    await expect(client.listTools({ [name]: "60000" })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining(
        `${name}: expected a positive number of milliseconds or Infinity, got the string`,
      ),
    });
  });
});
