/** The grant of Enterprise-Managed Authorization: exchanges an identity provider's signed assertion (ID-JAG) for a user's token. */
import { decodeJwt, type JSONWebKeySet } from "jose";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import { isSecureUrl } from "../grammar/loopback.js";
import { OAuthError } from "../grammar/oauth-error.js";
import type { Assertions } from "./assertions.js";
import type { ClientRecord } from "./client-record.js";

export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
export const ID_JAG_PROFILE = "urn:ietf:params:oauth:grant-profile:id-jag";
const TYPE = "oauth-id-jag+jwt";

/** An identity provider whose assertions are accepted. */
export interface TrustedIssuer {
  /** The `iss` of its assertions. */
  readonly issuer: string;
  /** Its public keys. Give these or `jwksUri`. */
  readonly jwks?: JSONWebKeySet;
  /** The URL of its public keys. */
  readonly jwksUri?: string;
  /**
   * Maps the `sub` of an assertion to the subject of this server's tokens. The subject must be unique at this server, across all
   * issuers and users.
   * @defaultValue the issuer and the `sub`, joined by a bar
   */
  readonly subject?: (sub: string) => string;
}

const TRUSTED_ISSUER_OPTIONS: OptionTable<TrustedIssuer> = {
  ...{ issuer: "string", jwks: "object", jwksUri: "string", subject: "function" },
};

/** The subject, resource and scopes that an assertion permits. */
export interface AssertedGrant {
  readonly subject: string;
  readonly resource: string;
  readonly scope: string | null;
}

export class IdentityAssertionGrant {
  readonly #issuer: string;
  readonly #assertions: Assertions;
  readonly #trusted: ReadonlyMap<string, TrustedIssuer>;

  /** @throws {SdkError} `invalid-argument` for a trusted issuer without usable keys */
  constructor(issuer: string, trusted: readonly TrustedIssuer[], assertions: Assertions) {
    this.#issuer = issuer;
    this.#assertions = assertions;
    this.#trusted = new Map(trusted.map((each) => [each.issuer, checked(each)]));
  }

  get isOffered(): boolean {
    return this.#trusted.size > 0;
  }

  /** @throws {OAuthError} `invalid_grant` or `invalid_scope` with the reason */
  async redeem(assertion: string, client: ClientRecord): Promise<AssertedGrant> {
    const trusted = this.#trusted.get(issuerOf(assertion));
    if (!trusted) throw invalidGrant("its issuer is not trusted here");
    const { jwks, jwksUri } = trusted;
    const keys = { ...(jwks !== undefined && { jwks: { ...jwks } }), ...(jwksUri !== undefined && { jwksUri }) };
    const claims = await this.#assertions.redeem(assertion, keys, {
      typ: TYPE,
      issuer: trusted.issuer,
      audience: this.#issuer,
      requiredClaims: ["client_id", "resource", "iat"],
    });
    if (claims.client_id !== client.clientId) throw invalidGrant("it was issued to another client");
    const { sub, resource, scope } = claims;
    if (scope !== undefined && typeof scope !== "string") {
      throw new OAuthError("invalid_scope", "the scope of the assertion must be one text", { status: 400 });
    }
    // Only issuer and `sub` together are unique: two providers may both have a user "alice".
    const { subject = (name: string) => `${trusted.issuer}|${name}` } = trusted;
    return { subject: subject(`${sub}`), resource: `${resource}`, scope: scope ?? null };
  }
}

function issuerOf(assertion: string): string {
  try {
    return `${decodeJwt(assertion).iss}`;
  } catch (cause) {
    throw invalidGrant("it is not a JWT", cause);
  }
}

function invalidGrant(reason: string, cause?: unknown): OAuthError {
  return new OAuthError("invalid_grant", `the assertion is not acceptable: ${reason}`, { status: 400, cause });
}

function checked(trusted: TrustedIssuer): TrustedIssuer {
  checkOptions("trustedIssuers", trusted, TRUSTED_ISSUER_OPTIONS);
  const { issuer, jwks, jwksUri } = trusted;
  const hasUrl = jwksUri !== undefined && URL.canParse(jwksUri) && isSecureUrl(new URL(jwksUri));
  if (jwks === undefined && !hasUrl) {
    throw new SdkError("invalid-argument", `trusted issuer "${issuer}": give jwks, or an https URL as jwksUri`);
  }
  return trusted;
}
