/** The upstream records of grants: login providers read, replace and revoke them in the store, from any process. */
import type { JsonObject } from "../../../runtime/json.js";
import type { UpstreamToken } from "../../../transport/auth-info.js";
import { OAuthError } from "../../grammar/oauth-error.js";
import type { AuthorizationStore, Stored } from "../authorization-store.js";
import { type GrantRecord, keyOf, revoked } from "../grants.js";
import type { KeptUpstream, LoginProvider } from "../login-provider.js";

export interface GrantUpstreamsOptions {
  readonly store: AuthorizationStore;
  readonly login: LoginProvider;
  readonly onError: (error: unknown) => void;
  /** How long a refresh waits for the provider: a client that gives up loses the refresh token in the answer. @defaultValue 5_000 */
  readonly waitMs?: number;
}

const WAIT_MS = 5_000;

export class GrantUpstreams {
  readonly #options: GrantUpstreamsOptions;

  constructor(options: GrantUpstreamsOptions) {
    this.#options = options;
  }

  /** The token behind a grant; undefined if it has none, or none any more. */
  async token(key: string): Promise<UpstreamToken | undefined> {
    const grant = (await this.#options.store.get("grants", key))?.value;
    if (grant?.upstream === undefined) return undefined;
    return this.#options.login.upstreamToken?.(this.#kept(key, grant.subject));
  }

  /**
   * Asks the upstream provider whether its own grant still stands, if the token is due for renewal.
   * @throws {OAuthError} `invalid_grant` if the provider has ended it
   */
  async check(refreshToken: string): Promise<void> {
    const { store, onError, waitMs = WAIT_MS } = this.#options;
    const key = await keyOf(refreshToken);
    // An outage of the provider ends no grant.
    const renewal = this.token(key).catch(onError);
    await Promise.race([
      renewal,
      new Promise((resolve) => AbortSignal.timeout(waitMs).addEventListener("abort", resolve)),
    ]);
    if (!(await store.get("grants", key))?.value.isRevoked) return;
    throw new OAuthError("invalid_grant", "the identity provider has ended the login; log in again", { status: 400 });
  }

  #kept(key: string, subject: string): KeptUpstream {
    const { store } = this.#options;
    const change = (before: JsonObject, next: (current: Stored<GrantRecord>) => Stored<GrantRecord>) =>
      store.update("grants", key, (current) =>
        current?.value.upstream && isSame(current.value.upstream, before) ? next(current) : current,
      );
    return {
      key,
      subject,
      read: async () => (await store.get("grants", key))?.value.upstream,
      replace: (before, upstream) =>
        change(before, ({ value, expiresAt }) => ({ value: { ...value, upstream }, expiresAt })),
      revoke: (before) => change(before, revoked),
    };
  }
}

/** Both were read from the store, so their members have one order. */
function isSame(one: JsonObject, other: JsonObject): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
