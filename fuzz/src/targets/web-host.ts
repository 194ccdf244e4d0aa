/** Whole HTTP requests at the web-standard host, in every mode it has: each is answered, by the book, at once. */

import type { HttpOptions } from "../../../packages/sdk/src/hosting/http/http-options.js";
import { InMemoryEventStore } from "../../../packages/sdk/src/hosting/http/legacy/streams/event-store.js";
import { createFetchHandler, type FetchHandler } from "../../../packages/sdk/src/hosting/web/fetch-handler.js";
import { INITIALIZE, LEGACY_REQUESTS, MESSAGE_TEXTS, MODERN_REQUESTS, OTHER_MESSAGES } from "../messages.js";
import { mutateJson } from "../mutate-json.js";
import { AWKWARD, mutateText } from "../mutate-text.js";
import type { Random } from "../random.js";
import { requireAnswer, requireNoCrash, served, within } from "../served.js";
import { demand, demandEqual, type FuzzInput, field, type Target, toBytes, utf8 } from "../target.js";

const MODES: Readonly<Record<string, () => HttpOptions>> = {
  both: () => ({}),
  "modern alone": () => ({ legacy: false }),
  stateless: () => ({ legacy: { stateless: true } }),
  "JSON alone": () => ({ legacy: { jsonResponses: true } }),
  resumable: () => ({ legacy: { eventStore: new InMemoryEventStore() } }),
  "with SSE": () => ({ path: "/mcp", legacy: { sse: true }, cors: { origins: ["https://app.example"] } }),
  tight: () => ({ maxBodyBytes: 300, maxJsonDepth: 4, maxJsonNodes: 20 }),
};

const STATUSES: ReadonlySet<number> = new Set([200, 202, 204, 400, 403, 404, 405, 406, 409, 413, 415]);
/** Those that need no body to explain themselves. */
const BARE: ReadonlySet<number> = new Set([202, 204, 404, 405]);
const DEADLINE_MS = 5_000;
const BASE = { "content-type": "application/json", accept: "application/json, text/event-stream" };

export const webHost: Target = {
  name: "web-host",
  share: 30,
  maxMs: 1_000,
  outcomes: ["200", "200 stream", "202", "400", "404", "405", "406", "415"],
  generate(random) {
    const request = random.oneIn(2) ? modernRequest(random) : legacyRequest(random);
    return { mode: random.pick(Object.keys(MODES)), ...request, parsed: random.oneIn(8) ? "yes" : "" };
  },
  async check(input) {
    const { server, reports } = served();
    const mode = MODES[field(input, "mode")] ?? (() => ({}));
    const handler = createFetchHandler(server, { ...mode(), keepAliveMs: 60_000, shutdownGraceMs: 1 });
    try {
      const session = field(input, "session") === "" ? undefined : await openSession(handler);
      const request = buildRequest(input, session);
      if (request === undefined) return "no request";
      const outcome = await within(DEADLINE_MS, "the response", answer(handler, request, input));
      requireNoCrash(reports);
      return outcome;
    } finally {
      await within(DEADLINE_MS, "closing", handler.close());
    }
  },
};

function modernRequest(random: Random): FuzzInput {
  const message = random.pick(MODERN_REQUESTS) as {
    readonly method: string;
    readonly params: { readonly name?: string; uri?: string };
  };
  const name = message.params.name ?? message.params.uri;
  const headers: Record<string, string> = {
    ...BASE,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": message.method,
    ...(name !== undefined && { "mcp-name": name }),
    ...(name === "mirrored" && { "mcp-param-region": "eu", "mcp-param-shard": "7", "mcp-param-dry": "true" }),
  };
  return damaged(random, "POST", headers, message, "");
}

function legacyRequest(random: Random): FuzzInput {
  const headers = { ...BASE, "mcp-protocol-version": "2025-11-25" };
  const method = random.oneIn(5) ? random.pick(["GET", "DELETE"]) : "POST";
  const extra = random.oneIn(6) ? { "last-event-id": random.pick(["", "1", "s_1", "a/b"]) } : {};
  return damaged(
    random,
    method,
    { ...headers, ...extra },
    random.pick(random.oneIn(4) ? OTHER_MESSAGES : LEGACY_REQUESTS),
    random.oneIn(4) ? "" : "open",
  );
}

