/** The requests of a load, for one server in one mode: their bytes ready, sessions open, the right answers known. */
import { REVISION } from "../contender.js";
import { MANY } from "../tools.js";
import { type Answer, check, jobAt, TOOL } from "../workload.js";
import { type CheckMessage, Exchange, messageIn } from "./exchange.js";
import type { HttpMode } from "./http-contender.js";
import { type ProofKey, Proofs } from "./proofs.js";

export interface LoadTarget {
  readonly url: string;
  readonly mode: HttpMode;
  readonly method: "tools/call" | "tools/list";
  readonly connections: number;
  readonly accept?: string | undefined;
  /** What every request has to carry. */
  readonly headers?: Headers | undefined;
  /** The key of the bound token in the headers. */
  readonly proofKey?: ProofKey | undefined;
  /** What a server without a clue says to everything, if that is what is measured. */
  readonly constant?: string | undefined;
  /** Each call becomes a task, whose result takes a second request. */
  readonly callsTasks?: boolean | undefined;
}

/** Different orders on one connection, so that an answer to another shows. */
const JOBS_PER_CONNECTION = 8;
const BOTH = "application/json, text/event-stream";
const CLIENT = { name: "load", version: "1.0.0" };
const META = {
  "io.modelcontextprotocol/protocolVersion": REVISION.modern,
  "io.modelcontextprotocol/clientInfo": CLIENT,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const META_WITH_TASKS = {
  ...META,
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
};

/** The exchanges of each connection, to be repeated in turn. Ids differ between all of them. */
export async function prepareExchanges(target: LoadTarget): Promise<Exchange[][]> {
  const connections = Array.from({ length: target.connections }, (_, index) => index);
  const headers = await Promise.all(connections.map(() => openedHeaders(target)));
  return headers.map((opened, connection) => {
    const jobs = target.method === "tools/call" ? JOBS_PER_CONNECTION : 1;
    const exchangesOf = target.callsTasks ? taskExchanges : callExchanges;
    return Array.from({ length: jobs }, (_, job) => connection * JOBS_PER_CONNECTION + job).flatMap((index) =>
      exchangesOf(target, opened, index),
    );
  });
}

/** A call that creates a task, and the request for its result. */
function taskExchanges(target: LoadTarget, opened: Headers, index: number): Exchange[] {
  const isModern = target.mode === "modern";
  const id = index + 1;
  const called = {
    name: TOOL,
    arguments: jobAt(index).order,
    ...(isModern ? { _meta: META_WITH_TASKS } : { task: {} }),
  };
  const call = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: called });
  let taskId = "";
  const created: CheckMessage = (message) => {
    const task = (isModern ? message.result : memberOf(message.result, "task")) ?? {};
    taskId = String(memberOf(task, "taskId"));
  };
  const method = isModern ? "tasks/get" : "tasks/result";
  const read = (): Buffer => {
    const params = { taskId, ...(isModern && { _meta: META_WITH_TASKS }) };
    const headers = isModern ? { ...opened, "mcp-method": method, "mcp-name": taskId } : opened;
    return requestBytes(target, headers, JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  };
  const finished: CheckMessage = ({ result }) =>
    check(jobAt(index), ((isModern ? memberOf(result, "result") : result) ?? {}) as Answer); // Trusted in nothing by `check`.
  return [new Exchange(requestBytes(target, opened, call), created), new Exchange(read, finished)];
}

function memberOf(value: unknown, name: string): unknown {
  return (value as Readonly<Record<string, unknown>> | undefined)?.[name];
}

function callExchanges(target: LoadTarget, opened: Headers, index: number): Exchange[] {
  const { mode, method } = target;
  const id = index + 1;
  const params = method === "tools/call" ? { name: TOOL, arguments: jobAt(index).order } : {};
  const sent = mode === "modern" ? { ...params, _meta: META } : params;
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: sent });
  const { proofKey, headers = {} } = target;
  if (proofKey === undefined) return [new Exchange(requestBytes(target, opened, body), answerCheck(target, id, index))];
  const proofs = new Proofs(proofKey, String(headers.authorization).replace(/^DPoP /, ""));
  const proven = () => requestBytes(target, { ...opened, dpop: proofs.next() }, body);
  return [new Exchange(proven, answerCheck(target, id, index))];
}

type Headers = Readonly<Record<string, string>>;

function requestBytes({ url, accept = BOTH, headers: given }: LoadTarget, opened: Headers, body: string): Buffer {
  const { host, pathname } = new URL(url);
  const headers = {
    host,
    connection: "keep-alive",
    "content-type": "application/json",
    accept,
    ...given,
    ...opened,
    "content-length": Buffer.byteLength(body),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`POST ${pathname} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}

function answerCheck({ method, constant }: LoadTarget, id: number, index: number): CheckMessage {
  if (constant !== undefined) return (message) => expectConstant(JSON.stringify(message), constant);
  return (message) => {
    if (message.id !== id) throw new Error(`expected id ${id}, got ${JSON.stringify(message).slice(0, 300)}`);
    if (method === "tools/call")
      check(jobAt(index), (message.result ?? {}) as Answer); // Trusted in nothing by `check`.
    else expectManyTools(message.result);
  };
}

function expectConstant(actual: string, constant: string): void {
  if (actual !== constant) throw new Error(`expected ${constant.slice(0, 300)}, got ${actual.slice(0, 300)}`);
}

function expectManyTools(result: unknown): void {
  const { tools } = (result ?? {}) as { tools?: { name?: unknown; inputSchema?: unknown; outputSchema?: unknown }[] };
  const isWhole = tools?.every(
    ({ name, inputSchema, outputSchema }, index) => name === `${TOOL}-${index}` && inputSchema && outputSchema,
  );
  if (isWhole && tools?.length === MANY) return;
  throw new Error(`expected ${MANY} tools with schemas in order, got ${tools?.length} in another`);
}

/** What a client sends with every request after it has opened: the method's headers, or those of its session. */
async function openedHeaders(target: LoadTarget): Promise<Headers> {
  const { mode, method, constant } = target;
  if (mode === "modern") {
    const name = method === "tools/call" ? { "mcp-name": TOOL } : {};
    return { "mcp-protocol-version": REVISION.modern, "mcp-method": method, ...name };
  }
  if (constant !== undefined)
    return {
      "mcp-protocol-version": REVISION.legacy,
      ...(mode === "legacy sessions" && { "mcp-session-id": crypto.randomUUID() }),
    };
  return shakeHands(target);
}

/** Servers without sessions are asked too: they may have an older revision. */
async function shakeHands({ url, mode, accept = BOTH }: LoadTarget): Promise<Headers> {
  const headers = { "content-type": "application/json", accept };
  const post = (message: object, more: Headers = {}) =>
    fetch(url, {
      method: "POST",
      headers: { ...headers, ...more },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const params = { protocolVersion: REVISION.legacy, capabilities: {}, clientInfo: CLIENT };
  const response = await post({ id: 0, method: "initialize", params });
  const { result } = messageIn(await response.text());
  const { protocolVersion } = (result ?? {}) as { protocolVersion?: string };
  if (protocolVersion === undefined) throw new Error(`initialize: expected a revision, got ${JSON.stringify(result)}`);
  const opened = { "mcp-protocol-version": protocolVersion };
  if (mode === "legacy stateless") return opened;
  const session = response.headers.get("mcp-session-id");
  if (session === null) throw new Error("initialize: expected a session");
  const inSession = { ...opened, "mcp-session-id": session };
  await (await post({ method: "notifications/initialized" }, inSession)).text();
  return inSession;
}
