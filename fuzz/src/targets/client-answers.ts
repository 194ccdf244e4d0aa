/** Whatever a server answers over HTTP, in either era: the client's call settles at once, with a result or an error. */
import { Client } from "../../../packages/sdk/src/client/client.js";
import { ProtocolError } from "../../../packages/sdk/src/errors/protocol-error.js";
import { SdkError } from "../../../packages/sdk/src/errors/sdk-error.js";
import { StreamableHttpTransport } from "../../../packages/sdk/src/transport/http/streamable-http-transport.js";
import { mutateJson } from "../mutate-json.js";
import { AWKWARD_BYTES, mutateText } from "../mutate-text.js";
import type { Random } from "../random.js";
import { within } from "../served.js";
import { demand, type FuzzInput, field, pieces, randomCuts, type Target, toBytes, utf8 } from "../target.js";

const DEADLINE_MS = 5_000;
/** In place of the id of the request that is being answered. */
const ID = "ID";

const ANSWERS: readonly object[] = [
  { jsonrpc: "2.0", id: ID, result: { resultType: "complete", content: [{ type: "text", text: "hello" }] } },
  { jsonrpc: "2.0", id: ID, result: { content: [], structuredContent: { a: 1 }, isError: true } },
  { jsonrpc: "2.0", id: ID, error: { code: -32602, message: "no such tool", data: { name: "echo" } } },
  { jsonrpc: "2.0", id: ID, result: { resultType: "input_required", inputRequests: {}, requestState: "s" } },
];
const PROGRESS = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } };

const HANDSHAKE = {
  protocolVersion: "2025-11-25",
  serverInfo: { name: "fuzzed", version: "1" },
  capabilities: { tools: {} },
};

export const clientAnswers: Target = {
  name: "client-answers",
  share: 20,
  maxMs: 1_000,
  outcomes: ["result", "ProtocolError", "SdkError"],
  generate(random) {
    const isStream = random.oneIn(2);
    const body = bodyOf(random, isStream);
    const type = isStream ? "text/event-stream" : "application/json";
    return {
      revision: random.pick(["2026-07-28", "2025-11-25"]),
      status: random.oneIn(4)
        ? String(random.pick([200, 201, 202, 204, 206, 301, 400, 401, 404, 405, 409, 429, 500, 503]))
        : "200",
      type: random.oneIn(5)
        ? mutateText(random, type, undefined, ["text/html", "application/json; charset=utf-8"])
        : type,
      body,
      cuts: randomCuts(random, body.length),
    };
  },
  async check(input) {
    let isAnswering = false;
    const fetch = async (_url: unknown, init?: { readonly method?: string | undefined; readonly body?: unknown }) => {
      const { id, method } = init?.method === "POST" ? readCall(init.body) : {};
      if (method === "initialize") return json({ jsonrpc: "2.0", id, result: HANDSHAKE });
      if (method !== "tools/call") return new Response(null, { status: init?.method === "POST" ? 202 : 405 });
      isAnswering = true;
      return answerOf(input, id);
    };
    const transport = new StreamableHttpTransport("http://localhost/mcp", {
      fetch,
      streams: { maxAttempts: 0 },
      onError: ignore,
    });
    const revision = field(input, "revision") === "2025-11-25" ? "2025-11-25" : "2026-07-28";
    const options = {
      name: "fuzz",
      version: "1",
      revision,
      reconnect: false,
      onError: ignore,
      maxInputRounds: 2,
    } as const;
    const client = await within(DEADLINE_MS, "the connection", Client.connect(transport, options));
    try {
      const outcome = await within(DEADLINE_MS, "the call", settle(client));
      demand(isAnswering, "sends the call", () => outcome);
      return outcome;
    } finally {
      await within(DEADLINE_MS, "closing", client.close());
    }
  },
};

async function settle(client: Client): Promise<string> {
  try {
    const result = await client.callTool("echo", { text: "hello" });
    demand(Array.isArray(result.content), "yields nothing but results", () => JSON.stringify(result));
    return "result";
  } catch (error) {
    if (error instanceof ProtocolError) return "ProtocolError";
    if (error instanceof SdkError) return "SdkError";
    throw error;
  }
}

function bodyOf(random: Random, isStream: boolean): string {
  const whole = random.pick(ANSWERS);
  const answer = JSON.stringify(random.oneIn(3) ? whole : mutateJson(random, whole));
  const text = isStream ? `data: ${JSON.stringify(PROGRESS)}\n\nid: 1\nevent: message\ndata: ${answer}\n\n` : answer;
  return random.oneIn(3) ? mutateText(random, utf8(text), AWKWARD_BYTES) : utf8(text);
}

function answerOf(input: FuzzInput, id: unknown): Response {
  const status = Number(field(input, "status")) || 200;
  const isBare = status === 204 || status < 200 || status > 599;
  const bytes = toBytes(field(input, "body").replace(`"${ID}"`, JSON.stringify(id)));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces(bytes, field(input, "cuts"))) if (piece.length > 0) controller.enqueue(piece);
      controller.close();
    },
  });
  const headers = new Headers();
  try {
    headers.set("content-type", field(input, "type"));
  } catch {
    // HTTP has no such value.
  }
  return new Response(isBare ? null : body, { status: isBare ? 204 : status, headers });
}

function readCall(body: unknown): { id?: unknown; method?: unknown } {
  const text = typeof body === "string" ? body : Buffer.from(body as Uint8Array).toString();
  return JSON.parse(text) as { id?: unknown; method?: unknown };
}

function json(value: unknown): Response {
  return new Response(JSON.stringify(value), { headers: { "content-type": "application/json" } });
}

function ignore(): void {
  // What no call rejects with is for the log.
}
