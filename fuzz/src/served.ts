/** A server with one of everything, for the targets that send whole requests. */
import { ProtocolError } from "../../packages/sdk/src/errors/protocol-error.js";
import { SdkError } from "../../packages/sdk/src/errors/sdk-error.js";
import { McpServer } from "../../packages/sdk/src/server/mcp-server.js";
import { demand, Violation } from "./target.js";

/** What the server had to report. */
type Reports = Error[];

const heard: Reports = [];
let server: McpServer | undefined;

/** The server and what it reports from now on. It is a definition, so that one does for all connections. */
export function served(): { readonly server: McpServer; readonly reports: readonly Error[] } {
  server ??= createServer(heard);
  heard.length = 0;
  return { server, reports: heard };
}

function createServer(reports: Reports): McpServer {
  const created = new McpServer({
    name: "fuzzed",
    version: "1.0.0",
    // A campaign sends a million requests.
    rateLimits: false,
    pageSize: 2,
    onError: (error) => reports.push(error),
  });
  const echoInput = {
    type: "object",
    properties: { text: { type: "string" }, count: { type: "integer", minimum: 0 } },
  };
  created.tool("echo", { input: echoInput }, (args) => JSON.stringify(args));
  const mirroredInput = {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      shard: { type: "integer", "x-mcp-header": "Shard" },
      dry: { type: "boolean", "x-mcp-header": "Dry" },
    },
  };
  created.tool("mirrored", { input: mirroredInput }, () => "mirrored");
  created.tool("notes", {}, async (_args, context) => {
    await context.progress(1, 2, "half");
    return "noted";
  });
  created.resource("notes://today", { name: "today" }, () => "nothing yet");
  created.resourceTemplate(
    "notes://{day}",
    { name: "day", complete: { day: () => ["monday"] } },
    ({ uri }) => `on ${uri}`,
  );
  const reviewInput = { type: "object", properties: { code: { type: "string" } } };
  created.prompt("review", { input: reviewInput, complete: { code: () => ["x"] } }, (args) => JSON.stringify(args));
  return created;
}

/** Nothing of the above can fail, so whatever did is a fault of what is around it. Dropped messages are no crash. */
export function requireNoCrash(reports: readonly Error[]): void {
  const crash = reports.find((error) => {
    const root = error.cause instanceof Error && !(error instanceof ProtocolError) ? error.cause : error;
    return !(root instanceof SdkError || root instanceof ProtocolError || root instanceof SyntaxError);
  });
  demand(crash === undefined, "no part of the server crashes", () => String(crash?.cause ?? crash));
}

/** Whether a value is an answer as JSON-RPC has it, without anything of the server's insides. */
export function requireAnswer(value: unknown): void {
  const { jsonrpc, id, result, error } = (value ?? {}) as Record<string, unknown>;
  const text = () => JSON.stringify(value)?.slice(0, 500) ?? "nothing";
  demand(jsonrpc === "2.0" && (result === undefined) !== (error === undefined), "answers with a JSON-RPC answer", text);
  const isId = id === undefined || typeof id === "string" || Number.isSafeInteger(id);
  demand(isId, "answers under an id", text);
  if (error === undefined) return;
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  demand(
    Number.isInteger(code) && typeof message === "string" && message.length < 100_000,
    "answers with an error",
    text,
  );
  demand(code !== -32603, "answers no request with an internal error", text);
  demand(!/\bat .*\.[jt]s:\d+|node_modules/.test(String(message)), "keeps its stack to itself", text);
}

/** Rejects with a violation if it takes longer than anything may. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Violation("settles at once", `still waiting for ${what} after ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
