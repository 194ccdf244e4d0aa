/** The authorization server: login, consent, codes, tokens, and the clients it knows. */
import { LOCAL, OVER_HTTP, type Requirement, type Requirements, type Strength } from "./requirement.js";

const PAGE = "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization";
const SECURITY = "/security-considerations";
const CLIENTS = "/client-registration";

function spec(anchor: string, strength: Strength, behavior: string): Requirement {
  return { behavior, source: `${PAGE}${anchor}`, strength, over: OVER_HTTP };
}

function decided(decision: string, behavior: string): Requirement {
  return { behavior, source: { decision }, strength: "decision", over: OVER_HTTP };
}

const discovery: Requirements = {
  "hosting:auth:as-router": decided(
    "bundled-authorization-server",
    "One function serves metadata, keys, authorization, tokens, registration and revocation beside an MCP endpoint.",
  ),
  "oauth-server:metadata": spec(
    "#overview",
    "must",
    "Metadata lies at every well-known place of an issuer with a path, and says S256, iss and metadata documents.",
  ),
  "oauth-server:secure-issuer": {
    ...spec(`${SECURITY}#communication-security`, "must", "An issuer that is neither https nor loopback is refused."),
    over: LOCAL,
  },
  "oauth-server:foreign-client": decided(
    "bundled-authorization-server",
    "A client of another library discovers the server, registers, logs in, refreshes, revokes and introspects.",
  ),
  "oauth-server:cors": decided(
    "bundled-authorization-server",
    "Clients in browsers may read metadata, keys, tokens, registrations and revocations; pages are for no other origin.",
  ),
};

const authorization: Requirements = {
  "hosting:auth:as:authorize-requires-pkce": spec(
    `${SECURITY}#authorization-code-protection`,
    "must",
    "An authorization request without an S256 challenge is sent back to the client as invalid_request.",
  ),
  "hosting:auth:as-iss-emission": spec(
    "#authorization-response-validation",
    "should",
    "Every redirect to a client names the issuer in iss, whether it carries a code or an error.",
  ),
  "oauth-server:untrusted-redirects": spec(
    `${SECURITY}#open-redirection`,
    "must",
    "A request of an unknown client, or with a redirect URI that is not registered, ends on a page and is not redirected.",
  ),
  "oauth-server:consent": spec(
    `${SECURITY}#localhost-redirect-uri-risks`,
    "should",
    "Before a code is sent, the user sees the client, its host, the scopes and where the answer goes, with a warning for loopback.",
  ),
  "oauth-server:denial": decided("login-pages", "A user who denies sends access_denied to the client."),
  "oauth-server:remembered-consent": decided(
    "remembered-consent",
    "Consent is asked for each time unless the user asked to be remembered, and always for loopback redirects.",
  ),
  "oauth-server:browser-binding": decided(
    "login-pages",
    "A form of another browser, without its token, or sent twice has no effect.",
  ),
  "oauth-server:page-headers": decided("login-pages", "Pages run no script, cannot be framed, and are not cached."),
  "oauth-server:password-throttle": decided(
    "login-pages",
    "An address tries a name ten times, then once in ten seconds, and a wrong name looks like a wrong password.",
  ),
  "oauth-server:password-lockout": decided(
    "login-pages",
    "Wrong passwords from many addresses slow a user who comes from another one, and do not keep the user out.",
  ),
  "oauth-server:password-flood": decided(
    "login-pages",
    "Passwords that wait to be checked take turns by address: a flood from ten addresses refuses no attempt from another one.",
  ),
  "oauth-server:password-networks": decided(
    "login-pages",
    "A flood of passwords from many networks of one IPv6 site, with the name of a user, delays that user by seconds at most.",
  ),
  "oauth-server:password-many-networks": decided(
    "login-pages",
    "While 150 networks try the name of a user again and again, the user's first attempt from another network is checked within seconds.",
  ),
  "oauth-server:login-flood": decided(
    "owners-of-records",
    "Logins that one network begins from many addresses, and leaves open, do not end the login of a user elsewhere.",
  ),
  "oauth-server:proxied-address": decided(
    "login-pages",
    "Rates of logins count the address that clientAddress of the host tells.",
  ),
  "oauth-server:upstream-login": decided(
    "login-pages",
    "A login provider sends the browser elsewhere and gets the same browser back on the callback path.",
  ),
  "oauth-server:known-resources": decided(
    "missing-resource",
    "A resource that is not served is invalid_target; a missing one means the only one there is.",
  ),
};

