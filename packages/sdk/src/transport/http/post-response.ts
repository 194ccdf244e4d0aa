/** What the response to a POST holds: answers in one body or one by one, an acceptance, or a refusal. */
import { ProtocolError } from "../../errors/protocol-error.js";
import { SdkError } from "../../errors/sdk-error.js";
import { HttpHeader } from "../../protocol/http-headers.js";
import { classify } from "../../wire/classify.js";
import type { JsonLimits } from "../../wire/json-limits.js";
import type { JsonRpcError } from "../../wire/json-rpc.js";
import { parseJson } from "../../wire/json-text.js";
import type { HttpAnswer } from "./http-call.js";
import type { HttpEndpoint } from "./http-endpoint.js";
import { asSdkError, refusal, sessionExpired, unanswered, wrongBody, wrongType } from "./http-error.js";
import type { PostedMessage } from "./posted-message.js";

export interface PostReader {
  readonly endpoint: HttpEndpoint;
  readonly maxMessageBytes: number;
  readonly jsonLimits: JsonLimits;
  receive(message: unknown): void;
  /** Reads a stream of messages to its end. */
  follow(posted: PostedMessage, answer: HttpAnswer): Promise<void>;
}

export const JSON_TYPE = "application/json";
export const EVENT_STREAM_TYPE = "text/event-stream";

/** @throws {SdkError} unless everything that was owed has been handed on, or accepted where nothing was owed. */
export async function readResponse(reader: PostReader, posted: PostedMessage, answer: HttpAnswer): Promise<void> {
  if (!isSuccess(answer)) return readRefusal(reader, posted, answer);
  if (posted.isOpening) posted.session.assign(answer.header(HttpHeader.session));
  if (posted.awaited.isEmpty) {
    answer.discard();
    return;
  }
  const { endpoint } = reader;
  const type = mediaType(answer);
  if (answer.status === 202 || answer.status === 204) {
    answer.discard();
    const how = `the server answered a request with status ${answer.status}`;
    throw unanswered(endpoint.name("POST"), how, undefined, answer.status);
  }
  if (type === EVENT_STREAM_TYPE) await reader.follow(posted, answer);
  else if (type === JSON_TYPE) takeBody(reader, posted, answer, decoded(endpoint, await readBytes(reader, answer)));
  else throw await wrongType(endpoint.name("POST"), `${JSON_TYPE} or ${EVENT_STREAM_TYPE}`, answer);
}

function takeBody(reader: PostReader, posted: PostedMessage, { status }: HttpAnswer, text: string): void {
  const { endpoint, jsonLimits, receive } = reader;
  if (text.trim() === "") throw unanswered(endpoint.name("POST"), "the response is empty", undefined, status);
  const parsed = parseJson(text, jsonLimits);
  if (!parsed.ok) throw wrongBody(endpoint.name("POST"), text, parsed.error, status);
  if (!posted.take(parsed.value, receive)) {
    throw unanswered(endpoint.name("POST"), "the response answers something else", undefined, status);
  }
}

async function readRefusal(reader: PostReader, posted: PostedMessage, answer: HttpAnswer): Promise<void> {
  const { endpoint } = reader;
  const name = endpoint.name("POST");
  if (answer.status === 404 && !posted.isModern && posted.session.id !== undefined) {
    answer.discard();
    throw sessionExpired(name);
  }
  const { error, body } = await readRefusalBody(reader, answer);
  if (error === undefined || SPEAKS_BY_STATUS.has(answer.status) || posted.awaited.isEmpty) {
    const cause = error && new ProtocolError(error.code, error.message, { data: error.data });
    throw await refusal(name, endpoint.url, answer, { body: error?.message ?? body, cause });
  }
  // Servers that refuse before they read the body cannot know the id, and some make one up.
  for (const id of posted.awaited.ids) posted.take({ jsonrpc: "2.0", id, error }, reader.receive);
}

/** Statuses that are about the HTTP request, whatever the body says: credentials, and a path that takes no POST. */
const SPEAKS_BY_STATUS: ReadonlySet<number> = new Set([401, 403, 405]);

interface RefusalBody {
  readonly body?: string;
  readonly error?: JsonRpcError["error"] | undefined;
}

async function readRefusalBody(reader: PostReader, answer: HttpAnswer): Promise<RefusalBody> {
  if (mediaType(answer) !== JSON_TYPE) return {};
  try {
    const body = decoded(reader.endpoint, await readBytes(reader, answer));
    return { body, error: errorIn(body, reader.jsonLimits) };
  } catch {
    // The status says more than a body that cannot be read.
    return { body: "" };
  }
}

function errorIn(text: string, limits: JsonLimits): JsonRpcError["error"] | undefined {
  const parsed = parseJson(text, limits);
  const classified = parsed.ok ? classify(parsed.value) : undefined;
  return classified?.kind === "error" ? classified.error : undefined;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function readBytes({ endpoint, maxMessageBytes }: PostReader, answer: HttpAnswer): Promise<Uint8Array> {
  return answer.body(maxMessageBytes).catch((cause: unknown) => {
    // What is too large keeps coming until it is told not to.
    answer.discard();
    throw asSdkError("stream-ended", `${endpoint.name("POST")}: the response broke off`, cause);
  });
}

function decoded(endpoint: HttpEndpoint, bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new SdkError("invalid-message", `${endpoint.name("POST")}: the response is not valid UTF-8`, { cause });
  }
}

export function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

/** The media type without its parameters. */
export function mediaType(answer: HttpAnswer): string {
  const type = answer.header("content-type") ?? "";
  const end = type.indexOf(";");
  return (end < 0 ? type : type.slice(0, end)).trim().toLowerCase();
}
