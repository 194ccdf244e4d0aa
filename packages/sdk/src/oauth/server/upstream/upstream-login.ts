/**
 * Login at an upstream provider, which redirects the browser back with a code. The user approves the MCP client before, on a
 * page of this server. The consent page of the provider is no substitute, since all MCP clients share one upstream client.
 */
import { generateRandomCodeVerifier, generateRandomNonce } from "oauth4webapi";
import { checkTimer } from "../../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../../errors/option-table.js";
import { SdkError } from "../../../errors/sdk-error.js";
import type { JsonObject } from "../../../runtime/json.js";
import type { UpstreamToken } from "../../../transport/auth-info.js";
import type { Fetch } from "../../../transport/http/fetch-http.js";
import { guardedFetch } from "../../grammar/guarded-fetch.js";
import type {
  KeptUpstream,
  LoggedInUser,
  LoginProvider,
  LoginReply,
  LoginStep,
  LoginTransaction,
} from "../login-provider.js";
import { JsonSeal } from "./json-seal.js";
import { type LoginSecrets, UpstreamConnection } from "./upstream-connection.js";
import { UpstreamFailure } from "./upstream-failure.js";
import { UPSTREAM_CLIENT_OPTIONS, type UpstreamClient } from "./upstream-provider.js";
import { UpstreamTokens } from "./upstream-tokens.js";
import { type AllowRule, globalSubject, type UpstreamUser } from "./upstream-user.js";

/** Options of every upstream login, besides its providers. */
export interface UpstreamSettings {
  /**
   * Decides which users may log in. Each refresh asks again, with the user as of the login; a refusal then ends the grant.
   * @defaultValue everybody who has an account at the provider
   */
  readonly allow?: AllowRule | undefined;
  /**
   * Keys of 32 bytes each that encrypt the tokens in the store. The first key encrypts, all keys decrypt. To rotate, put a new
   * key in front, and drop the last one when its grants have ended.
   * @defaultValue one random key: only this process can decrypt the tokens
   */
  readonly keys?: readonly Uint8Array[] | undefined;
  /** Timeout of each of: all provider calls in one step of a login, `allow`, and a renewal. @defaultValue 20_000 */
  readonly timeoutMs?: number | undefined;
  /** Makes the HTTP requests to providers. @defaultValue the platform's HTTP client */
  readonly fetch?: Fetch | undefined;
  /** Called with the reason of a failed login. @defaultValue `console.error` */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** The clock, in milliseconds since 1970. @defaultValue Date.now */
  readonly now?: (() => number) | undefined;
}

/** One provider, or several that users choose from. */
export type UpstreamLoginOptions = UpstreamSettings &
  (UpstreamClient | { readonly providers: readonly UpstreamClient[] });

const OPTIONS: OptionTable<UpstreamLoginOptions> = {
  ...UPSTREAM_CLIENT_OPTIONS,
  ...{ providers: "list", allow: "function", keys: "list", timeoutMs: true },
  ...{ fetch: "function", onError: "function", now: "function" },
};
/** Concurrent logins whose code is being redeemed. */
const MAX_LOGINS = 100;
/** Characters of the encrypted user in a grant. */
const MAX_USER_CHARS = 65_536;

/**
 * Lets users log in with their account at an upstream provider. Register the callback URL there: the issuer of this server,
 * then `/login/callback/` and the name of the provider.
 *
 * @throws {SdkError} `invalid-argument` for keys or providers that cannot work
 * @example
 * const login = authorizationServer({
 *   issuer: "https://mcp.example.com",
 *   resources: ["https://mcp.example.com/mcp"],
 *   login: upstreamLogin({ provider: github, clientId: "Iv1.0123", clientSecret: process.env.GITHUB_SECRET }),
 * });
 */
export function upstreamLogin(options: UpstreamLoginOptions): LoginProvider {
  return new UpstreamLogin(options);
}