const tokens: Requirements = {
  "hosting:auth:as:verifier-mismatch": spec(
    `${SECURITY}#authorization-code-protection`,
    "must",
    "A code with another verifier is invalid_grant.",
  ),
  "hosting:auth:as:code-single-use": decided(
    "spent-tokens",
    "A code that is used again is invalid_grant, and the tokens of its first use are revoked.",
  ),
  "hosting:auth:as:redirect-uri-binding": spec(
    `${SECURITY}#open-redirection`,
    "must",
    "A redirect URI matches its registration exactly, but for a loopback port; one that differs at the token endpoint is invalid_grant.",
  ),
  "hosting:auth:as:token-cache-headers": decided(
    "bundled-authorization-server",
    "Token responses and token errors are never cacheable.",
  ),
  "oauth-server:refresh-rotation": spec(
    `${SECURITY}#token-theft`,
    "must",
    "A refresh token is replaced at each use, and the new access token keeps resource and scopes.",
  ),
  "oauth-server:refresh-reuse": decided(
    "spent-tokens",
    "A refresh token that is used after its successor was used is invalid_grant, and every token of its grant is revoked.",
  ),
  "oauth-server:refresh-lost-answer": decided(
    "spent-tokens",
    "A refresh token gets another successor while the one before was never used; the use of that one revokes the grant.",
  ),
  "oauth-server:short-lived-tokens": spec(
    `${SECURITY}#token-theft`,
    "should",
    "Access tokens are valid for ten minutes unless an author says otherwise.",
  ),
  "oauth-server:client-authentication": spec(
    "#overview",
    "must",
    "Public clients need PKCE alone; confidential ones a secret or a signed assertion, which counts once.",
  ),
  "oauth-server:client-secrets": {
    ...decided(
      "client-secrets",
      "A client secret that is empty, missing, short, or the text of a missing value is refused at the start.",
    ),
    over: LOCAL,
  },
  "oauth-server:mistakes": {
    ...decided(
      "authorization-mistakes",
      "Options that do not exist, missing resources, and a resource with a fragment are refused at the start with what to write.",
    ),
    over: LOCAL,
  },
  "oauth-server:client-credentials": decided(
    "bundled-authorization-server",
    "A confidential client gets a token for itself; a public one does not.",
  ),
  "oauth-server:identity-assertions": decided(
    "identity-assertions",
    "An assertion of a trusted provider for this server and this client is exchanged once; any other is invalid_grant.",
  ),
  "oauth-server:assertion-scope": decided(
    "identity-assertions",
    "A request for none of the scopes of its assertion, or an assertion whose scope is no text, is invalid_scope.",
  ),
  "oauth-server:dpop": decided(
    "bundled-authorization-server",
    "A token request with a proof of possession is asked for a nonce and gets a token that is bound to the key.",
  ),
  "oauth-server:dpop-processes": decided(
    "bundled-authorization-server",
    "Processes with one store accept each other's nonces for proofs of possession.",
  ),
  "oauth-server:dpop-replay": decided(
    "bundled-authorization-server",
    "A proof of possession gets tokens once; a request that gets none leaves no trace of its proof.",
  ),
  "oauth-server:revocation": decided(
    "revoked-access-tokens",
    "A revoked token is refused at once where the server itself verifies it, and inactive when introspected.",
  ),
  "oauth-server:record-floods": decided(
    "owners-of-records",
    "A user or client that fills the store with revoked tokens or used assertions displaces its own: those of others stay refused.",
  ),
  "oauth-server:removed-user": decided(
    "removed-users",
    "A user who was removed or has another password cannot refresh, and a refused refresh ends the tokens of the grant.",
  ),
  "oauth-server:revoke-all": decided(
    "removed-users",
    "An author ends everything of a subject or a client: tokens with and without a grant, codes, sessions and registrations.",
  ),
  "oauth-server:introspection-audience": decided(
    "revoked-access-tokens",
    "A client that introspects learns of its own tokens and of those for its resources; any other token is inactive.",
  ),
  "oauth-server:key-rotation": decided(
    "bundled-authorization-server",
    "Signing keys are rotated, published before they sign as long as resources cache them, and until their last token has expired.",
  ),
  "oauth-server:rates:checked": {
    ...decided(
      "finite-durations",
      "A rate per address whose numbers are not finite, or that allows no request, is refused at the start.",
    ),
    over: LOCAL,
  },
  "oauth-server:durations": {
    ...decided(
      "finite-durations",
      "A lifetime that is no number, not finite, too short or over a hundred years is refused at the start, with the possible range.",
    ),
    over: LOCAL,
  },
  "oauth-server:malformed-requests": decided(
    "bundled-authorization-server",
    "Repeated parameters, other content types and bodies over the limit are refused with errors of RFC 6749.",
  ),
};

