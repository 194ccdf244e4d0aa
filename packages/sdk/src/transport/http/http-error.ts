/** What a client makes of responses that are no answer: each says what came, from where, and what to look at next. */
import { SdkError, type SdkErrorCode } from "../../errors/sdk-error.js";
import { networkAdvice } from "../network-advice.js";
import type { HttpAnswer } from "./http-call.js";
import { redirectTarget } from "./redirects.js";

export interface HttpErrorOptions {
  readonly status: number;
  readonly wwwAuthenticate?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A status that is no success, and no JSON-RPC error with it. */
export class HttpError extends SdkError {
  override readonly status: number;
  /** The challenge of a 401 or 403, as it came. */
  readonly wwwAuthenticate: string | undefined;
  /** How long the server asks to wait before another attempt (`Retry-After`). */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: HttpErrorOptions) {
    super("http-error", message, options);
    this.status = options.status;
    this.wwwAuthenticate = options.wwwAuthenticate;
    this.retryAfterMs = options.retryAfterMs;
  }
}

const EXCERPT_LENGTH = 200;

/** Query and credentials of a URL are nobody's business in a log. */
export function nameOf(method: string, url: URL): string {
  return `${method} ${url.origin}${url.pathname}`;
}

const GATEWAY =
  "a proxy answered that cannot reach the server: check that the server runs, and the address in the proxy";

const ADVICE: Readonly<Record<number, string>> = {
  401: "the server wants authorization: pass `authorization` (see `oauth` of parley-mcp/oauth), or a token in `headers`",
  403: "the server refuses this client: check the authorization in `headers` and its rules on origins",
  404: "check the path of the URL",
  405: "check that the URL is the MCP endpoint",
  429: "the server asks to be called less often",
  502: GATEWAY,
  503: "the server has no room at the moment, or a proxy cannot reach it",
  504: GATEWAY,
};

/** `body` and `cause` are what was made of the body already; without them its start is read here. */
export async function refusal(
  name: string,
  url: URL,
  answer: HttpAnswer,
  { body, cause }: { body?: string | undefined; cause?: unknown } = {},
): Promise<HttpError> {
  const { status } = answer;
  const target = redirectTarget(url, answer);
  const advice = target
    ? `it points to ${target.origin}${target.pathname}: connect there if you trust it`
    : ADVICE[status];
  const text = excerpt(body ?? (await startOf(answer)));
  const said = text === "" ? "" : ` and said ${JSON.stringify(text)}`;
  return new HttpError(`${name} was answered with status ${status}${said}${advice ? `; ${advice}` : ""}`, {
    status,
    wwwAuthenticate: answer.header("www-authenticate"),
    retryAfterMs: retryAfterMs(answer.header("retry-after")),
    cause,
  });
}

/** Seconds, or a date. Undefined for anything else. */
function retryAfterMs(header = ""): number | undefined {
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined;
}

export function sessionExpired(name: string): SdkError {
  return new SdkError("session-expired", `${name}: the server does not know this session (any more); connect again`, {
    status: 404,
  });
}

export function isSessionExpired(error: unknown): boolean {
  return error instanceof SdkError && error.code === "session-expired";
}

/** A response with a body that cannot hold the answer. */
export async function wrongType(name: string, expected: string, answer: HttpAnswer): Promise<SdkError> {
  const type = answer.header("content-type");
  const text = excerpt(await startOf(answer));
  const came = type === undefined ? "a body without a content type" : type;
  return new SdkError(
    "invalid-message",
    `${name}: expected ${expected}, got ${came} that starts with ${JSON.stringify(text)}; ` +
      "check that the URL is the MCP endpoint and no login page or proxy answers in its place",
    { status: answer.status },
  );
}

export function wrongBody(name: string, body: string, cause: Error, status: number): SdkError {
  const start = JSON.stringify(excerpt(body));
  const message = `${name}: the response is not a JSON-RPC message (${cause.message}); it starts with ${start}`;
  return new SdkError("invalid-message", message, { cause, status });
}

export function responseTooLarge(maxBytes: number): SdkError {
  return new SdkError(
    "too-large",
    `the response is longer than ${maxBytes} bytes; raise maxMessageBytes of the target`,
  );
}

/** The error of a message over the limit, with the call that it ends; every other error as it is. */
export function named(name: string, error: SdkError): SdkError {
  return error.code === "too-large" ? new SdkError("too-large", `${name}: ${error.message}`) : error;
}

export function unanswered(name: string, how: string, cause?: unknown, status?: number): SdkError {
  const message = `${name}: ${how} without the answer; the server may or may not have done what was asked`;
  return new SdkError("stream-ended", message, { cause, ...(status !== undefined && { status }) });
}

/** Any failure as one of ours: what was thrown stays its cause. */
export function asSdkError(code: SdkErrorCode, what: string, cause: unknown): SdkError {
  if (cause instanceof SdkError) return cause;
  const why = cause instanceof Error && cause.message !== "" ? `: ${cause.message}` : "";
  return new SdkError(code, `${what}${why}${networkAdvice(cause)}`, { cause });
}

function excerpt(text: string): string {
  return text.slice(0, EXCERPT_LENGTH).trim();
}

/** Enough of a body to say what it is. A body that breaks off has started, too. */
async function startOf(answer: HttpAnswer): Promise<string> {
  const utf8 = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of answer.chunks()) {
      text += utf8.decode(chunk, { stream: true });
      if (text.length >= EXCERPT_LENGTH) break;
    }
  } catch {
    // What came before is all there is to show.
  }
  answer.discard();
  return text;
}
