/**
 * The pages that connect an account elsewhere. An invitation belongs to the user who called the tool. Whoever opens its URL
 * has to log in as that user first: the URL may have been passed on to somebody who does not know what it is.
 */
import { AuthorizationResponseError } from "oauth4webapi";
import type { CodeFlow, StartedFlow } from "./code-flow.js";
import { ExpiringMap } from "./expiring-map.js";

export interface ConnectPagesOptions {
  /** Where these pages are: `https://library.example.com`. */
  readonly origin: string;
  /** A login at the authorization server that the users of the tool log in at. */
  readonly login: CodeFlow;
  /** The user that a token of `login` was issued to. @throws {Error} for any other token. */
  readonly subjectOf: (accessToken: string) => Promise<string>;
  /** The account elsewhere. */
  readonly account: CodeFlow;
  /** Keeps the token of the account for this user alone. */
  readonly onConnected: (subject: string, accessToken: string, invitation: string) => Promise<void>;
}

/** A browser on its way through one of the two flows, by the `state` of the flow. */
interface Visit extends Omit<StartedFlow, "url" | "state"> {
  readonly step: "login" | "account";
  readonly invitation: string;
  /** The cookie of the browser that started the flow. Another one must not finish it. */
  readonly browser: string;
}

const LIMITS = { maxEntries: 1_000, maxAgeMs: 600_000 };
const COOKIE = /(?:^|; )connect=([\w-]+)(?:;|$)/;

export class ConnectPages {
  readonly #options: ConnectPagesOptions;
  /** Users by invitation. */
  readonly #invitations = new ExpiringMap<string>(LIMITS);
  readonly #visits = new ExpiringMap<Visit>(LIMITS);

  constructor(options: ConnectPagesOptions) {
    this.#options = options;
  }

  /** An id for one connection of this user. It proves nothing about who shows it. */
  invite(subject: string): string {
    const invitation = crypto.randomUUID();
    this.#invitations.set(invitation, subject);
    return invitation;
  }

  urlOf(invitation: string): string {
    return `${this.#options.origin}/connect?id=${invitation}`;
  }

  /** For `routes` of a host. */
  readonly handle = async (request: Request): Promise<Response | undefined> => {
    const { pathname, searchParams } = new URL(request.url);
    const browser = COOKIE.exec(request.headers.get("cookie") ?? "")?.[1];
    const steps = new Map([
      ["/connect", () => this.#open(searchParams.get("id") ?? "")],
      ["/connect/login", () => this.#loggedIn(searchParams, browser)],
      ["/connect/account", () => this.#connected(searchParams, browser)],
    ]);
    const step = steps.get(pathname);
    if (step === undefined) return undefined;
    if (request.method !== "GET") return page(405, "Open this page in a browser.");
    return step().catch((error: unknown) => {
      if (error instanceof AuthorizationResponseError) return page(400, "The account was not connected.");
      console.error(error);
      return page(502, "The account could not be connected. Try again later.");
    });
  };

  async #open(invitation: string): Promise<Response> {
    if (this.#invitations.get(invitation) === undefined) return stale();
    return this.#send("login", invitation, crypto.randomUUID());
  }

  async #loggedIn(response: URLSearchParams, browser: string | undefined): Promise<Response> {
    const visit = this.#visitOf("login", response, browser);
    if (visit === undefined) return stale();
    const { login, subjectOf } = this.#options;
    const subject = await subjectOf(await login.finish(visit, response));
    if (subject !== this.#invitations.get(visit.invitation)) {
      return page(403, "Somebody else asked for this page. If they sent it to you, they may be after your account.");
    }
    return this.#send("account", visit.invitation, visit.browser);
  }

  async #connected(response: URLSearchParams, browser: string | undefined): Promise<Response> {
    const visit = this.#visitOf("account", response, browser);
    if (visit === undefined) return stale();
    const accessToken = await this.#options.account.finish(visit, response);
    const subject = this.#invitations.take(visit.invitation);
    if (subject === undefined) return stale();
    await this.#options.onConnected(subject, accessToken, visit.invitation);
    return page(200, "The account is connected. Go back to your application.");
  }

  async #send(step: Visit["step"], invitation: string, browser: string): Promise<Response> {
    const { url, state, verifier } = await this.#options[step].start();
    this.#visits.set(state, { step, invitation, browser, verifier });
    const attributes = `Path=/connect; HttpOnly; SameSite=Lax; Max-Age=${LIMITS.maxAgeMs / 1_000}`;
    const secure = this.#options.origin.startsWith("https:") ? "; Secure" : "";
    const headers = { location: url.href, "set-cookie": `connect=${browser}; ${attributes}${secure}` };
    return new Response(null, { status: 303, headers: { ...headers, ...PAGE_HEADERS } });
  }

  /** The flow that a response belongs to, once, if it came back in the browser that started it. */
  #visitOf(
    step: Visit["step"],
    response: URLSearchParams,
    browser: string | undefined,
  ): (Visit & { readonly state: string }) | undefined {
    const state = response.get("state") ?? "";
    const visit = this.#visits.take(state);
    return visit?.step === step && visit.browser === browser ? { ...visit, state } : undefined;
  }
}

const PAGE_HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
};

function stale(): Response {
  return page(400, "This page is not open any more. Ask your application for it again.");
}

function page(status: number, sentence: string): Response {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Connect an account</title><p>${sentence}</p></html>`;
  return new Response(html, { status, headers: { "content-type": "text/html; charset=utf-8", ...PAGE_HEADERS } });
}
