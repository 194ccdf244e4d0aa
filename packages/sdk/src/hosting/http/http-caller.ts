/** The caller of a message over HTTP. Its headers are copied only when a handler reads them. */
import type { AuthInfo } from "../../transport/auth-info.js";
import { type Caller, UNKNOWN_ADDRESS } from "../../transport/caller.js";
import type { HttpHeaders, HttpRequest } from "./http-host.js";

export class HttpCaller implements Caller {
  readonly principal: string | undefined;
  readonly details: unknown;
  messageBytes = 0;
  readonly #request: HttpRequest;
  readonly #known: Caller | undefined;

  constructor(request: HttpRequest, known: Caller | undefined) {
    this.#request = request;
    this.principal = known?.principal;
    this.details = known?.details;
    this.#known = known;
  }

  get address(): string {
    return this.#known?.address ?? this.#request.address ?? UNKNOWN_ADDRESS;
  }

  get auth(): AuthInfo | undefined {
    return this.#known?.auth;
  }

  get expiresAt(): number | undefined {
    return this.#known?.expiresAt;
  }

  scopeChallenge(scopes: readonly string[]): string {
    const { scopeChallenge = bearerChallenge } = this.#known ?? {};
    return scopeChallenge(scopes);
  }

  /** The headers of the request. Access tokens and proofs are removed: a server must not pass a token on. */
  get headers(): HttpHeaders {
    const headers = this.#request.headers();
    if (this.auth === undefined) return headers;
    const { ...others }: Record<string, string> = headers;
    delete others.authorization;
    delete others.dpop;
    return others;
  }
}

/** No escaping: scopes contain no quotes. */
function bearerChallenge(scopes: readonly string[]): string {
  return `Bearer error="insufficient_scope", scope="${scopes.join(" ")}"`;
}
