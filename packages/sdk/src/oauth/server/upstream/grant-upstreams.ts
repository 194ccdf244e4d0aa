/** Gives login providers access to the upstream records of grants in the store: to read, replace and revoke them. */
import type { JsonObject } from "../../../runtime/json.js";
import type { UpstreamToken } from "../../../transport/auth-info.js";
import { OAuthError } from "../../grammar/oauth-error.js";
import type { AuthorizationStore, StoredRecord } from "../authorization-store.js";
import { type GrantRecord, keyOf, revoked } from "../grants.js";
import type { KeptUpstream, LoginProvider } from "../login-provider.js";

export interface GrantUpstreamsOptions {
  readonly store: AuthorizationStore;
  readonly login: LoginProvider;
  readonly onError: (error: unknown) => void;
  /** How long a refresh waits for the provider. A client that gives up loses the new refresh token. @defaultValue 5_000 */
  readonly waitMs?: number;
}

const WAIT_MS = 5_000;

export class GrantUpstreams {
  readonly #options: GrantUpstreamsOptions;

  constructor(options: GrantUpstreamsOptions) {
    this.#options = options;
  }

  /** The upstream token of a grant. Undefined if the grant has none, or it has ended. */
  async token(key: string): Promise<UpstreamToken | undefined> {
    const grant = (await this.#options.store.get("grants", key))?.value;
    if (grant?.upstream === undefined) return undefined;
    return this.#options.login.upstreamToken?.(this.#kept(key, grant.subject));
  }

  /**
   * Renews an upstream token that is about to expire, which shows whether the provider's own grant is still valid.
   * @throws {OAuthError} `invalid_grant` if the provider has ended its grant
   */
  async check(refreshToken: string): Promise<void> {
    const { store, onError, waitMs = WAIT_MS } = this.#options;
    const key = await keyOf(refreshToken);
    // An outage of the provider must not end the grant, so the error is only reported.
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
    const change = (before: JsonObject, next: (current: StoredRecord<GrantRecord>) => StoredRecord<GrantRecord>) =>
      store.update("grants", key, (current) =>
        current?.value.upstream && isSame(current.value.upstream, before) ? next(current) : current,
      );
    return {
      key,
      subject,
      read: async () => (await store.get("grants", key))?.value.upstream,
      replace: (before, upstream) =>
        change(before, (current) => ({ ...current, value: { ...current.value, upstream } })),
      revoke: (before) => change(before, revoked),
    };
  }
}

/** Both were read from the store, so their members have the same order. */
function isSame(one: JsonObject, other: JsonObject): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
