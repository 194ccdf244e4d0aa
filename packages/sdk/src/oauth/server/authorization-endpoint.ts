/**
 * The authorization endpoint: the client's request, login, consent, and the redirect with a code. Every step after the first
 * belongs to a transaction. Only the browser that began a transaction can continue it.
 */

import { siteOf } from "../../hosting/http/client-address.js";
import { isLoopbackHost } from "../grammar/loopback.js";
import { OAuthError } from "../grammar/oauth-error.js";
import type { AuthorizationStore } from "./authorization-store.js";
import {
  type AuthorizationRequest,
  type AuthorizationTransaction,
  parseAuthorizationRequest,
  type ReturnAddress,
  returnAddress,
  type SessionUser,
} from "./authorization-transaction.js";
import type { BrowserCookie, BrowserCookies } from "./browser-cookies.js";
import type { ClientDirectory } from "./client-directory.js";
import { statusOf } from "./endpoint-response.js";
import { readForm } from "./form-body.js";
import type { Grants } from "./grants.js";
import type {
  LoggedInUser,
  LoginChoice,
  LoginProvider,
  LoginReply,
  LoginStep,
  LoginTransaction,
} from "./login-provider.js";
import { consentPage, errorPage, type FormBinding, loginPage, PAGE_HEADERS, refusalPage } from "./pages.js";
import type { ResourceDirectory } from "./resource-directory.js";
import type { Revocations } from "./revocations.js";
import { digest, isSameDigest, randomSecret } from "./secrets.js";

export interface AuthorizationEndpointOptions {
  readonly issuer: string;
  /** The URLs of the steps. */
  readonly urls: { readonly login: string; readonly callback: string; readonly consent: string };
  readonly store: AuthorizationStore;
  readonly clients: ClientDirectory;
  readonly resources: ResourceDirectory;
  readonly grants: Grants;
  readonly revocations: Revocations;
  readonly cookies: BrowserCookies;
  readonly login: LoginProvider;
  /** Approves every request as this user, without a page. */
  readonly autoApprove: LoggedInUser | undefined;
  readonly now: () => number;
  /** Time for a user from the request to the decision. */
  readonly transactionMs: number;
  /** How long a browser stays logged in. */
  readonly sessionMs: number;
  readonly consentMs: number;
  readonly onError: (error: unknown) => void;
}

/** A stored transaction with its id, and the cookie and address of its browser. */
interface OpenTransaction extends AuthorizationTransaction {
  readonly id: string;
  readonly cookie: BrowserCookie;
  readonly address: string | undefined;
}

const MAX_URL_CHARS = 16_384;
const STALE = "This page is out of date, or was opened in another browser.";

export class AuthorizationEndpoint {
  readonly #options: AuthorizationEndpointOptions;

  constructor(options: AuthorizationEndpointOptions) {
    this.#options = options;
  }

  /** The first step: handles a client's request, which the browser sends. */
  async authorize(request: Request, address: string | undefined): Promise<Response> {
    if (request.url.length > MAX_URL_CHARS) return errorPage(414, "The authorization request is too long.");
    const query = new URL(request.url).searchParams;
    const { clients, resources } = this.#options;
    try {
      const client = await clients.find(query.get("client_id") ?? "", address);
      if (!client || query.getAll("client_id").length > 1) return errorPage(400, "The application is not known here.");
      const origin = returnAddress(query, client);
      try {
        return await this.#begin(request, parseAuthorizationRequest(query, client, origin, resources), address);
      } catch (error) {
        return this.#refuse(origin, error);
      }
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      // The client or its redirect URI is invalid, so the browser must not be redirected there.
      return errorPage(statusOf(error), `The application sent an invalid request: ${error.description}.`);
    }
  }

  /** Handles a submitted login form. */
  async login(request: Request, address: string | undefined): Promise<Response> {
    const form = await readForm(request);
    const open = await this.#resume(request, form.get("transaction"), form.get("token"), address);
    return open ? this.#finishLogin(open, { from: "form", parameters: form }) : errorPage(400, STALE);
  }

  /** Handles the redirect from an upstream provider. Its `state` replaces the form token. */
  async callback(request: Request, address: string | undefined): Promise<Response> {
    const { searchParams: parameters, pathname: path } = new URL(request.url);
    const open = await this.#resume(request, parameters.get("state"), undefined, address);
    return open ? this.#finishLogin(open, { from: "callback", parameters, path }) : errorPage(400, STALE);
  }

