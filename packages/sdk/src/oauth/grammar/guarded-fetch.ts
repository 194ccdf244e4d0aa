/**
 * A `fetch` for URLs that a peer chose, which prevents server-side request forgery. It checks every URL and, on Node, every
 * address that a host name resolves to. It limits redirects, bytes and time, and buffers the whole body.
 */
import { platform } from "#platform";
import { SdkError } from "../../errors/sdk-error.js";
import { timerMs } from "../../runtime/timers.js";
import { CallController } from "../../transport/http/call-controller.js";
import { type Fetch, fetchHttp } from "../../transport/http/fetch-http.js";
import type { HttpAnswer, HttpCall, SendHttp } from "../../transport/http/http-call.js";
import { asSdkError, nameOf } from "../../transport/http/http-error.js";
import { redirectTarget } from "../../transport/http/redirects.js";
import { addressKind } from "./address-kind.js";
import { isSecureUrl } from "./loopback.js";
import { hostKind, isReachable } from "./peer-location.js";

/** Names of hosts that may have a private address, or `true` for all hosts. */
export type AllowPrivate = boolean | readonly string[];

export interface GuardOptions {
  /** Makes the HTTP requests. URLs are still checked, resolved addresses are not. @defaultValue the platform's HTTP client */
  readonly fetch?: Fetch | undefined;
  /** Whether loopback and private addresses may be called: those of all hosts, or of the listed ones. @defaultValue false */
  readonly allowPrivate?: AllowPrivate | undefined;
  /**
   * The server that the user chose. Its origin may have a private address, since the program calls it anyway.
   * @defaultValue none
   */
  readonly trusted?: URL | undefined;
  /** Bytes of a response body. @defaultValue 1_048_576 */
  readonly maxBytes?: number | undefined;
  /** Time for a call, its redirects and its body. @defaultValue 10_000 */
  readonly timeoutMs?: number | undefined;
  /** Redirects of a `GET` that are followed. @defaultValue 3 */
  readonly maxRedirects?: number | undefined;
}

export interface GuardedInit {
  readonly method?: string | undefined;
  readonly headers?: Headers | Readonly<Record<string, string>> | undefined;
  readonly body?: string | URLSearchParams | null | undefined;
  readonly signal?: AbortSignal | null | undefined;
  /** `manual` returns the redirect itself, `error` refuses it. @defaultValue "follow" */
  readonly redirect?: "follow" | "manual" | "error" | undefined;
}

/** The part of `fetch` that OAuth needs. Fits `customFetch` of oauth4webapi and jose. */
export type GuardedFetch = (input: string | URL, init?: GuardedInit) => Promise<Response>;

interface Guard {
  http(url: URL): SendHttp;
  allowsPrivate(url: URL): boolean;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly maxRedirects: number;
}

/** @throws {SdkError} `invalid-argument`. A text instead of a list would allow every host whose name is a part of it. */
export function checkAllowPrivate(value: AllowPrivate | undefined): void {
  if (value === undefined || typeof value === "boolean") return;
  if (Array.isArray(value) && value.every((host) => typeof host === "string")) return;
  const example = 'such as ["login.corp.example"]';
  throw new SdkError("invalid-argument", `allowPrivate: expected true, false or a list of host names ${example}`);
}

/**
 * Makes a `fetch` that rejects with an SdkError `authorization-failed` for a URL or an address that must not be called, and for
 * a response beyond the limits. It follows redirects of `GET` only, since other requests may carry credentials.
 */
export function guardedFetch(options: GuardOptions = {}): GuardedFetch {
  const { fetch, allowPrivate = false, trusted } = options;
  const { maxBytes = 1_048_576, timeoutMs = 10_000, maxRedirects = 3 } = options;
  const allowsPrivate = ({ origin, hostname }: URL) =>
    origin === trusted?.origin || (typeof allowPrivate === "boolean" ? allowPrivate : allowPrivate.includes(hostname));
  const http = fetch === undefined ? checkedClients(allowsPrivate) : fixedClient(fetchHttp(fetch));
  const guard: Guard = { http, allowsPrivate, maxBytes, timeoutMs, maxRedirects };
  return async (input, init = {}) => {
    const url = parsedUrl(input);
    return withinTime(nameOf(methodOf(init), url), guard.timeoutMs, init.signal ?? undefined, (controller) =>
      followed(guard, callOf(url, init, controller), init.redirect ?? "follow"),
    );
  };
}

const ADVICE = "if you trust the host, list it in allowPrivate";

function fixedClient(http: SendHttp): () => SendHttp {
  return () => http;
}

/** Uses two HTTP clients, so that a URL without permission never reuses a connection to a private address. */
function checkedClients(allowsPrivate: (url: URL) => boolean): (url: URL) => SendHttp {
  const anywhere = platform.checkedHttp(addressCheck(true));
  const publicly = platform.checkedHttp(addressCheck(false));
  return (url) => (allowsPrivate(url) ? anywhere : publicly);
}

function addressCheck(allowPrivate: boolean) {
  return (hostname: string, address: string) =>
    isReachable(addressKind(address), allowPrivate)
      ? undefined
      : failed(`${hostname} resolves to ${address}, which is not a public address; ${ADVICE}`);
}

function parsedUrl(input: string | URL): URL {
  if (!URL.canParse(String(input))) throw failed("expected an absolute URL");
  return new URL(input);
}

