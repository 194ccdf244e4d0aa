/** The authorization code grant: a user logs in. */

import { checkPkce, requestCode } from "./authorization-code.js";
import { AuthorizationRequiredError } from "./authorization-required-error.js";
import type { ClientRegistration } from "./client-registration.js";
import type { RedirectReceiver } from "./redirect-receiver.js";
import { withOfflineAccess } from "./scope-selection.js";
import type { Granted, GrantRequest, TokenGrant } from "./token-grant.js";
import { requestTokens } from "./token-request.js";

export interface CodeGrantOptions {
  readonly clients: ClientRegistration;
  readonly redirect: RedirectReceiver | undefined;
  readonly offlineAccess: boolean;
}

export class CodeGrant implements TokenGrant {
  readonly #options: CodeGrantOptions;

  constructor(options: CodeGrantOptions) {
    this.#options = options;
  }

  async obtain(request: GrantRequest): Promise<Granted> {
    const { clients, redirect, offlineAccess } = this.#options;
    const { server, resource, fetch, signal, dpop } = request;
    const { scopes_supported: offered } = server.metadata;
    const scopes = offlineAccess ? withOfflineAccess(request.scopes, offered) : request.scopes;
    if (redirect === undefined) throw loginRequired(server.issuer, resource, scopes);
    // Before the client registers with a server that it will not use.
    checkPkce(server);
    const client = await clients.obtain(server, { fetch, scopes, signal });
    const code = await requestCode({ server, clientId: client.clientId, resource, scopes, redirect, signal });
    const parameters = { ...code, resource };
    const grantType = "authorization_code";
    const tokens = await requestTokens({ server, client, grantType, parameters, fetch, signal, dpop });
    return { tokens, client, scopes };
  }
}

function loginRequired(issuer: string, resource: string, scopes: readonly string[]): AuthorizationRequiredError {
  const message =
    `${resource} wants a login at ${issuer}, and this client cannot show one: pass \`redirect\`, or the \`store\`, ` +
    "`clientName` and `account` of an earlier login; nothing is stored under these";
  return new AuthorizationRequiredError(message, { reason: "login", resource, issuer, scopes });
}