class UpstreamLogin implements LoginProvider {
  readonly #connections: ReadonlyMap<string, UpstreamConnection>;
  readonly #seal: JsonSeal;
  readonly #tokens: UpstreamTokens;
  readonly #allow: AllowRule | undefined;
  readonly #timeoutMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #logins = new Map<string, Promise<LoginStep>>();

  constructor(options: UpstreamLoginOptions) {
    checkOptions("upstreamLogin", options, OPTIONS);
    const { now = Date.now, timeoutMs = 20_000, allow, onError = console.error } = options;
    checkTimer("timeoutMs", timeoutMs);
    const clients = "providers" in options ? options.providers : [options];
    for (const client of clients) {
      if (client !== options) checkOptions("upstreamLogin: providers", client, UPSTREAM_CLIENT_OPTIONS);
    }
    // The author chose the providers, so they may be in a private network.
    const fetch = guardedFetch({ fetch: options.fetch, allowPrivate: true });
    const connections = clients.map((client) => new UpstreamConnection({ client, fetch, now, timeoutMs }));
    this.#connections = new Map(connections.map((connection) => [connection.name, connection]));
    if (this.#connections.size === 0) throw new SdkError("invalid-argument", "providers: expected at least one");
    if (this.#connections.size < clients.length) {
      throw new SdkError("invalid-argument", "providers: two have one name; give each a name of its own");
    }
    this.#seal = new JsonSeal(options.keys);
    this.#tokens = new UpstreamTokens({ seal: this.#seal, connections: this.#connections, now });
    this.#allow = allow;
    this.#timeoutMs = timeoutMs;
    this.#onError = onError;
  }

  get callbacks(): readonly string[] {
    return [...this.#connections.keys()];
  }

  async start(): Promise<LoginStep> {
    return {
      kind: "consent",
      choices: Array.from(this.#connections.values(), ({ name, label, scopes }) => ({ name, label, scopes })),
    };
  }

  async finish(transaction: LoginTransaction, reply: LoginReply): Promise<LoginStep> {
    return reply.from === "form" ? this.#leave(transaction, reply.parameters) : this.#comeBack(transaction, reply);
  }

  /** Asks `allow` again. False also for a user who cannot be decrypted, since the rule cannot decide then. */
  async isStillValid({
    subject,
    upstream,
  }: Pick<LoggedInUser, "subject" | "credentialDigest" | "upstream">): Promise<boolean> {
    if (this.#allow === undefined) return true;
    const user = await this.#seal.open(`${upstream?.user}`, userOf(subject));
    // Sealed at the login.
    return user !== undefined && (await this.#decide(this.#allow, user as unknown as UpstreamUser)) === true;
  }

  upstreamToken(kept: KeptUpstream): Promise<UpstreamToken | undefined> {
    return this.#tokens.token(kept);
  }

  /** Handles the user's decision: redirects to the chosen provider, or denies the request. */
  async #leave(transaction: LoginTransaction, form: URLSearchParams): Promise<LoginStep> {
    if (form.get("decision") === "deny") return failed("access_denied", "the user denied the request");
    const connection = this.#connections.get(form.get("provider") ?? "");
    if (connection === undefined) return this.start();
    const { name: provider } = connection;
    const [verifier, nonce] = [generateRandomCodeVerifier(), generateRandomNonce()];
    return this.#calling(connection, async () => ({
      kind: "redirect",
      url: await connection.authorizationUrl(secretsOf(transaction, provider, verifier, nonce), transaction.loginHint),
      remember: { sealed: await this.#seal.seal({ provider, verifier, nonce }, ownerOf(transaction)) },
    }));
  }

  /** Handles the callback. Two concurrent callbacks of one login redeem the code once. */
  async #comeBack(transaction: LoginTransaction, reply: LoginReply): Promise<LoginStep> {
    const { id } = transaction;
    const pending = this.#logins.get(id);
    if (pending !== undefined) return pending;
    if (this.#logins.size >= MAX_LOGINS) return failed("temporarily_unavailable", "too many logins; try again later");
    const login = this.#identify(transaction, reply).finally(() => this.#logins.delete(id));
    this.#logins.set(id, login);
    return login;
  }

  async #identify(transaction: LoginTransaction, { path, parameters }: LoginReply): Promise<LoginStep> {
    const remembered = await this.#seal.open(`${transaction.remembered?.sealed}`, ownerOf(transaction));
    const { provider, verifier, nonce } = (remembered ?? {}) as Readonly<Record<string, string>>;
    const connection = this.#connections.get(`${provider}`);
    // Each provider has its own callback path, against mix-up attacks: a code of another provider is not accepted here.
    if (connection === undefined || path !== new URL(`${transaction.callbackUrl}/${provider}`).pathname) {
      return failed("access_denied", "the answer did not come from the provider that was chosen");
    }
    const secrets = secretsOf(transaction, connection.name, `${verifier}`, `${nonce}`);
    return this.#calling(connection, async () => {
      const { user, tokens } = await connection.exchange(parameters, secrets);
      const decision = this.#allow === undefined || (await this.#decide(this.#allow, user));
      if (decision !== true) return refused(connection, user, decision);
      const subject = globalSubject(user);
      const upstream = {
        ...(await this.#tokens.keep(connection.name, subject, tokens)),
        ...(this.#allow && { user: await this.#keepUser(user) }),
      };
      return { kind: "user", user: { subject, upstream }, isApproved: true };
    });
  }

  /** Encrypts the user for the next question to `allow`. @throws {UpstreamFailure} for claims that are too large */
  async #keepUser(user: UpstreamUser): Promise<string> {
    // The members of a user were parsed from JSON.
    const sealed = await this.#seal.seal(user as unknown as JsonObject, userOf(globalSubject(user)));
    if (sealed.length <= MAX_USER_CHARS) return sealed;
    throw new UpstreamFailure("invalid", `${user.provider}: its claims have more than ${MAX_USER_CHARS} characters`);
  }

