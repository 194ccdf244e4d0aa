/** Errors for responses without a JSON-RPC answer. Each message names the URL, the response, and what to check. */
import { SdkError, type SdkErrorCode } from "../../errors/sdk-error.js";
import { networkAdvice } from "../network-advice.js";
import type { HttpAnswer } from "./http-call.js";
import { redirectTarget } from "./redirects.js";

export interface HttpErrorOptions {
  readonly status: number;
  /** @defaultValue none */
  readonly wwwAuthenticate?: string | undefined;
  /** @defaultValue none */
  readonly retryAfterMs?: number | undefined;
  /** @defaultValue none */
  readonly cause?: unknown;
}

/** A response with an error status and without a JSON-RPC error. */
export class HttpError extends SdkError {
  override readonly status: number;
  /** The `WWW-Authenticate` header of a 401 or 403, unparsed. */
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

/** The name of a call in error messages. Query and credentials of the URL stay out of logs. */
export function nameOf(method: string, url: URL): string {
  return `${method} ${url.origin}${url.pathname}`;
}

const ADVICE: Readonly<Record<number, string>> = {
  401: "the server wants authorization: pass `authorization` (see `oauth` of parley-mcp/oauth), or a token in `headers`",
  403: "the server refuses this client: check the authorization in `headers` and its rules on origins",
  404: "check the path of the URL",
  405: "check that the URL is the MCP endpoint",
  429: "the server asks to be called less often",
  502: "a proxy answered that cannot reach the server: check that the server runs, and the address in the proxy",
  503: "the server has no room at the moment, or a proxy cannot reach it",
  504:
    "a proxy waited too long for the server: raise the proxy's timeout (proxy_read_timeout in nginx), or have the handler " +
    "report progress, which opens a stream with keep-alives; the request may have been served",
};

/** The error for an error status. Reads the start of the body, unless the caller passes `body`. */
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

/** The error for a response whose media type cannot carry the answer. */
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

/** Adds the name of the call to a `too-large` error. Returns other errors unchanged. */
export function named(name: string, error: SdkError): SdkError {
  return error.code === "too-large" ? new SdkError("too-large", `${name}: ${error.message}`) : error;
}

export function unanswered(name: string, how: string, cause?: unknown, status?: number): SdkError {
  const message = `${name}: ${how} without the answer; the server may or may not have done what was asked`;
  return new SdkError("stream-ended", message, { cause, ...(status !== undefined && { status }) });
}

/** Wraps any thrown value in an `SdkError`, as its cause. */
export function asSdkError(code: SdkErrorCode, what: string, cause: unknown): SdkError {
  if (cause instanceof SdkError) return cause;
  const why = cause instanceof Error && cause.message !== "" ? `: ${cause.message}` : "";
  return new SdkError(code, `${what}${why}${networkAdvice(cause)}`, { cause });
}

function excerpt(text: string): string {
  return text.slice(0, EXCERPT_LENGTH).trim();
}

/** The start of a body, for an error message. Of a body that breaks off, the part that arrived. */
async function startOf(answer: HttpAnswer): Promise<string> {
  const utf8 = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of answer.chunks()) {
      text += utf8.decode(chunk, { stream: true });
      if (text.length >= EXCERPT_LENGTH) break;
    }
  } catch {
    // The text that arrived before the failure is shown.
  }
  answer.discard();
  return text;
}
