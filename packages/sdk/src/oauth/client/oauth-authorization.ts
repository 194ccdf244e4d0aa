/** Authorizes connections and plain HTTP calls by OAuth, with one session for each protected resource. */
import { SdkError } from "../../errors/sdk-error.js";
import { BoundedMap } from "../../runtime/bounded-map.js";
import type { Fetch } from "../../transport/http/fetch-http.js";
import type { HttpAnswer, SendHttp } from "../../transport/http/http-call.js";
import type { HttpAuthorization } from "../../transport/http/http-client-options.js";
import { type AllowPrivate, guardedFetch } from "../grammar/guarded-fetch.js";
import { isSecureUrl } from "../grammar/loopback.js";
import { isLocalPeer } from "../grammar/peer-location.js";
import { canonicalResource } from "../grammar/resource-uri.js";
import { callAuthorized } from "./authorized-call.js";
import { type LogOutResult, ResourceSession, type SessionOptions } from "./resource-session.js";

/** Settings that all sessions of an authorization share. */
export interface AuthorizationSettings extends Omit<SessionOptions, "url" | "storeKey" | "fetch"> {
  /** Distinguishes the clients that share a store. */
  readonly identity: string;
  readonly fetch: Fetch | undefined;
  readonly allowPrivate: AllowPrivate;
}

/** Sessions that an authorization remembers. After an eviction, the next call makes another one from the store. */
const MAX_SESSIONS = 1_000;

/** Authorizes the HTTP requests of clients. `oauth`, `clientCredentials` and their siblings make one. */
export class OAuthAuthorization implements HttpAuthorization {
  readonly #settings: AuthorizationSettings;
  readonly #sessions = new BoundedMap<string, ResourceSession>({
    maxEntries: MAX_SESSIONS,
    maxWeight: MAX_SESSIONS,
  });

  /** @internal */
  constructor(settings: AuthorizationSettings) {
    this.#settings = settings;
  }

  /** Wraps the HTTP client of a connection. @throws {SdkError} `invalid-argument` for a server without TLS. */
  authorize(url: URL, http: SendHttp, fetch?: Fetch): SendHttp {
    const resource = canonicalResource(url);
    // Throws for a server without TLS before the first call.
    this.#session(url, resource, fetch);
    return (call) => {
      // A token is sent only to the origin that it was issued for.
      if (call.url.origin !== url.origin) return http(call);
      const { method, controller } = call;
      // Looked up for each call: after an eviction, the session that `logOut` finds must be the one that calls use.
      return callAuthorized<HttpAnswer>(this.#session(url, resource, fetch), {
        method,
        url: call.url,
        signal: () => controller.signal,
        send: (headers) => http({ ...call, headers: { ...call.headers, ...headers } }),
        hold: (until) => controller.hold(until),
      });
    };
  }

  /** The id of the login that calls to the server use. It is no secret, and changes with every login. */
  identity(url: URL): Promise<string> {
    return this.#current(url).identity();
  }

  /**
   * Deletes the tokens for a server, here and in the store, and revokes them if the authorization server offers revocation. The
   * next call that needs a token logs in again, or uses a later login of another process. The result says whether the tokens were
   * revoked.
   */
  async logOut(url: string | URL): Promise<LogOutResult> {
    return this.#current(new URL(url)).logOut();
  }

  /** The session of a server. One that is made here is not kept: those of connections must have the connection's `fetch`. */
  #current(url: URL): ResourceSession {
    const resource = canonicalResource(url);
    return this.#sessions.get(resource) ?? this.#newSession(url, resource, undefined);
  }

  /** @internal */
  session(url: URL, fetch?: Fetch): ResourceSession {
    return this.#session(url, canonicalResource(url), fetch);
  }

  #session(url: URL, resource: string, fetch: Fetch | undefined): ResourceSession {
    let session = this.#sessions.get(resource);
    if (session === undefined) {
      session = this.#newSession(url, resource, fetch);
      this.#sessions.set(resource, session, 1);
    }
    return session;
  }

  #newSession(url: URL, resource: string, fetch: Fetch | undefined): ResourceSession {
    if (!isSecureUrl(url)) {
      const message = `${url.origin} is reached without TLS: authorization needs https, or http on a loopback host`;
      throw new SdkError("invalid-argument", message);
    }
    const { identity, fetch: own, allowPrivate, ...settings } = this.#settings;
    return new ResourceSession({
      ...settings,
      url,
      storeKey: JSON.stringify(["tokens", resource, identity]),
      fetch: guardedFetch({ fetch: own ?? fetch, allowPrivate: isLocalPeer(url) || allowPrivate, trusted: url }),
    });
  }
}
