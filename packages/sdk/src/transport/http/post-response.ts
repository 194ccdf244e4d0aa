/** Reads the response to a POST: a JSON body, an event stream, 202 Accepted, or an error status. */
import { ProtocolError } from "../../errors/protocol-error.js";
import { SdkError } from "../../errors/sdk-error.js";
import { HttpHeader } from "../../protocol/http-headers.js";
import { classify } from "../../wire/classify.js";
import type { JsonLimits } from "../../wire/json-limits.js";
import type { JsonRpcError } from "../../wire/json-rpc.js";
import { parseJson } from "../../wire/json-text.js";
import type { EndpointClient } from "./endpoint-client.js";
import type { HttpAnswer } from "./http-call.js";
import { asSdkError, named, refusal, sessionExpired, unanswered, wrongBody, wrongType } from "./http-error.js";
import type { InFlightPost } from "./in-flight-post.js";

export interface PostReader {
  readonly endpoint: EndpointClient;
  readonly maxMessageBytes: number;
  readonly jsonLimits: JsonLimits;
  receive(message: unknown): void;
  /** Reads a stream of messages to its end. */
  follow(posted: InFlightPost, answer: HttpAnswer): Promise<void>;
}

export const JSON_TYPE = "application/json";
export const EVENT_STREAM_TYPE = "text/event-stream";

/** @throws {SdkError} unless all pending responses were received, or the server accepted a message without any. */
export async function readResponse(reader: PostReader, posted: InFlightPost, answer: HttpAnswer): Promise<void> {
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
    throw unanswered(posted.nameAt(endpoint), how, undefined, answer.status);
  }
  if (type === EVENT_STREAM_TYPE) await reader.follow(posted, answer);
  else if (type === JSON_TYPE) takeBody(reader, posted, answer, await readText(reader, posted, answer));
  else throw await wrongType(posted.nameAt(endpoint), `${JSON_TYPE} or ${EVENT_STREAM_TYPE}`, answer);
}

function takeBody(reader: PostReader, posted: InFlightPost, { status }: HttpAnswer, text: string): void {
  const { endpoint, jsonLimits, receive } = reader;
  const name = posted.nameAt(endpoint);
  if (text.trim() === "") throw unanswered(name, "the response is empty", undefined, status);
  const parsed = parseJson(text, jsonLimits);
  if (!parsed.ok) throw wrongBody(name, text, parsed.error, status);
  if (!posted.take(parsed.value, receive)) {
    throw unanswered(name, "the response answers something else", undefined, status);
  }
}

async function readRefusal(reader: PostReader, posted: InFlightPost, answer: HttpAnswer): Promise<void> {
  const { endpoint } = reader;
  const name = posted.nameAt(endpoint);
  if (answer.status === 404 && !posted.isModern && posted.session.id !== undefined) {
    answer.discard();
    throw sessionExpired(name);
  }
  const { error, body } = await readRefusalBody(reader, posted, answer);
  if (error === undefined || SPEAKS_BY_STATUS.has(answer.status) || posted.awaited.isEmpty) {
    const cause = error && new ProtocolError(error.code, error.message, { data: error.data });
    throw await refusal(name, endpoint.url, answer, { body: error?.message ?? body, cause });
  }
  // A server that refuses before it reads the body does not know the id, and some servers invent one.
  for (const id of posted.awaited.ids) posted.take({ jsonrpc: "2.0", id, error }, reader.receive);
}

/** Statuses about the HTTP request itself: missing credentials, and a path without POST. An error in the body is only the cause. */
const SPEAKS_BY_STATUS: ReadonlySet<number> = new Set([401, 403, 405]);

interface RefusalBody {
  readonly body?: string;
  readonly error?: JsonRpcError["error"] | undefined;
}

async function readRefusalBody(reader: PostReader, posted: InFlightPost, answer: HttpAnswer): Promise<RefusalBody> {
  if (mediaType(answer) !== JSON_TYPE) return {};
  try {
    const body = await readText(reader, posted, answer);
    return { body, error: errorIn(body, reader.jsonLimits) };
  } catch {
    // The status is reported; the body cannot be read.
    return { body: "" };
  }
}

function errorIn(text: string, limits: JsonLimits): JsonRpcError["error"] | undefined {
  const parsed = parseJson(text, limits);
  const classified = parsed.ok ? classify(parsed.value) : undefined;
  return classified?.kind === "error" ? classified.error : undefined;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

async function readText(reader: PostReader, posted: InFlightPost, answer: HttpAnswer): Promise<string> {
  const name = posted.nameAt(reader.endpoint);
  const bytes = await answer.body(reader.maxMessageBytes).catch((cause: unknown) => {
    // The server keeps sending a body that is too large until it is discarded.
    answer.discard();
    throw named(name, asSdkError("stream-ended", `${name}: the response broke off`, cause));
  });
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new SdkError("invalid-message", `${name}: the response is not valid UTF-8`, { cause });
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
