/**
 * A hostile server over raw HTTP. The path of a request chooses the attack. Each attack sends at a fixed rate, all of them
 * together about 12 MB/s on a fast machine, as over a link of 100 Mbit/s: the load is bounded, and memory that grows is the client's doing.
 */
import { createServer } from "node:http";
import { collidingDoubles } from "./colliding-doubles.js";
import { serveParent, settings } from "./parent-channel.js";

const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";
const EVENTS = { "content-type": "text/event-stream" };
const JSON_TYPE = { "content-type": "application/json" };
const { pace } = settings();
const PAGE_EVERY_MS = 100 * pace;
const TOOLS_PER_PAGE = 4;
const DESCRIPTION = "d".repeat(128 * 1_024);
const URI_FILLING = "u".repeat(256 * 1_024);
const QUESTIONS = 6_000;
let pages = 0;

/** @typedef {{ id: number, method: string, params: any }} Message */
/** @typedef {import("node:http").ServerResponse} Response */

/** @param {Message} message @param {object} result */
function resultText({ id }, result) {
  return JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } });
}

/** @param {Response} response @param {Message} message @param {object} result */
function answer(response, message, result) {
  response.writeHead(200, JSON_TYPE).end(resultText(message, result));
}

/** Writes on a stream until it closes. @param {Response} response @param {number} everyMs @param {() => string} text */
function writeEvery(response, everyMs, text) {
  const timer = setInterval(() => {
    // A client that stops reading is not filled up: this process would be the one that runs out of memory.
    if (!response.writableNeedDrain) response.write(text());
  }, everyMs * pace);
  response.on("close", () => clearInterval(timer));
}

/** @param {object} message */
function event(message) {
  return `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
}

const object = { type: "object" };

/** A page of tools, each with a large output schema and an argument that is repeated in a header. */
function largeTools() {
  pages += 1;
  return Array.from({ length: TOOLS_PER_PAGE }, (_, index) => ({
    name: `tool-${pages}-${index}`,
    inputSchema: { ...object, properties: { a: { type: "string", "x-mcp-header": `a-${pages}-${index}` } } },
    outputSchema: { ...object, description: DESCRIPTION },
  }));
}

const doubles = JSON.parse(collidingDoubles(30_000));
const absent = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`b${index}`, true]));
const constants = Array.from({ length: 3_000 }, (_, index) => ({ const: index }));
/**
 * Output schemas and values that take long to check.
 * @type {Record<string, { schema: object, value: unknown }>}
 */
const COSTLY = {
  unique: { schema: { uniqueItems: true }, value: doubles },
  dependent: { schema: { items: { dependentSchemas: absent } }, value: new Array(30_000).fill({ a: 1 }) },
  branches: { schema: { items: { anyOf: constants } }, value: new Array(3_000).fill("x") },
};

/** @type {Record<string, (message: Message, response: Response) => void>} */
const attacks = {
  "/tools": (message, response) => {
    const page = { tools: largeTools(), nextCursor: `page-${pages}`, ttlMs: 3_600_000, cacheScope: "public" };
    const timer = setTimeout(() => answer(response, message, page), PAGE_EVERY_MS);
    response.on("close", () => clearTimeout(timer));
  },
  "/schemas": (message, response) => {
    if (message.method === "tools/list") {
      const tools = Object.entries(COSTLY).map(([name, { schema }]) => ({
        name,
        inputSchema: object,
        outputSchema: { ...object, properties: { s: schema } },
      }));
      answer(response, message, { tools, ttlMs: 0, cacheScope: "private" });
    } else answer(response, message, { content: [], structuredContent: { s: COSTLY[message.params.name]?.value } });
  },
  "/questions": (message, response) => {
    const requestedSchema = { ...object, properties: { a: { type: "string" } } };
    const question = { method: "elicitation/create", params: { mode: "form", message: "Which?", requestedSchema } };
    const inputRequests = Object.fromEntries(Array.from({ length: QUESTIONS }, (_, index) => [`q${index}`, question]));
    answer(response, message, { resultType: "input_required", inputRequests });
  },
  "/urls": (message, response) => {
    const params = { mode: "url", message: "Go", elicitationId: "e", url: "javascript:alert(1)" };
    const inputRequests = { page: { method: "elicitation/create", params } };
    answer(response, message, { resultType: "input_required", inputRequests });
  },
  "/changes": (message, response) => {
    const _meta = { [SUBSCRIPTION_ID]: message.id };
    const { notifications } = message.params;
    response.writeHead(200, EVENTS);
    response.write(event({ method: "notifications/subscriptions/acknowledged", params: { _meta, notifications } }));
    let turn = 0;
    writeEvery(response, 100, () => {
      turn += 1;
      const params = { _meta, uri: `note://watched/${turn}/${URI_FILLING}` };
      return event({ method: "notifications/resources/updated", params });
    });
  },
  "/progress": (message, response) => {
    const { progressToken } = message.params._meta;
    let progress = 0;
    response.writeHead(200, EVENTS);
    writeEvery(response, 10, () => {
      progress += 1;
      return event({ method: "notifications/progress", params: { progressToken, progress, message: "still at it" } });
    });
  },
  "/events": (_message, response) => {
    response.writeHead(200, EVENTS);
    writeEvery(response, 20, () => event({ method: "acme/noise", params: { text: URI_FILLING.slice(0, 16_384) } }));
  },
  "/line": (_message, response) => {
    response.writeHead(200, EVENTS).write("data: ");
    writeEvery(response, 100, () => URI_FILLING);
  },
  "/drip": (_message, response) => {
    response.writeHead(200, JSON_TYPE);
    writeEvery(response, 100, () => " ");
  },
};

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const attack = attacks[request.url ?? ""];
  if (attack && request.method === "POST") attack(JSON.parse(body), response);
  else response.writeHead(405).end();
});
await new Promise((resolve) => void server.listen(0, "127.0.0.1", () => resolve(undefined)));
const address = server.address();
if (typeof address !== "object" || address === null) throw new Error("A server on a port has an address");
serveParent({ hostileUrl: `http://127.0.0.1:${address.port}` }, {});