  /** Handles a submitted consent form. */
  async consent(request: Request): Promise<Response> {
    const form = await readForm(request);
    const open = await this.#resume(request, form.get("transaction"), form.get("token"), undefined);
    if (!open?.user || !(await this.#close(open))) return errorPage(400, STALE);
    if (form.get("decision") !== "allow") {
      return this.#refuse(open.request, new OAuthError("access_denied", "the user denied the request"));
    }
    if (form.get("remember") === "yes") await this.#rememberConsent(open.request, open.user);
    return this.#approve(open.request, open.user);
  }

  async #begin(request: Request, asked: AuthorizationRequest, address: string | undefined): Promise<Response> {
    const { autoApprove, cookies, login } = this.#options;
    if (autoApprove) {
      // Without a consent page, a web site that the developer visits could register itself and get a code.
      if (!isLoopback(asked.redirectUri))
        throw new OAuthError("access_denied", "autoApprove serves loopback clients alone");
      return this.#approve(asked, this.#loggedIn(autoApprove));
    }
    const cookie = cookies.read(request) ?? { browser: randomSecret() };
    const open: OpenTransaction = {
      request: asked,
      browser: await digest(cookie.browser),
      id: randomSecret(),
      cookie,
      address,
    };
    const user = asked.prompts.includes("login") ? undefined : await this.#sessionOf(cookie);
    if (user) return this.#askConsent(open, user);
    if (asked.prompts.includes("none")) throw new OAuthError("login_required", "the user is not logged in");
    return this.#take(open, await login.start(this.#described(open)));
  }

  async #finishLogin(open: OpenTransaction, reply: LoginReply): Promise<Response> {
    try {
      // A transaction with a user waits for consent: a second login must not replace the first.
      if (open.user) return errorPage(400, STALE);
      return await this.#take(open, await this.#options.login.finish(this.#described(open), reply));
    } catch (error) {
      await this.#close(open);
      return this.#refuse(open.request, error);
    }
  }

  async #take(open: OpenTransaction, step: LoginStep): Promise<Response> {
    switch (step.kind) {
      case "form": {
        await this.#save(open);
        const { message, fields } = step;
        const form = await this.#binding(open, this.#options.urls.login);
        return this.#bound(open, loginPage({ form, clientName: open.request.client.name, fields, message }));
      }
      case "redirect":
        await this.#save({ ...open, ...(step.remember && { remembered: step.remember }) });
        return this.#bound(open, redirect(step.url));
      case "failed": {
        const error = new OAuthError(step.error, step.description);
        if (step.message === undefined) throw error;
        await this.#close(open);
        const { name } = open.request.client;
        return refusalPage(step.message, name, `${this.#refuse(open.request, error).headers.get("location")}`);
      }
      case "consent":
        await this.#save(open);
        return this.#consentPage(open, this.#options.urls.login, undefined, step.choices);
      case "user": {
        const user = this.#loggedIn(step.user);
        if (step.isApproved) {
          return (await this.#close(open)) ? this.#approve(open.request, user) : errorPage(400, STALE);
        }
        return this.#askConsent({ ...open, cookie: await this.#logIn(open, user) }, user);
      }
    }
  }

  async #askConsent(open: OpenTransaction, user: SessionUser): Promise<Response> {
    const { prompts } = open.request;
    if (!prompts.includes("consent") && (await this.#isRemembered(open.request, user))) {
      await this.#close(open);
      return this.#bound(open, await this.#approve(open.request, user));
    }
    if (prompts.includes("none")) throw new OAuthError("consent_required", "the user has not approved the client");
    await this.#save({ ...open, user });
    return this.#consentPage(open, this.#options.urls.consent, user.name ?? user.subject);
  }

