/** Options of a protected resource, and their checks. */

import { checkLifetime, checkLimit, checkTimer } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { Fetch } from "../../transport/http/fetch-http.js";
import { parseScope } from "../grammar/scope.js";
import { checkIssuer } from "./issuer-metadata.js";
import type { TokenVerifier, VerifyToken } from "./token-verifier.js";

/** Options for tokens that are bound to a key of their client (RFC 9449). */
export interface DpopOptions {
  /** Refuses tokens that are not bound to a key. @defaultValue false */
  readonly required?: boolean | undefined;
  /** Requires a nonce of this resource in each proof. @defaultValue false */
  readonly nonces?: boolean | undefined;
  /** Key of at least 32 bytes, shared by the processes that serve the resource. @defaultValue random, for this process alone */
  readonly nonceSecret?: Uint8Array | undefined;
  /** Proofs that are remembered against replay. @defaultValue 100_000 */
  readonly maxRememberedProofs?: number | undefined;
}

/** Options of `protectedResource`. */
export interface ProtectedResourceOptions {
  /** The URL that clients connect to. Tokens must be issued for it. */
  readonly resource: string;
  /** The authorization servers whose tokens are accepted, exactly as their metadata names them. */
  readonly issuer: string | readonly string[];
  /** Verifies tokens. @defaultValue `jwtVerifier` with the keys of the issuers */
  readonly verifier?: TokenVerifier | VerifyToken | undefined;
  /** Other names of this resource that the issuer puts into `aud`, such as `"api://mcp"`. @defaultValue none */
  readonly audiences?: readonly string[] | undefined;
  /**
   * Leaves the check of the audience to the verifier. If the verifier does not check it, the resource accepts tokens that were
   * issued for other services.
   * @defaultValue false
   */
  readonly verifierChecksAudience?: boolean | undefined;
  /** Scopes for basic use, as the metadata lists them. @defaultValue none */
  readonly scopesSupported?: readonly string[] | undefined;
  /** Scopes that every request needs. @defaultValue none */
  readonly requiredScopes?: readonly string[] | undefined;
  /** The narrower scopes that a broader one includes: `{ "files:write": ["files:read"] }`. @defaultValue none */
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The name of the resource for users. @defaultValue none */
  readonly name?: string | undefined;
  /** A page for developers. @defaultValue none */
  readonly documentation?: string | undefined;
  /**
   * Tokens that are bound to a key of their client. They are always accepted, with a proof.
   * @defaultValue the defaults of its members
   */
  readonly dpop?: DpopOptions | undefined;
  /** Time after which a token is verified again. A revoked token is accepted for that long. @defaultValue 60_000 */
  readonly cacheMs?: number | undefined;
  /** Time for which a rejected token is rejected without asking the issuer again. @defaultValue 5_000 */
  readonly rejectedMs?: number | undefined;
  /** Verified tokens that are remembered, and also rejected ones. @defaultValue 10_000 */
  readonly maxCachedTokens?: number | undefined;
  /** Bytes of verified tokens that are remembered. @defaultValue 33_554_432 */
  readonly maxCachedBytes?: number | undefined;
  /**
   * Tokens that are verified at a time. Requests with further tokens are answered 503. Tokens that were not accepted before get
   * three quarters of the limit. Of the free ones, an address gets a quarter, an IPv6 network of 48 bits three eighths, and one
   * of 32 bits, or 24 bits of IPv4, half. Tokens of one principal that were accepted before get a quarter of the free ones.
   * @defaultValue 1_000
   */
  readonly maxPendingTokens?: number | undefined;
  /** Time to verify a token. After it, the request is answered 503. @defaultValue 15_000 */
  readonly verifyTimeoutMs?: number | undefined;
  /** Tolerated difference between the clocks of issuer and resource. @defaultValue 60_000 */
  readonly skewMs?: number | undefined;
  /** Milliseconds since 1970. @defaultValue the system's clock */
  readonly now?: (() => number) | undefined;
  /** Makes the HTTP requests to issuers. @defaultValue the platform's HTTP client */
  readonly fetch?: Fetch | undefined;
}

