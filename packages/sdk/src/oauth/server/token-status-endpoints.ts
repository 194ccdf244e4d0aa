/** The endpoints for revocation (RFC 7009) and introspection (RFC 7662). */
import type { JsonObject } from "../../runtime/json.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { sameResource } from "../grammar/resource-uri.js";
import { joinScopes } from "../grammar/scope.js";
import type { AccessTokens } from "./access-tokens.js";
import type { ClientAuthentication } from "./client-authentication.js";
import { type ClientRecord, isConfidential } from "./client-record.js";
import { readForm, required } from "./form-body.js";
import type { Grants } from "./grants.js";

export interface TokenStatusOptions {
  readonly issuer: string;
  readonly authentication: ClientAuthentication;
  readonly grants: Grants;
  readonly tokens: AccessTokens;
}

export class TokenStatusEndpoints {
  readonly #options: TokenStatusOptions;

  constructor(options: TokenStatusOptions) {
    this.#options = options;
  }

  /** Revokes a token of the client that asks. A token that is unknown, or another client's, is no error. */
  async revoke(request: Request, address: string | undefined): Promise<void> {
    const { authentication, grants, tokens } = this.#options;
    const form = await readForm(request);
    const { clientId } = await authentication.authenticate(request, form, address);
    const token = required(form, "token");
    if (!(await grants.revoke(token, clientId))) await tokens.revoke(token, clientId);
  }

  /** @throws {OAuthError} `invalid_client` for a public client, which cannot prove its identity */
  async introspect(request: Request, address: string | undefined): Promise<JsonObject> {
    const form = await readForm(request);
    const client = await this.#options.authentication.authenticate(request, form, address);
    if (!isConfidential(client)) {
      throw new OAuthError("invalid_client", "introspection needs a client with credentials", { status: 401 });
    }
    const token = required(form, "token");
    const found = (await this.#accessToken(token)) ?? (await this.#refreshToken(token));
    return found && maySee(client, found) ? { active: true, ...found } : { active: false };
  }

  async #accessToken(token: string): Promise<JsonObject | undefined> {
    const verified = await this.#options.tokens.find(token);
    if (!verified) return undefined;
    const { cnf } = verified.claims;
    return { ...verified.claims, token_type: cnf === undefined ? "Bearer" : "DPoP" };
  }

  async #refreshToken(token: string): Promise<JsonObject | undefined> {
    const stored = await this.#options.grants.find(token);
    if (!stored) return undefined;
    const { subject, clientId, resource, scopes } = stored.value;
    return {
      iss: this.#options.issuer,
      sub: subject,
      aud: resource,
      client_id: clientId,
      scope: joinScopes(scopes),
      exp: Math.floor(stored.expiresAt / 1_000),
    };
  }
}

function maySee({ clientId, introspects = [] }: ClientRecord, { client_id, aud }: JsonObject): boolean {
  return client_id === clientId || introspects.some((resource) => sameResource(resource, `${aud}`));
}
