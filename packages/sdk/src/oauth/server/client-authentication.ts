/** Authenticates clients at the token, revocation and introspection endpoints. */
import { decodeJwt } from "jose";
import { OAuthError } from "../grammar/oauth-error.js";
import type { Assertions } from "./assertions.js";
import type { ClientDirectory } from "./client-directory.js";
import type { ClientRecord } from "./client-record.js";
import { digest, isSameDigest } from "./secrets.js";

export interface ClientAuthenticationOptions {
  readonly clients: ClientDirectory;
  readonly assertions: Assertions;
  /** The audiences that an assertion may name: the issuer and the token endpoint. */
  readonly audiences: readonly string[];
  readonly now: () => number;
}

/** The credentials that a request presents. */
type Presented =
  | { readonly kind: "none"; readonly clientId: string }
  | { readonly kind: "secret"; readonly clientId: string; readonly secret: string }
  | { readonly kind: "assertion"; readonly clientId: string; readonly assertion: string };

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

export class ClientAuthentication {
  readonly #options: ClientAuthenticationOptions;

  constructor(options: ClientAuthenticationOptions) {
    this.#options = options;
  }

  /** @throws {OAuthError} `invalid_client`, or `invalid_request` if the request authenticates in two ways */
  async authenticate(request: Request, form: URLSearchParams, address: string | undefined): Promise<ClientRecord> {
    const presented = presentedBy(request.headers.get("authorization"), form);
    const client = await this.#options.clients.find(presented.clientId, address);
    if (!client || !(await this.#isProven(client, presented, address))) {
      // The same answer for both, so that the response does not reveal which ids exist.
      throw invalidClient("the client is unknown, or its authentication failed");
    }
    return client;
  }

  async #isProven(client: ClientRecord, presented: Presented, address: string | undefined): Promise<boolean> {
    switch (client.authMethod) {
      case "none":
        return presented.kind === "none";
      case "private_key_jwt":
        return presented.kind === "assertion" && this.#isSigned(client, presented.assertion, address);
      default:
        return (
          presented.kind === "secret" &&
          isSameDigest(await digest(presented.secret), `${client.secretDigest}`) &&
          (client.secretExpiresAt ?? Number.POSITIVE_INFINITY) > this.#options.now()
        );
    }
  }

  async #isSigned(client: ClientRecord, assertion: string, address: string | undefined): Promise<boolean> {
    const { assertions, audiences } = this.#options;
    const { clientId } = client;
    const expected = { issuer: clientId, subject: clientId, audience: [...audiences] };
    return assertions.redeem(assertion, { ...client, address }, expected).then(
      () => true,
      (cause: unknown) => {
        throw invalidClient("client_assertion is not valid", cause);
      },
    );
  }
}

function presentedBy(authorization: string | null, form: URLSearchParams): Presented {
  const clientId = form.get("client_id");
  const secret = form.get("client_secret");
  const assertion = form.get("client_assertion");
  if ([authorization, secret, assertion].filter((each) => each !== null).length > 1) {
    throw new OAuthError("invalid_request", "the client authenticates in more than one way", { status: 400 });
  }
  if (authorization !== null) return basicCredentials(authorization, clientId);
  if (assertion !== null) {
    if (form.get("client_assertion_type") !== ASSERTION_TYPE) {
      throw invalidClient(`client_assertion_type must be ${ASSERTION_TYPE}`);
    }
    return { kind: "assertion", clientId: clientId ?? subjectOf(assertion), assertion };
  }
  if (clientId === null) throw invalidClient("client_id is missing");
  return secret === null ? { kind: "none", clientId } : { kind: "secret", clientId, secret };
}

/** RFC 6749, section 2.3.1: both parts are form-encoded before they are joined. */
function basicCredentials(authorization: string, formId: string | null): Presented {
  const encoded = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  try {
    const [, id, secret] = /^([^:]*):(.*)$/.exec(atob(encoded ?? ""))?.map(formDecoded) ?? [];
    if (id === undefined || secret === undefined) throw new Error("no colon");
    if (formId !== null && formId !== id) throw new Error("another client_id in the body");
    return { kind: "secret", clientId: id, secret };
  } catch (cause) {
    throw invalidClient("the Authorization header must be Basic with the client's id and secret", cause);
  }
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}

/** The unverified subject of an assertion. RFC 7523: a request may omit `client_id`, since the subject names the client. */
function subjectOf(assertion: string): string {
  try {
    return `${decodeJwt(assertion).sub}`;
  } catch (cause) {
    throw invalidClient("client_assertion is not a JWT", cause);
  }
}

function invalidClient(description: string, cause?: unknown): OAuthError {
  return new OAuthError("invalid_client", description, { status: 401, cause });
}