  async #consentPage(
    open: OpenTransaction,
    action: string,
    userName: string | undefined,
    choices: readonly LoginChoice[] = [],
  ): Promise<Response> {
    const { client, redirectUri, resource, scopes } = open.request;
    const page = consentPage({
      form: await this.#binding(open, action),
      clientName: client.name,
      clientHost: client.origin === "document" ? new URL(client.clientId).host : undefined,
      userName,
      choices,
      resource,
      scopes,
      redirectHost: new URL(redirectUri).host,
      isLoopback: isLoopback(redirectUri),
    });
    return this.#bound(open, page);
  }

  /** Issues a code. */
  async #approve(asked: AuthorizationRequest, user: SessionUser): Promise<Response> {
    const { client, redirectUri, resource, scopes, challenge, thumbprint } = asked;
    await this.#options.clients.approve(client, user.subject);
    const grant = {
      clientId: client.clientId,
      subject: user.subject,
      resource,
      scopes,
      loggedInAt: user.loggedInAt,
      ...(user.credentialDigest !== undefined && { credentialDigest: user.credentialDigest }),
      ...(user.upstream && { upstream: user.upstream }),
      ...(thumbprint !== undefined && { thumbprint }),
    };
    const code = await this.#options.grants.open(grant, { redirectUri, challenge });
    return this.#answer(asked, { code });
  }

  /** Redirects an error to the client. Any error but an OAuthError is reported, and sent as `server_error` without details. */
  #refuse(to: ReturnAddress, error: unknown): Response {
    if (error instanceof OAuthError) {
      return this.#answer(to, { error: error.code, error_description: `${error.description}` });
    }
    this.#options.onError(error);
    return this.#answer(to, { error: "server_error", error_description: "the login failed" });
  }

  #answer({ redirectUri, state }: ReturnAddress, parameters: Record<string, string>): Response {
    const query = new URLSearchParams({
      ...parameters,
      ...(state !== undefined && { state }),
      iss: this.#options.issuer,
    });
    // Appended as text, since a URL object would normalize the registered redirect URI.
    return redirect(`${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${query}`);
  }

  async #save({ id, request, browser, remembered, user, address }: OpenTransaction): Promise<void> {
    const { store, now, transactionMs } = this.#options;
    const value = { request, browser, ...(remembered && { remembered }), ...(user && { user }) };
    // Keeps the expiry of the first step, so that further steps do not extend the transaction.
    await store.update("transactions", await digest(id), (current) => ({
      value,
      expiresAt: current?.expiresAt ?? now() + transactionMs,
      ...(address !== undefined && { owner: siteOf(address) }),
    }));
  }

  /** Finds a transaction by its id. Undefined if another browser began it, or if the token of a form is wrong. */
  async #resume(
    request: Request,
    id: string | null,
    token: string | null | undefined,
    address: string | undefined,
  ): Promise<OpenTransaction | undefined> {
    const { store, cookies, issuer } = this.#options;
    const cookie = cookies.read(request);
    const origin = request.headers.get("origin");
    if (id === null || token === null || cookie === undefined) return undefined;
    if (token !== undefined && origin !== null && origin !== new URL(issuer).origin) return undefined;
    const stored = (await store.get("transactions", await digest(id)))?.value;
    if (!stored || !isSameDigest(stored.browser, await digest(cookie.browser))) return undefined;
    if (token !== undefined && !isSameDigest(await formToken(cookie, id), token)) return undefined;
    return { ...stored, id, cookie, address };
  }

  /** Ends a transaction. False if it had ended before, so that a form that is submitted twice counts once. */
  async #close({ id }: OpenTransaction): Promise<boolean> {
    let wasOpen = false;
    await this.#options.store.update("transactions", await digest(id), (current) => {
      wasOpen = current !== undefined;
      return undefined;
    });
    return wasOpen;
  }

  /** The user of a session. Undefined if the user was removed, or the session was revoked. */
  async #sessionOf({ session }: BrowserCookie): Promise<SessionUser | undefined> {
    if (session === undefined) return undefined;
    const { store, login, revocations } = this.#options;
    const user = (await store.get("sessions", await digest(session)))?.value;
    if (!user || (await revocations.covers(user))) return undefined;
    return (await login.isStillValid?.(user)) === false ? undefined : user;
  }

  #loggedIn(user: LoggedInUser): SessionUser {
    return { ...user, loggedInAt: this.#options.now() };
  }

  async #logIn({ cookie }: OpenTransaction, user: SessionUser): Promise<BrowserCookie> {
    const { store, now, sessionMs } = this.#options;
    const session = randomSecret();
    const record = { value: user, expiresAt: now() + sessionMs, owner: user.subject };
    await store.update("sessions", await digest(session), () => record);
    return { ...cookie, session };
  }

  async #isRemembered(asked: AuthorizationRequest, { subject }: LoggedInUser): Promise<boolean> {
    if (isLoopback(asked.redirectUri)) return false;
    const { store, revocations } = this.#options;
    const stored = await store.get("consents", await consentKey(asked, subject));
    if (!stored || !asked.scopes.every((scope) => stored.value.scopes.includes(scope))) return false;
    const { givenAt } = stored.value;
    const client = { clientId: asked.client.clientId, since: givenAt };
    return !(await revocations.covers({ subject, loggedInAt: givenAt, client }));
  }

  async #rememberConsent(asked: AuthorizationRequest, { subject }: LoggedInUser): Promise<void> {
    const { store, now, consentMs } = this.#options;
    const { scopes } = asked;
    await store.update("consents", await consentKey(asked, subject), () => ({
      value: { scopes, givenAt: now() },
      expiresAt: now() + consentMs,
      owner: subject,
    }));
  }

  #described({ id, request, remembered, address }: OpenTransaction): LoginTransaction {
    const { client, resource, scopes, loginHint } = request;
    return {
      id,
      clientId: client.clientId,
      clientName: client.name,
      resource,
      scopes,
      callbackUrl: this.#options.urls.callback,
      ...(loginHint !== undefined && { loginHint }),
      ...(remembered && { remembered }),
      ...(address !== undefined && { address }),
    };
  }

  async #binding({ id, cookie }: OpenTransaction, action: string): Promise<FormBinding> {
    return { action, transaction: id, token: await formToken(cookie, id) };
  }

  #bound({ cookie }: OpenTransaction, response: Response): Response {
    const { cookies, transactionMs, sessionMs } = this.#options;
    response.headers.set("set-cookie", cookies.serialize(cookie, Math.max(transactionMs, sessionMs)));
    return response;
  }
}

/** The token of a form: derived from the browser's cookie, and valid for one transaction. */
function formToken({ browser }: BrowserCookie, id: string): Promise<string> {
  return digest("form", browser, id);
}

function consentKey({ client, resource, redirectUri }: AuthorizationRequest, subject: string): Promise<string> {
  return digest(subject, client.clientId, resource, redirectUri);
}

function isLoopback(uri: string): boolean {
  return isLoopbackHost(new URL(uri).hostname);
}

function redirect(location: string): Response {
  return new Response(null, { status: 303, headers: { location, ...PAGE_HEADERS } });
}