/** One part of the request in most cases, so that the rest takes it past the first check. */
function damaged(
  random: Random,
  verb: string,
  fields: Record<string, string>,
  message: object,
  session: string,
): FuzzInput {
  const part = random.below(6);
  const names = Object.keys(fields);
  const headers = { ...fields };
  if (part === 0) {
    const name = random.pick(names);
    if (random.oneIn(4)) delete headers[name];
    else headers[name] = mutateText(random, headers[name] ?? "", AWKWARD, Object.values(fields));
  }
  if (part === 1)
    headers[random.pick(["origin", "host", "mcp-session-id", "content-length", "x-é"])] = random.text(AWKWARD, 0, 5);
  const body = part >= 2 && part <= 3 ? damagedMessage(random, message) : message;
  const text = utf8(JSON.stringify(body));
  return {
    method:
      part === 4 && random.oneIn(2) ? random.pick(["PUT", "OPTIONS", "HEAD", "PATCH", "post", "GET", "DELETE"]) : verb,
    path:
      part === 4
        ? random.pick(["/mcp", "/", "/sse", "/messages", "/messages?sessionId=1", "//", "/mcp/", "/%2e%2e"])
        : "/mcp",
    headers: JSON.stringify(headers),
    body: part === 5 ? mutateText(random, text, undefined, MESSAGE_TEXTS).replace(/[^\0-\xff]/g, "?") : text,
    session,
  };
}

function damagedMessage(random: Random, message: object): unknown {
  if (random.oneIn(3) || !("params" in message)) return mutateJson(random, message);
  return { ...message, params: mutateJson(random, message.params) };
}

async function openSession(handler: FetchHandler): Promise<string | undefined> {
  const request = new Request("http://localhost/mcp", {
    method: "POST",
    headers: BASE,
    body: JSON.stringify(INITIALIZE),
  });
  const response = await handler(request);
  await response.text();
  return response.headers.get("mcp-session-id") ?? undefined;
}

/** Undefined where the platform itself refuses to make such a request. */
function buildRequest(input: FuzzInput, session: string | undefined): Request | undefined {
  try {
    const headers = new Headers(JSON.parse(field(input, "headers")) as Record<string, string>);
    if (session !== undefined) headers.set("mcp-session-id", session);
    const method = field(input, "method");
    const body = method === "GET" || method === "HEAD" ? null : toBytes(field(input, "body"));
    return new Request(`http://localhost${field(input, "path")}`, { method, headers, body });
  } catch {
    return undefined;
  }
}

async function answer(handler: FetchHandler, request: Request, input: FuzzInput): Promise<string> {
  const sent = parsed(toBytes(field(input, "body")).toString());
  // Some frameworks have read the body already.
  const response = await handler(request, field(input, "parsed") === "" ? {} : { parsedBody: sent });
  const { status } = response;
  demand(STATUSES.has(status), "answers with a status of the documented ones", () => String(status));
  if (response.headers.get("content-type") === "text/event-stream") {
    const reader = response.body?.getReader();
    // Some streams stay open until something happens.
    if (request.method === "POST" && request.headers.get("mcp-method") !== "subscriptions/listen") await reader?.read();
    await reader?.cancel();
    return `${status} stream`;
  }
  const text = await response.text();
  if (text === "") demand(BARE.has(status), "explains what it refuses", () => String(status));
  else checkAnswers(JSON.parse(text), sent);
  return String(status);
}

function checkAnswers(value: unknown, sent: unknown): void {
  for (const item of [value].flat()) requireAnswer(item);
  if (Array.isArray(value) || Array.isArray(sent)) return;
  const [answered, asked] = [idOf(value), idOf(sent)];
  if (answered !== undefined) demandEqual(answered, asked, "answers under the id it was asked under");
}

function idOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "id" in message ? message.id : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
