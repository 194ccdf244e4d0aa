/** Checks the DPoP proof of a request (RFC 9449) against the key that its token is bound to. */
import { decodeJwt } from "jose";
import type { HttpRequest } from "../../hosting/http/http-host.js";
import { isJsonObject } from "../../runtime/json.js";
import { DpopNonces } from "../grammar/dpop-nonces.js";
import { DpopProofVerifier } from "../grammar/dpop-proof.js";
import { OAuthError } from "../grammar/oauth-error.js";
import type { Credentials } from "./credentials.js";
import type { DpopOptions } from "./protected-resource-options.js";
import { invalidToken } from "./token-verifier.js";
import type { VerifiedToken } from "./verified-tokens.js";

export interface ProofCheckOptions extends DpopOptions {
  readonly resource: string;
  readonly skewMs: number;
  readonly now: () => number;
}

/** The thumbprint of the key that a token is bound to. @throws {OAuthError} `invalid_token` for a token bound by other means. */
export function thumbprintOf({ cnf }: Readonly<Record<string, unknown>>): string | undefined {
  if (cnf === undefined) return undefined;
  if (isJsonObject(cnf) && typeof cnf.jkt === "string") return cnf.jkt;
  // For example a certificate, which is not checked here: the resource would accept a stolen token.
  throw invalidToken("binding", "cnf has no jkt: the token is bound by other means than DPoP");
}

export class ProofCheck {
  readonly #resource: string;
  readonly #isRequired: boolean;
  readonly #nonces: DpopNonces | undefined;
  readonly #proofs: DpopProofVerifier;

  /** @throws {SdkError} `invalid-argument` for a short secret, or a limit out of range. */
  constructor({ resource, required, nonces, nonceSecret, maxRememberedProofs, skewMs, now }: ProofCheckOptions) {
    this.#resource = resource;
    this.#isRequired = required === true;
    this.#nonces = nonces ? new DpopNonces({ secret: nonceSecret, now }) : undefined;
    this.#proofs = new DpopProofVerifier({ now, skewMs, maxRemembered: maxRememberedProofs, nonces: this.#nonces });
  }

  /** The nonce that clients must use next. Undefined without the option `nonces`. */
  nonce(): Promise<string> | undefined {
    return this.#nonces?.current();
  }

  /** @throws {OAuthError} `invalid_token`, `invalid_dpop_proof` or `use_dpop_nonce` */
  async check(
    { scheme, token }: Credentials,
    { thumbprint, caller }: VerifiedToken,
    request: Pick<HttpRequest, "method" | "path" | "header">,
  ): Promise<void> {
    // A bound token without its proof may be stolen.
    if (scheme === "bearer" && thumbprint !== undefined) {
      throw invalidToken("binding", "the token is bound to a key and came as Bearer; clients send it as DPoP");
    }
    if (scheme === "dpop" && thumbprint === undefined) {
      throw invalidToken("binding", "the token came as DPoP and is bound to no key");
    }
    if (scheme === "bearer") {
      if (this.#isRequired) throw invalidToken("binding", "dpop.required is set, and the token is bound to no key");
      return;
    }
    const proof = request.header("dpop");
    if (proof === undefined) throw new OAuthError("invalid_dpop_proof", "The DPoP header is missing");
    const url = this.#target(proof, request.path);
    const verified = await this.#proofs.verify(proof, { method: request.method, url, accessToken: token });
    if (verified.thumbprint !== thumbprint) {
      throw invalidToken("binding", "the proof is by another key than the one that the token is bound to");
    }
    verified.spend(`${caller.principal}`);
  }

  /** The URL that `htu` must match. Behind a proxy or in a framework, `path` may differ from the path that clients see. */
  #target(proof: string, path: string): string {
    if (statedTarget(proof) === this.#resource) return this.#resource;
    const url = new URL(this.#resource);
    url.pathname = path;
    return url.href;
  }
}

function statedTarget(proof: string): unknown {
  try {
    return decodeJwt(proof).htu;
  } catch {
    // The verifier refuses the proof with a reason.
    return undefined;
  }
}