function methodOf({ method = "GET" }: GuardedInit): HttpCall["method"] {
  const upper = method.toUpperCase();
  if (upper === "GET" || upper === "POST" || upper === "DELETE") return upper;
  throw new SdkError("invalid-argument", "method: expected GET, POST or DELETE");
}

function callOf(url: URL, init: GuardedInit, controller: CallController): HttpCall {
  const headers = new Headers(init.headers);
  const isForm = init.body instanceof URLSearchParams && !headers.has("content-type");
  if (isForm) headers.set("content-type", "application/x-www-form-urlencoded;charset=UTF-8");
  const body = init.body?.toString();
  return { method: methodOf(init), url, headers: Object.fromEntries(headers), body, controller };
}

/** @throws {SdkError} `authorization-failed` for a URL that must not be called. */
function checkUrl(name: string, url: URL, allowPrivate: boolean): void {
  if (!isSecureUrl(url)) throw failed(`${name} is refused: it must use https, or http on a loopback host`);
  if (url.username !== "" || url.password !== "") throw failed(`${name} is refused: the URL contains credentials`);
  if (!isReachable(hostKind(url.hostname), allowPrivate)) {
    throw failed(`${name} is refused: ${url.hostname} is not a public address; ${ADVICE}`);
  }
}

/** Statuses of answers whose `location` names the next URL. */
export const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

async function followed(guard: Guard, call: HttpCall, redirect: "follow" | "manual" | "error"): Promise<Response> {
  const maxRedirects = redirect === "error" ? 0 : guard.maxRedirects;
  const isFollowing = redirect !== "manual" && call.method === "GET";
  let hop = call;
  for (let hops = 0; ; hops++) {
    const name = nameOf(hop.method, hop.url);
    checkUrl(name, hop.url, guard.allowsPrivate(hop.url));
    const answer = await answered(guard, hop, name);
    const target = REDIRECT_STATUSES.includes(answer.status) ? redirectTarget(hop.url, answer) : undefined;
    if (target === undefined || !isFollowing) return responseOf(guard, name, answer);
    answer.discard();
    if (hops >= maxRedirects) throw failed(`${name} is refused: more than ${maxRedirects} redirects`);
    hop = redirected(hop, name, target);
  }
}

async function answered(guard: Guard, call: HttpCall, name: string): Promise<HttpAnswer> {
  try {
    return await guard.http(call.url)(call);
  } catch (error) {
    throw asSdkError("authorization-failed", name, error);
  }
}

/** Headers that are not sent to another origin. */
const CREDENTIALS: readonly string[] = ["authorization", "cookie", "dpop"];

function redirected(call: HttpCall, name: string, url: URL): HttpCall {
  if (call.url.protocol === "https:" && url.protocol !== "https:") {
    throw failed(`${name} is refused: it redirects to a URL without https`);
  }
  if (call.url.origin === url.origin) return { ...call, url };
  const headers = Object.entries(call.headers).filter(([header]) => !CREDENTIALS.includes(header));
  return { ...call, url, headers: Object.fromEntries(headers) };
}

/** The response headers that OAuth uses. Others are dropped. */
const HEADERS: readonly string[] = [
  ...["age", "cache-control", "content-type", "date", "dpop-nonce", "etag", "expires", "location", "retry-after"],
  "www-authenticate",
];
const WITHOUT_BODY: readonly number[] = [204, 205, 304];

async function responseOf({ maxBytes }: Guard, name: string, answer: HttpAnswer): Promise<Response> {
  const { status } = answer;
  if (status < 200 || status > 599) {
    answer.discard();
    throw failed(`${name} was answered with status ${status}, which has no meaning here`);
  }
  const headers = HEADERS.flatMap((header): [string, string][] => {
    const value = answer.header(header);
    return value === undefined ? [] : [[header, value]];
  });
  const body = await bodyOf(name, answer, maxBytes);
  return new Response(WITHOUT_BODY.includes(status) ? null : body, { status, headers });
}

async function bodyOf(name: string, answer: HttpAnswer, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  try {
    // Copied, since the bytes may be part of a shared buffer.
    return new Uint8Array(await answer.body(maxBytes));
  } catch (error) {
    answer.discard();
    const isTooLarge = error instanceof SdkError && error.code === "too-large";
    if (isTooLarge) throw failed(`${name} was answered with more than ${maxBytes} bytes`);
    throw asSdkError("authorization-failed", name, error);
  }
}

/** Rejects when the time is up or the caller aborts, even if the `fetch` of the application ignores the signal. */
function withinTime<T>(
  name: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  run: (controller: CallController) => Promise<T>,
): Promise<T> {
  const controller = new CallController();
  return new Promise((resolve, reject) => {
    const end = (reason: unknown) => {
      release();
      controller.abort(reason);
      reject(reason);
    };
    const onAbort = () => end(signal?.reason);
    const timer = setTimeout(() => end(failed(`${name}: no answer within ${timeoutMs} ms`)), timerMs(timeoutMs));
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    if (signal?.aborted) return onAbort();
    signal?.addEventListener("abort", onAbort);
    run(controller).then(resolve, reject).finally(release);
  });
}

function failed(message: string): SdkError {
  return new SdkError("authorization-failed", message);
}
