/**
 * Tokens of upstream providers, encrypted in the grants of this server. Calls share one renewal per grant, and the renewed
 * tokens replace the old ones in the store.
 */
import { SdkError } from "../../../errors/sdk-error.js";
import type { JsonObject } from "../../../runtime/json.js";
import type { UpstreamToken } from "../../../transport/auth-info.js";
import type { KeptUpstream } from "../login-provider.js";
import type { JsonSeal } from "./json-seal.js";
import type { UpstreamConnection, UpstreamTokenSet } from "./upstream-connection.js";
import { UpstreamFailure } from "./upstream-failure.js";

export interface UpstreamTokensOptions {
  readonly seal: JsonSeal;
  readonly connections: ReadonlyMap<string, UpstreamConnection>;
  readonly now: () => number;
}

/** The upstream record of a grant. */
interface SealedTokens {
  readonly provider: string;
  readonly sealed: string;
}

interface OpenTokens {
  readonly record: JsonObject;
  readonly connection: UpstreamConnection;
  readonly tokens: UpstreamTokenSet;
}

/** A token is renewed this long before it expires, so that it is still valid when the handler uses it. */
const MARGIN_MS = 60_000;
/** Grants whose token is being read at a time. Reading includes the renewal, which waits for the provider. */
const MAX_READS = 1_000;
const MAX_SEALED_CHARS = 65_536;

export class UpstreamTokens {
  readonly #options: UpstreamTokensOptions;
  readonly #reads = new Map<string, Promise<UpstreamToken | undefined>>();

  constructor(options: UpstreamTokensOptions) {
    this.#options = options;
  }

  /** Makes the upstream record for a grant of this subject. @throws {UpstreamFailure} for tokens that are too large */
  async keep(provider: string, subject: string, tokens: UpstreamTokenSet): Promise<JsonObject> {
    const sealed = await this.#options.seal.seal({ ...tokens }, ownerOf(provider, subject));
    if (sealed.length <= MAX_SEALED_CHARS) return { provider, sealed };
    throw new UpstreamFailure("invalid", `${provider}: its tokens have more than ${MAX_SEALED_CHARS} characters`);
  }

  /**
   * Returns the token of a grant, renewed if it is about to expire. Undefined if it cannot be renewed, or cannot be decrypted.
   * @throws {SdkError} `authorization-failed` if the provider cannot be reached
   */
  async token(kept: KeptUpstream): Promise<UpstreamToken | undefined> {
    const pending = this.#reads.get(kept.key);
    if (pending !== undefined) return pending;
    if (this.#reads.size >= MAX_READS) {
      throw new SdkError("authorization-failed", "too many upstream tokens are being read; try again later");
    }
    // Concurrent calls share the read too: a second renewal with a spent refresh token would end the grant at the provider.
    const read = this.#read(kept).finally(() => this.#reads.delete(kept.key));
    this.#reads.set(kept.key, read);
    return read;
  }

  async #read(kept: KeptUpstream): Promise<UpstreamToken | undefined> {
    const open = await this.#open(kept);
    if (open === undefined || !this.#isExpired(open.tokens)) return open && tokenOf(open);
    const { refreshToken } = open.tokens;
    return refreshToken === undefined ? undefined : this.#renew(kept, open, refreshToken);
  }

  async #renew(kept: KeptUpstream, open: OpenTokens, refreshToken: string): Promise<UpstreamToken | undefined> {
    const { connection, record } = open;
    try {
      const tokens = await connection.renew(refreshToken, open.tokens);
      await kept.replace(record, { ...record, ...(await this.keep(connection.name, kept.subject, tokens)) });
      return tokenOf({ connection, tokens });
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      if (error.reason !== "ended") {
        throw new SdkError("authorization-failed", `the upstream token cannot be renewed: ${error.message}`);
      }
    }
    // Another process may have renewed the token, and so spent the refresh token. `revoke` then does nothing.
    await kept.revoke(record);
    const current = await this.#open(kept);
    return current && tokenOf(current);
  }

  async #open(kept: KeptUpstream): Promise<OpenTokens | undefined> {
    const record = await kept.read();
    const { provider = "", sealed = "" } = (record ?? {}) as Partial<SealedTokens>;
    const connection = this.#options.connections.get(provider);
    if (record === undefined || connection === undefined) return undefined;
    const tokens = await this.#options.seal.open(sealed, ownerOf(provider, kept.subject));
    // Sealed by `keep`.
    return tokens && { record, connection, tokens: tokens as unknown as UpstreamTokenSet };
  }

  #isExpired({ expiresAt = Number.POSITIVE_INFINITY }: UpstreamTokenSet): boolean {
    return expiresAt - MARGIN_MS <= this.#options.now();
  }
}

function ownerOf(provider: string, subject: string): string {
  return JSON.stringify(["tokens", provider, subject]);
}

function tokenOf({ connection, tokens }: Pick<OpenTokens, "connection" | "tokens">): UpstreamToken {
  const { accessToken, scopes, expiresAt } = tokens;
  return { provider: connection.name, accessToken, scopes, ...(expiresAt !== undefined && { expiresAt }) };
}