const clients: Requirements = {
  "hosting:auth:as:redirect-uri-scheme": spec(
    `${SECURITY}#communication-security`,
    "must",
    "Registration accepts redirect URIs with https, or http on a loopback host; others are invalid_client_metadata.",
  ),
  "hosting:auth:as:register-echo": decided(
    "open-registration",
    "Registration answers with what holds for the client, the end of its secret included.",
  ),
  "hosting:auth:as:register-error-response": decided(
    "open-registration",
    "A registration that cannot be used is 400 with invalid_client_metadata and names the field.",
  ),
  "oauth-server:registration-flood": decided(
    "open-registration",
    "Registrations beyond the rate of an address are 429, and a client that users approved is not displaced by others.",
  ),
  "oauth-server:client-documents": spec(
    `${CLIENTS}#implementation-requirements`,
    "must",
    "The metadata document of a client whose id is a URL is fetched; it must name its own URL and the redirect URI of the request.",
  ),
  "oauth-server:document-cache": spec(
    `${CLIENTS}#implementation-requirements`,
    "should",
    "Metadata documents are kept as long as their HTTP headers say.",
  ),
  "oauth-server:document-shares": decided(
    "open-registration",
    "A network that has all fetches of metadata documents in progress loses its oldest to a network with fewer.",
  ),
  "oauth-server:document-addresses": spec(
    `${SECURITY}#authorization-server-abuse-protection`,
    "should",
    "Metadata documents on link-local, private or loopback addresses are not fetched.",
  ),
  "oauth-server:file-store-lock": {
    ...decided(
      "one-process-per-file",
      "A second process with the file of a store is refused with the name of the lock; the lock of a process that ended is taken over.",
    ),
    over: LOCAL,
  },
  "oauth-server:file-store-folder": {
    ...decided(
      "authorization-mistakes",
      "The folder of a store's file is made when the store is opened, for its owner alone.",
    ),
    over: LOCAL,
  },
  "oauth-server:file-store-link": {
    ...decided(
      "one-process-per-file",
      "A store whose path is a symbolic link writes the file that the link names, and refuses a link to a link without a file.",
    ),
    over: LOCAL,
  },
  "oauth-server:file-store-suspended": {
    ...decided(
      "one-process-per-file",
      "A process whose store another process used meanwhile, as during a suspension, does not overwrite the changes of the other.",
    ),
    over: LOCAL,
  },
  "oauth-server:clock-set-back": decided(
    "bundled-authorization-server",
    "After a clock that was a year ahead is set back, keys are rotated in time and no client is refused for its rate.",
  ),
  "oauth-server:file-store": {
    ...decided(
      "bundled-authorization-server",
      "A login outlives a restart in a file that holds no token and is its owner's alone.",
    ),
    over: LOCAL,
  },
};

export const oauthServer: Requirements = { ...discovery, ...authorization, ...tokens, ...clients };
