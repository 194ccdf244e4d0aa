/** Access tokens at a protected resource: JWTs, most of them signed by the key of their issuer, and texts that look like one. */

import { HttpRefusal } from "../../../packages/sdk/src/hosting/http/http-refusal.js";
import { type DpopKey, generateDpopKey } from "../../../packages/sdk/src/oauth/grammar/dpop-proof.js";
import { sameResource } from "../../../packages/sdk/src/oauth/grammar/resource-uri.js";
import { jwtVerifier } from "../../../packages/sdk/src/oauth/resource/jwt-verifier.js";
import { protectedResource } from "../../../packages/sdk/src/oauth/resource/protected-resource.js";
import type { TokenVerifier } from "../../../packages/sdk/src/oauth/resource/token-verifier.js";
import { mutateJson } from "../mutate-json.js";
import { AWKWARD, mutateText } from "../mutate-text.js";
import { demand, demandEqual, type FuzzInput, field, type Target } from "../target.js";

const NOW = 1_000_000;
const ISSUER = "https://login.example.com";
const RESOURCE = "https://mcp.example.com/mcp";
const HEADER = { typ: "at+jwt", alg: "ES256", kid: "k" };
const CLAIMS = { iss: ISSUER, aud: RESOURCE, sub: "ann", client_id: "app", iat: NOW, exp: NOW + 300, scope: "read" };
const HEADER_NAMES: readonly string[] = ["typ", "alg", "kid", "crit", "b64", "jwk", "x5u"];
const HEADER_VALUES: readonly unknown[] = [
  ...["none", "HS256", "RS256", "ES256", "JWT", "AT+JWT", "application/at+jwt", "dpop+jwt", "k", ["exp"], {}, 7, null],
];
/** Just within the limits, and just beyond. */
const TIMES: readonly number[] = [NOW - 59, NOW - 60, NOW + 60, NOW + 61, 1e300, -1];
const CLAIM_VALUES: readonly unknown[] = [
  ...[
    "",
    ISSUER,
    [ISSUER],
    `${ISSUER}/`,
    RESOURCE,
    [RESOURCE],
    ["other", 7, RESOURCE],
    `${RESOURCE}/`,
    {},
    7,
    null,
    true,
  ],
];
const JWT_TOKENS: readonly string[] = [...AWKWARD, ".", "..", "=", "e30", "eyJhbGciOiJub25lIn0"];

let made: Promise<{ readonly key: DpopKey; readonly verifier: TokenVerifier }> | undefined;

export const accessTokens: Target = {
  name: "access-tokens",
  share: 20,
  maxMs: 200,
  outcomes: ["accepted", "refused", "no token"],
  generate(random) {
    const header: Record<string, unknown> = { ...HEADER };
    const claims: Record<string, unknown> = { ...CLAIMS };
    if (random.oneIn(3)) header[random.pick(HEADER_NAMES)] = random.pick(HEADER_VALUES);
    if (random.oneIn(3)) claims[random.pick(Object.keys(claims))] = random.pick(CLAIM_VALUES);
    if (random.oneIn(3)) claims[random.pick(["iat", "exp", "nbf"])] = random.pick(TIMES);
    return {
      header: JSON.stringify(random.oneIn(4) ? mutateJson(random, header) : header),
      claims: JSON.stringify(random.oneIn(4) ? mutateJson(random, claims) : claims),
      text: random.oneIn(3) ? mutateText(random, "eyJhbGciOiJFUzI1NiJ9.e30.AAAA", JWT_TOKENS) : "",
    };
  },
  async check(input) {
    made ??= issuer();
    const { key, verifier } = await made;
    const text = field(input, "text");
    if (text !== "") {
      demandEqual(await isAccepted(text, verifier), false, "accepts nothing that nobody signed");
      return "no token";
    }
    const isExpected = isToken(parsed(input, "header"), parsed(input, "claims"));
    const accepted = await isAccepted(await signed(input, key), verifier);
    demandEqual(accepted, isExpected, "accepts tokens by the rules, and no others");
    return isExpected ? "accepted" : "refused";
  },
};

async function issuer(): Promise<{ readonly key: DpopKey; readonly verifier: TokenVerifier }> {
  const key = await generateDpopKey();
  const keys = JSON.stringify({ keys: [{ ...key.publicJwk, kid: "k", alg: "ES256" }] });
  const fetch = async () => new Response(keys);
  const verifier = jwtVerifier({ issuer: ISSUER, jwksUri: `${ISSUER}/keys`, now: () => NOW * 1_000, fetch });
  return { key, verifier };
}

async function isAccepted(token: string, verifier: TokenVerifier): Promise<boolean> {
  const gate = protectedResource({ resource: RESOURCE, issuer: ISSUER, verifier, now: () => NOW * 1_000 });
  const header = (name: string) => (name === "authorization" ? `Bearer ${token}` : undefined);
  try {
    const { auth } = await gate.authenticate({ method: "POST", path: "/mcp", address: undefined, header });
    demand(Array.isArray(auth?.scopes), "tells the scopes", () => JSON.stringify(auth));
    return true;
  } catch (error) {
    if (!(error instanceof HttpRefusal)) throw error;
    demand([400, 401].includes(error.status), "refuses with 400 or 401", () => `${error.status} ${error.message}`);
    return false;
  }
}

/** An input that was made smaller may be no JSON any more. */
function parsed(input: FuzzInput, name: string): unknown {
  try {
    return JSON.parse(field(input, name));
  } catch {
    return null;
  }
}

async function signed(input: FuzzInput, { privateKey }: DpopKey): Promise<string> {
  const content = [parsed(input, "header"), parsed(input, "claims")].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const bytes = new TextEncoder().encode(content.join("."));
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, bytes);
  return [...content, Buffer.from(signature).toString("base64url")].join(".");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The rules once more, for a token whose signature is right. */
function isToken(header: unknown, claims: unknown): boolean {
  if (!isRecord(header) || !isRecord(claims)) return false;
  const { typ, alg, kid, crit } = header;
  const isHeader = isTokenType(typ) && alg === "ES256" && (kid === undefined || kid === "k") && crit === undefined;
  const { iss, aud, iat, exp, nbf, cnf } = claims;
  const isOurs = [aud].flat().some((one) => typeof one === "string" && sameResource(one, RESOURCE));
  const isTimely = typeof exp === "number" && exp > NOW - 60 && isNumberUntil(nbf, NOW + 60);
  const isDated = isNumberUntil(iat, Number.POSITIVE_INFINITY);
  return isHeader && iss === ISSUER && isOurs && isTimely && isDated && cnf === undefined;
}

function isNumberUntil(value: unknown, latest: number): boolean {
  return value === undefined || (typeof value === "number" && value <= latest);
}

function isTokenType(typ: unknown): boolean {
  const types = ["at+jwt", "application/at+jwt", "jwt", "application/jwt"];
  return typ === undefined || (typeof typ === "string" && types.includes(typ.toLowerCase()));
}