const OPTIONS: OptionTable<ProtectedResourceOptions> = {
  ...{ resource: true, issuer: true, verifier: true, audiences: "list", verifierChecksAudience: "boolean" },
  ...{ scopesSupported: true, requiredScopes: true, impliedScopes: "object", name: "string", documentation: "string" },
  ...{ dpop: "object", cacheMs: true, maxCachedTokens: true, maxCachedBytes: true, maxPendingTokens: true },
  ...{ verifyTimeoutMs: true, rejectedMs: true, skewMs: true, now: "function", fetch: "function" },
};

/** Options of the host that are taken for options of the resource. */
const MISPLACED: ReadonlyMap<string, string> = new Map(
  ["allowedHosts", "allowedOrigins", "cors", "onRefusal", "onResponse", "routes"].map((name) => [
    name,
    `it is an option of the host: serveHttp(server, { ${name}, authorization: protectedResource({ … }) })`,
  ]),
);

const DPOP_OPTIONS: OptionTable<DpopOptions> = {
  ...{ required: "boolean", nonces: "boolean", nonceSecret: true, maxRememberedProofs: true },
};

/** Checks the options and returns their issuers. @throws {SdkError} `invalid-argument` */
export function checkProtectedResource(options: ProtectedResourceOptions): readonly string[] {
  checkOptions("protectedResource", options, OPTIONS, MISPLACED);
  const issuers = [options.issuer].flat();
  if (issuers.length === 0) throw new SdkError("invalid-argument", "issuer: expected at least one");
  for (const issuer of issuers) checkIssuer(issuer);
  for (const name of ["scopesSupported", "requiredScopes"] as const) checkScopeList(name, options[name]);
  for (const [scope, narrower] of Object.entries(options.impliedScopes ?? {})) {
    checkScopeList(`impliedScopes: ${scope}`, narrower);
  }
  const { maxCachedTokens = 1, maxCachedBytes = 1, maxPendingTokens = 1, dpop = {} } = options;
  checkOptions("protectedResource: dpop", dpop, DPOP_OPTIONS);
  const limits = { maxCachedTokens, maxCachedBytes, maxPendingTokens };
  for (const [name, limit] of Object.entries(limits)) checkLimit(name, limit);
  const { maxRememberedProofs = 1 } = dpop;
  checkLimit("dpop.maxRememberedProofs", maxRememberedProofs);
  const { cacheMs = 1, rejectedMs = 1, verifyTimeoutMs = 1, skewMs = 0 } = options;
  checkLifetime("cacheMs", cacheMs);
  checkLifetime("rejectedMs", rejectedMs);
  checkTimer("verifyTimeoutMs", verifyTimeoutMs);
  checkLifetime("skewMs", skewMs, 0);
  return issuers;
}

function checkScopeList(name: string, scopes: readonly string[] = []): void {
  if (!Array.isArray(scopes)) {
    throw new SdkError("invalid-argument", `${name}: expected a list of scopes; write ${name}: ["files:read"]`);
  }
  if (scopes.includes("offline_access")) {
    const complaint = "offline_access is for clients to ask for, no requirement of a resource; leave it out";
    throw new SdkError("invalid-argument", `${name}: ${complaint}`);
  }
  const odd = scopes.find((scope) => parseScope(scope)[0] !== scope);
  if (odd !== undefined) throw new SdkError("invalid-argument", `${name}: ${JSON.stringify(odd)} is no scope`);
}

/** Makes a function that adds the implied scopes to a list of scopes. */
export function scopeExpander(
  implied: Readonly<Record<string, readonly string[]>> = {},
): (scopes: readonly string[]) => readonly string[] {
  const narrower = new Map(Object.entries(implied));
  return (scopes) => {
    const all = new Set(scopes);
    // Iteration over a set includes the members that are added meanwhile, so implied scopes are expanded too.
    for (const scope of all) for (const included of narrower.get(scope) ?? []) all.add(included);
    return [...all];
  };
}