  /** Runs the `allow` rule. @throws {SdkError} `authorization-failed` for a rule that takes too long */
  #decide(allow: AllowRule, user: UpstreamUser): Promise<boolean | string> {
    const late = new SdkError("authorization-failed", `allow: no decision within ${this.#timeoutMs} ms`);
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    return new Promise((resolve, reject) => {
      timeout.addEventListener("abort", () => reject(late));
      Promise.resolve(user).then(allow).then(resolve, reject);
    });
  }

  async #calling({ label }: UpstreamConnection, run: () => Promise<LoginStep>): Promise<LoginStep> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      if (error.reason === "denied") return failed("access_denied", `${label} did not log the user in`);
      this.#onError(error);
      return error.reason === "away"
        ? failed("temporarily_unavailable", `${label} cannot be reached; try again later`)
        : failed("server_error", `the answer of ${label} cannot be used`);
    }
  }
}

function failed(error: "access_denied" | "server_error" | "temporarily_unavailable", description: string): LoginStep {
  return { kind: "failed", error, description };
}

function refused(
  { label }: UpstreamConnection,
  { name, subject }: UpstreamUser,
  decision: boolean | string,
): LoginStep {
  const reason = typeof decision === "string" ? decision : "Your account is not on its list.";
  return {
    kind: "failed",
    error: "access_denied",
    description: "the server does not let this user in",
    message: `${label} has logged you in as ${name ?? subject}, but this server does not let you in. ${reason}`,
  };
}

function secretsOf(
  { id, callbackUrl }: LoginTransaction,
  provider: string,
  verifier: string,
  nonce: string,
): LoginSecrets {
  return { redirectUri: `${callbackUrl}/${provider}`, state: id, verifier, nonce };
}

function userOf(subject: string): string {
  return JSON.stringify(["user", subject]);
}

function ownerOf({ id }: LoginTransaction): string {
  return JSON.stringify(["login", id]);
}
