/**
 * The server that all clients call: bare `node:http` in a process of its own, which parses what it gets and has its
 * results ready, so that what is left to see is the client. It speaks both eras as far as a client needs to call a tool.
 */
import type { ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { REVISION } from "../contender.js";
import { answerParent, Forked } from "../forked.js";
import { listed, MODERN_STAMP } from "../http/constant-answer.js";
import type { Listening } from "../http/http-contender.js";
import { listen } from "../http/servers/listening.js";
import { toolsOf } from "../tools.js";
import { jobAt, quoteResult } from "../workload.js";

/** The order that is always answered. */
export const JOB = jobAt(0);

const CAPABILITIES = { tools: {} };
const FRESHNESS = { ttlMs: 0, cacheScope: "private" };

const LEGACY: Readonly<Record<string, string>> = {
  initialize: JSON.stringify({
    protocolVersion: REVISION.legacy,
    capabilities: CAPABILITIES,
    serverInfo: { name: "bench", version: "1.0.0" },
  }),
  "tools/list": JSON.stringify({ tools: toolsOf("one tool").map(listed) }),
  "tools/call": JSON.stringify(quoteResult(JOB.order)),
};

const MODERN: Readonly<Record<string, string>> = {
  "server/discover": JSON.stringify({
    supportedVersions: [REVISION.modern],
    capabilities: CAPABILITIES,
    ...FRESHNESS,
    ...MODERN_STAMP,
  }),
  "tools/list": JSON.stringify({ tools: toolsOf("one tool").map(listed), ...FRESHNESS, ...MODERN_STAMP }),
  "tools/call": JSON.stringify({ ...quoteResult(JOB.order), ...MODERN_STAMP }),
};

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> };
}

function answer({ id, method, params }: Request, response: ServerResponse): void {
  if (id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const isModern = params?._meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined;
  const result = (isModern ? MODERN : LEGACY)[method];
  const outcome = result ? `"result":${result}` : '"error":{"code":-32601,"message":"Method not found"}';
  const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}`;
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  response.writeHead(result ? 200 : 404, headers).end(body);
}

export async function serveConstants(): Promise<Listening> {
  return await listen((request, response) => {
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => answer(JSON.parse(Buffer.concat(chunks).toString("utf8")), response));
  });
}

export async function startConstantServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const [child, url] = await Forked.start<string>("server", new URL(import.meta.url), []);
  return { url, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  answerParent((await serveConstants()).url, () => undefined);
}
