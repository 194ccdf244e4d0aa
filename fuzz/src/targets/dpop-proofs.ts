/** Proofs of DPoP, most of them signed by the key that they name, and texts that look like a JWT. */

import {
  type DpopKey,
  DpopProofVerifier,
  generateDpopKey,
} from "../../../packages/sdk/src/oauth/grammar/dpop-proof.js";
import { OAuthError } from "../../../packages/sdk/src/oauth/grammar/oauth-error.js";
import { mutateJson } from "../mutate-json.js";
import { AWKWARD, mutateText } from "../mutate-text.js";
import { demand, demandEqual, type FuzzInput, field, type Target } from "../target.js";

const NOW = 1_000_000;
const REQUEST = { method: "POST", url: "https://mcp.example.com/mcp" };
const HEADER = { typ: "dpop+jwt", alg: "ES256", jwk: {} };
const CLAIMS = { htm: "POST", htu: REQUEST.url, iat: NOW, jti: "1" };
const HEADER_VALUES: readonly unknown[] = [
  ...["none", "HS256", "RS256", "ES256", "JWT", "DPOP+JWT", "application/dpop+jwt", { kty: "oct", k: "c2VjcmV0" }, 7],
];
const HEADER_NAMES: readonly string[] = ["typ", "alg", "jwk", "crit", "kid", "b64"];
/** Just within the limits, and just beyond. */
const TIMES: readonly number[] = [NOW - 120, NOW - 121, NOW + 60, NOW + 61];
const CLAIM_VALUES: readonly unknown[] = [...[1e300, -1, "GET", "https://mcp.example.com/mcp?a#b", "mcp", "", null]];
const JWT_TOKENS: readonly string[] = [...AWKWARD, ".", "..", "=", "e30", "eyJhbGciOiJub25lIn0"];

let made: Promise<DpopKey> | undefined;

export const dpopProofs: Target = {
  name: "dpop-proofs",
  share: 20,
  maxMs: 200,
  outcomes: ["accepted", "refused", "no proof"],
  generate(random) {
    const header: Record<string, unknown> = { ...HEADER };
    const claims: Record<string, unknown> = { ...CLAIMS };
    if (random.oneIn(3)) header[random.pick(HEADER_NAMES)] = random.pick(HEADER_VALUES);
    if (random.oneIn(3)) claims[random.pick(Object.keys(claims))] = random.pick(CLAIM_VALUES);
    if (random.oneIn(3)) claims.iat = random.pick(TIMES);
    return {
      header: JSON.stringify(random.oneIn(4) ? mutateJson(random, header) : header),
      claims: JSON.stringify(random.oneIn(4) ? mutateJson(random, claims) : claims),
      text: random.oneIn(3) ? mutateText(random, "eyJhbGciOiJFUzI1NiJ9.e30.AAAA", JWT_TOKENS) : "",
    };
  },
  async check(input) {
    made ??= generateDpopKey();
    const key = await made;
    const text = field(input, "text");
    if (text !== "") {
      demandEqual(await verdict(text), undefined, "accepts nothing that nobody signed");
      return "no proof";
    }
    const thumbprint = await verdict(await signed(input, key));
    const isExpected = isProof(parsed(input, "header"), parsed(input, "claims"));
    demandEqual(thumbprint, isExpected ? key.thumbprint : undefined, "accepts proofs by the rules, and no others");
    return isExpected ? "accepted" : "refused";
  },
};

async function verdict(proof: string): Promise<string | undefined> {
  const verifier = new DpopProofVerifier({ now: () => NOW * 1_000 });
  try {
    const { thumbprint, spend } = await verifier.verify(proof, REQUEST);
    spend("ann");
    await demandReplayRefused(verifier, proof);
    return thumbprint;
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    demandEqual(error.code, "invalid_dpop_proof", "refuses with the documented code");
    demand(error.message.length < 300, "keeps its complaint short", () => error.message);
    return undefined;
  }
}

async function demandReplayRefused(verifier: DpopProofVerifier, proof: string): Promise<void> {
  const spending = verifier.verify(proof, REQUEST).then(({ spend }) => spend("ann"));
  const again = await spending.catch((error: unknown) => error);
  demand(again instanceof OAuthError, "accepts a proof once", () => JSON.stringify(again));
}

function parsed(input: FuzzInput, name: string): unknown {
  return JSON.parse(field(input, name) || "null");
}

/** The header names the public key where it says `{}`, and everything is signed with the private one. */
async function signed(input: FuzzInput, { privateKey, publicJwk }: DpopKey): Promise<string> {
  const header = parsed(input, "header");
  const content = [withKey(header, publicJwk), parsed(input, "claims")].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const bytes = new TextEncoder().encode(content.join("."));
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, bytes);
  return [...content, Buffer.from(signature).toString("base64url")].join(".");
}

function withKey(header: unknown, jwk: DpopKey["publicJwk"]): unknown {
  return isRecord(header) && JSON.stringify(header.jwk) === "{}" ? { ...header, jwk } : header;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The rules once more, for a proof whose signature is right. */
function isProof(header: unknown, claims: unknown): boolean {
  if (!isRecord(header) || !isRecord(claims)) return false;
  const { typ, alg, jwk, crit } = header;
  const isHeader = isProofType(typ) && alg === "ES256" && JSON.stringify(jwk) === "{}" && crit === undefined;
  const { htm, htu, iat, jti, exp, nbf } = claims;
  const isTarget = htm === "POST" && typeof htu === "string" && htu.replace(/[?#].*$/, "") === REQUEST.url;
  const isTimely = typeof iat === "number" && iat >= NOW - 120 && iat <= NOW + 60;
  const isNamed = typeof jti === "string" && jti !== "" && jti.length <= 1_024;
  return isHeader && isTarget && isTimely && isNamed && exp === undefined && nbf === undefined;
}

function isProofType(typ: unknown): boolean {
  return typeof typ === "string" && ["dpop+jwt", "application/dpop+jwt"].includes(typ.toLowerCase());
}
