/**
 * Receives the redirect at the end of a login on a port of this machine (RFC 8252, section 7.3). The program shows or opens
 * the authorization URL; this module starts no browser.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { checkTimer, checkWholeNumber } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import { listening } from "../../hosting/node/listening.js";
import type { RedirectReceiver } from "../client/redirect-receiver.js";

/** Options of `loopbackRedirect`. */
export interface LoopbackRedirectOptions {
  /** Shows the authorization URL to the user, or opens it in a browser. */
  readonly open: (url: URL) => void | Promise<void>;
  /** Port to listen on; 0 for any free one. @defaultValue 0 */
  readonly port?: number | undefined;
  /** Path of the redirect URI. @defaultValue "/callback" */
  readonly path?: string | undefined;
  /** Time for one login. @defaultValue 300_000 */
  readonly timeoutMs?: number | undefined;
  /** HTML to show after the login. It may contain styles; the browser loads no other files. @defaultValue a sentence in English */
  readonly page?: string | undefined;
}

const OPTIONS: OptionTable<LoopbackRedirectOptions> = {
  open: true,
  port: true,
  path: true,
  timeoutMs: true,
  page: true,
};

/** A receiver that listens until it is closed. It keeps the process alive only while a login waits. */
export interface LoopbackRedirect extends RedirectReceiver {
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Listens on 127.0.0.1 for the redirects of logins.
 * @throws {SdkError} `invalid-argument` for an invalid port, path or timeout. Rejects with Node's error if the port cannot be opened.
 *
 * @example
 * const redirect = await loopbackRedirect({ open: (page) => console.error(`Log in at ${page}`) });
 * const authorization = oauth({ redirect });
 */
export async function loopbackRedirect(options: LoopbackRedirectOptions): Promise<LoopbackRedirect> {
  if (typeof options?.open !== "function") {
    throw new SdkError(
      "invalid-argument",
      "open: write loopbackRedirect({ open: (page) => console.error(page.href) })",
    );
  }
  checkOptions("loopbackRedirect", options, OPTIONS);
  const { port = 0, path = "/callback", timeoutMs = 300_000 } = options;
  checkWholeNumber("port", port, 0, 65_535);
  checkTimer("timeoutMs", timeoutMs);
  if (!/^\/[\w\-./~]*$/.test(path)) {
    throw new SdkError("invalid-argument", `path: expected one such as "/callback", got ${JSON.stringify(path)}`);
  }
  const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES, headersTimeout: HEAD_MS, requestTimeout: HEAD_MS });
  await listening(server, { port, host: "127.0.0.1" });
  server.unref();
  return new LoopbackReceiver(server, { ...options, path, timeoutMs });
}

const MAX_HEAD_BYTES = 16_384;
const HEAD_MS = 10_000;
const MAX_CONNECTIONS = 32;
const MAX_LOGINS = 16;

const ENDED = htmlPage("Login ended", "The login has ended. You can close this window and return to the program.");
const UNEXPECTED = htmlPage("Unknown login", "No login waits for this answer. Return to the program and log in again.");

function htmlPage(title: string, sentence: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><p>${sentence}</p></html>`;
}

const HEADERS = {
  allow: "GET",
  "cache-control": "no-store",
  connection: "close",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "content-type": "text/html; charset=utf-8",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

interface Login {
  succeed(response: URLSearchParams): void;
  fail(reason: unknown): void;
}

/** The options with the defaults that the constructor and `receive` need. */
type LoopbackSettings = LoopbackRedirectOptions & { readonly path: string; readonly timeoutMs: number };

class LoopbackReceiver implements LoopbackRedirect {
  readonly redirectUri: string;
  readonly #server: Server;
  readonly #options: LoopbackSettings;
  readonly #host: string;
  readonly #path: string;
  /** The logins that wait, by their `state`. */
  readonly #logins = new Map<string, Login>();
  /** The open connections, oldest first. */
  readonly #sockets = new Set<Socket>();

  constructor(server: Server, options: LoopbackSettings) {
    this.#server = server;
    this.#options = options;
    this.#host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#path = options.path;
    this.redirectUri = `http://${this.#host}${options.path}`;
    server.on("request", (request, response) => this.#serve(request, response));
    server.on("connection", (socket) => this.#admit(socket));
  }

  async receive(url: URL, state: string, signal: AbortSignal): Promise<URLSearchParams> {
    signal.throwIfAborted();
    if (!this.#server.listening) throw failed("the loopback redirect is closed");
    if (this.#logins.size >= MAX_LOGINS) throw failed(`${MAX_LOGINS} logins wait already; finish one of them first`);
    if (this.#logins.has(state)) throw failed("a login with this state waits already");
    return new Promise((resolve, reject) => {
      const { open, timeoutMs } = this.#options;
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        this.#logins.delete(state);
        if (this.#logins.size === 0) this.#server.unref();
      };
      const fail = (reason: unknown) => {
        end();
        reject(reason);
      };
      const succeed = (response: URLSearchParams) => {
        end();
        resolve(response);
      };
      const onAbort = () => fail(signal.reason);
      const timer = setTimeout(() => fail(failed(`nobody logged in within ${timeoutMs} ms`)), timeoutMs);
      signal.addEventListener("abort", onAbort);
      this.#logins.set(state, { succeed, fail });
      this.#server.ref();
      // Not awaited: the redirect may arrive before `open` resolves.
      Promise.resolve(url).then(open).catch(fail);
    });
  }

  async close(): Promise<void> {
    for (const login of this.#logins.values()) login.fail(failed("the loopback redirect was closed"));
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Closes the oldest connection beyond the limit, so that idle connections do not block the browser. */
  #admit(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    if (this.#sockets.size <= MAX_CONNECTIONS) return;
    for (const oldest of this.#sockets) {
      this.#sockets.delete(oldest);
      oldest.destroy();
      return;
    }
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    // Node sets `url` on every request of a server.
    const [path, query] = split(request.url as string);
    const parameters = new URLSearchParams(query);
    const refusal = this.#refusalOf(request, path);
    const login = refusal === undefined ? this.#logins.get(parameters.get("state") ?? "") : undefined;
    if (login === undefined) {
      response.writeHead(refusal ?? 400, HEADERS).end(UNEXPECTED);
    } else {
      // The login succeeds only after the page is sent, since the program may then close this server.
      response.once("close", () => login.succeed(parameters));
      response.writeHead(200, HEADERS).end(this.#options.page ?? ENDED);
    }
  }

  #refusalOf({ method, headers }: IncomingMessage, path: string): number | undefined {
    if (path !== this.#path) return 404;
    if (method !== "GET") return 405;
    // DNS rebinding: a web page whose host name resolves to this machine sends that name.
    return headers.host === this.#host ? undefined : 400;
  }
}

function split(url: string): [path: string, query: string] {
  const mark = url.indexOf("?");
  return mark < 0 ? [url, ""] : [url.slice(0, mark), url.slice(mark + 1)];
}

function failed(message: string): SdkError {
  return new SdkError("authorization-failed", message);
}
