/** Verifies opaque access tokens by asking their issuer (RFC 7662). */
import {
  allowInsecureRequests,
  customFetch,
  type IntrospectionResponse,
  introspectionRequest,
  processIntrospectionResponse,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";
import { checkLifetime, checkText } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { Fetch } from "../../transport/http/fetch-http.js";
import { basicAuthentication } from "../grammar/basic-authentication.js";
import { type GuardedFetch, guardedFetch } from "../grammar/guarded-fetch.js";
import { FetchedOnce } from "./fetched-once.js";
import { checkIssuer, discoverIssuer } from "./issuer-metadata.js";
import { quoted } from "./token-rejection.js";
import { authFromClaims, invalidToken, type TokenVerifier } from "./token-verifier.js";

/** Options of `introspectionVerifier`. */
export interface IntrospectionVerifierOptions {
  /** The authorization server, exactly as its metadata names it. */
  readonly issuer: string;
  /** This resource's own credentials at the issuer. */
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /** The introspection endpoint, for an issuer whose metadata names none. @defaultValue discovered */
  readonly endpoint?: string | undefined;
  /** Tolerated difference between the clocks of issuer and resource. @defaultValue 60_000 */
  readonly skewMs?: number | undefined;
  /** Milliseconds since 1970. @defaultValue the system's clock */
  readonly now?: (() => number) | undefined;
  /** Makes the HTTP requests. @defaultValue the platform's HTTP client */
  readonly fetch?: Fetch | undefined;
}

const OPTIONS: OptionTable<IntrospectionVerifierOptions> = {
  ...{
    issuer: true,
    clientId: true,
    clientSecret: true,
    endpoint: true,
    skewMs: true,
    now: "function",
    fetch: "function",
  },
};

/**
 * Makes a verifier that asks the issuer. The resource caches answers for its `cacheMs`.
 * @throws {SdkError} `invalid-argument` for an issuer or endpoint that is no secure URL, and for missing credentials.
 *
 * @example
 * const issuer = "https://login.example.com";
 * const verifier = introspectionVerifier({ issuer, clientId: "mcp", clientSecret: process.env.CLIENT_SECRET });
 */
export function introspectionVerifier(options: IntrospectionVerifierOptions): TokenVerifier {
  checkOptions("introspectionVerifier", options, OPTIONS);
  const { issuer, endpoint, clientId, clientSecret, skewMs = 60_000, now = () => Date.now() } = options;
  checkIssuer(issuer);
  checkText("clientId", clientId);
  checkText("clientSecret", clientSecret);
  checkLifetime("skewMs", skewMs, 0);
  if (endpoint !== undefined && !URL.canParse(endpoint)) {
    throw new SdkError("invalid-argument", "endpoint: expected the URL of the introspection endpoint");
  }
  // The author chose the issuer, so it may be in a private network.
  const fetch = guardedFetch({ fetch: options.fetch, allowPrivate: true });
  const found = new FetchedOnce(async () => endpoint ?? (await discoverEndpoint(issuer, fetch)), now);
  const client = { client_id: clientId };
  const authentication = basicAuthentication(clientSecret as string);
  // The guard refuses http except on loopback hosts.
  const settings = { [customFetch]: fetch, [allowInsecureRequests]: true } as const;
  return {
    async ready() {
      await found.get();
    },
    async verify(token) {
      const server = { issuer, introspection_endpoint: await found.get() };
      let answer: IntrospectionResponse;
      try {
        const response = await introspectionRequest(server, client, authentication, token, settings);
        answer = await processIntrospectionResponse(server, client, response);
      } catch (cause) {
        throw failed(issuer, `${server.introspection_endpoint} ${complaintOf(cause)}`, withoutResponse(cause));
      }
      const { active, iss = issuer, exp = Number.POSITIVE_INFINITY, nbf = 0 } = answer;
      if (!active) throw invalidToken("inactive", "the issuer says that the token is not active");
      if (iss !== issuer) throw invalidToken("issuer", `iss is ${quoted(iss)}; expected ${quoted(issuer)}`);
      if (exp * 1_000 <= now() - skewMs) throw invalidToken("expired", `exp is ${exp}, which has passed`);
      if (nbf * 1_000 > now() + skewMs) throw invalidToken("not-yet-valid", `nbf is ${nbf}, which is to come`);
      return authFromClaims(issuer, { ...answer });
    },
  };
}

/** A 401 refuses the credentials of this resource, and not the token that it asks about. */
function complaintOf(cause: unknown): string {
  const isRefused =
    cause instanceof WWWAuthenticateChallengeError || (cause instanceof ResponseBodyError && cause.status === 401);
  return isRefused
    ? "refused the credentials of this server: check clientId and clientSecret of introspectionVerifier"
    : `did not answer as RFC 7662 asks: ${(cause as Error).message}`;
}

/** The library's errors hold the response, which may repeat the token. Those of the guarded fetch do not. */
function withoutResponse(cause: unknown): unknown {
  return cause instanceof SdkError ? cause : undefined;
}

async function discoverEndpoint(issuer: string, fetch: GuardedFetch): Promise<string> {
  const { introspection_endpoint: endpoint } = await discoverIssuer(issuer, fetch);
  if (endpoint !== undefined) return endpoint;
  throw failed(issuer, "its metadata has no introspection_endpoint; use jwtVerifier for tokens that are signed");
}

function failed(issuer: string, complaint: string, cause?: unknown): SdkError {
  return new SdkError("authorization-failed", `issuer "${issuer}": ${complaint}`, { cause });
}
