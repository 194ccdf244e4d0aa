/** How a client finds an authorization server, becomes known there, and has its user log in. */
import { OVER_HTTP, type Requirements } from "./requirement.js";

const AUTHORIZATION = "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization";
const DISCOVERY =
  "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery";
const REGISTRATION = "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration";
const SECURITY = "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations";

export const oauthClientLogin: Requirements = {
  "client-auth:401-triggers-flow": {
    behavior: "A 401 makes the client log in once and send the call again, body included.",
    source: `${DISCOVERY}#protected-resource-metadata-discovery-requirements`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:negotiation:auth-before-era": {
    behavior:
      "A 401 on the probe says nothing about the era: after the login the probe is sent again, and its time limit stands still meanwhile.",
    source: { decision: "authorization-of-calls" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:prm-discovery:fallback-order": {
    behavior:
      "Resource metadata is fetched from the URL of the challenge, else from the well-known URL of the path, else of the root.",
    source: `${DISCOVERY}#protected-resource-metadata-discovery-requirements`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:prm-discovery:no-prm-fallback": {
    behavior:
      "Without resource metadata the server's origin is its authorization server, with its metadata or with the default endpoints.",
    source: { decision: "authorization-discovery" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:prm-resource-mismatch": {
    behavior:
      "Resource metadata of another resource stops the login before anything is sent to an authorization server.",
    source: `${DISCOVERY}#authorization-server-location`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:as-metadata-discovery:priority-order": {
    behavior:
      "Metadata of an authorization server is tried at the well-known URLs in the order of the specification, for issuers with and without a path.",
    source: `${DISCOVERY}#authorization-server-metadata-discovery`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:as-metadata-discovery:issuer-validation": {
    behavior: "Metadata that names another issuer is not used: none of its endpoints is called.",
    source: `${DISCOVERY}#authorization-server-metadata-discovery`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:as-metadata-discovery:missing": {
    behavior:
      "If there is no metadata and no default endpoint either, the error names the places where metadata was looked for.",
    source: { decision: "authorization-discovery" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:as-metadata-discovery:outage": {
    behavior: "Metadata that cannot be fetched for now fails the call and is not taken for absent.",
    source: { decision: "authorization-discovery" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:pre-registration": {
    behavior: "Credentials given by the operator are used, and nothing is registered.",
    source: `${REGISTRATION}#pre-registration`,
    strength: "should",
    over: OVER_HTTP,
  },
  "client-auth:cimd": {
    behavior:
      "The URL of a client metadata document is the client id at servers that support it; elsewhere the client registers.",
    source: `${REGISTRATION}#advertising-cimd-support`,
    strength: "should",
    over: OVER_HTTP,
  },
  "client-auth:dcr": {
    behavior: "A client without an id registers, and uses the id that it gets.",
    source: `${REGISTRATION}#dynamic-client-registration`,
    strength: "may",
    over: OVER_HTTP,
  },
  "client-auth:dcr:app-type-heuristic": {
    behavior: "A registration has the application type native for loopback redirects, and web for others.",
    source: `${REGISTRATION}#application-type-and-redirect-uri-constraints`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:dcr:app-type-override": {
    behavior: "Client metadata of the application replaces that of the registration, the application type included.",
    source: { decision: "client-registration" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:dcr:grant-types-default": {
    behavior: "A registration asks for the grants authorization_code and refresh_token.",
    source: `${AUTHORIZATION}#refresh-tokens`,
    strength: "should",
    over: OVER_HTTP,
  },
  "client-auth:dcr:registration-rejected-error": {
    behavior: "A refused registration rejects with an error that has the server's status, code and description.",
    source: `${REGISTRATION}#application-type-and-redirect-uri-constraints`,
    strength: "should",
    over: OVER_HTTP,
  },
  "client-auth:dcr:substituted-metadata": {
    behavior: "A registration that differs from what was asked for is used, unless the client cannot log in with it.",
    source: { decision: "client-registration" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:dcr:secret-expiry": {
    behavior: "A registration whose secret has expired is made anew.",
    source: { decision: "client-registration" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:dcr:more-scopes": {
    behavior: "A client that was registered for certain scopes registers again for a login that needs more of them.",
    source: { decision: "client-registration" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:as-binding": {
    behavior:
      "Credentials belong to the issuer that gave them out: a server that names another issuer gets an error, not the credentials.",
    source: `${REGISTRATION}#authorization-server-binding`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:as-migration:reregister": {
    behavior: "A server that moves to another authorization server makes the client register there.",
    source: `${REGISTRATION}#authorization-server-binding`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:as-migration:no-cred-reuse": {
    behavior:
      "After a move the client id and the tokens of the old authorization server are never shown to the new one.",
    source: `${REGISTRATION}#authorization-server-binding`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:as-migration:cimd-portable": {
    behavior: "A client id that is a URL is used at the new authorization server as well.",
    source: `${REGISTRATION}#authorization-server-binding`,
    strength: "stated",
    over: OVER_HTTP,
  },
  "client-auth:as-migration:m2m-expected-issuer": {
    behavior: "Credentials of a program are bound to the issuer that it expects, or to the first one that it meets.",
    source: `${REGISTRATION}#authorization-server-binding`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:pkce:s256": {
    behavior: "The authorization request has an S256 challenge, and the token request its verifier.",
    source: `${SECURITY}#authorization-code-protection`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:pkce:refuse-if-unsupported": {
    behavior:
      "A server whose metadata does not list S256 is refused, at a step-up as well; one without any metadata is not.",
    source: `${SECURITY}#authorization-code-protection`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:resource-parameter": {
    behavior:
      "Authorization, token and refresh requests have the same resource parameter: the identifier that the metadata names.",
    source: `${AUTHORIZATION}#resource-parameter-implementation`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:state:verify": {
    behavior: "A response with another state, or none, ends the login before a token is requested.",
    source: `${SECURITY}#open-redirection`,
    strength: "should",
    over: OVER_HTTP,
  },
  "client-auth:iss:match": {
    behavior:
      "A response whose iss is the recorded issuer is accepted, and so is one without iss from a server that does not advertise it.",
    source: `${AUTHORIZATION}#authorization-response-validation`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:iss:mismatch-reject": {
    behavior:
      "A response whose iss differs from the recorded issuer, in any byte, ends the login before a token is requested, advertised or not.",
    source: `${AUTHORIZATION}#authorization-response-validation`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:iss:supported-missing-reject": {
    behavior: "A response without iss is refused if the server advertises it.",
    source: `${AUTHORIZATION}#authorization-response-validation`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:iss:hides-errors": {
    behavior: "Nothing of an error response is shown whose iss is wrong.",
    source: `${AUTHORIZATION}#authorization-response-validation`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:authorize:error-surfaces": {
    behavior: "An error response rejects with the server's code and description, and no token is requested.",
    source: { decision: "authorization-errors" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:login-shared": {
    behavior: "Two connections that need a login at once share it.",
    source: { decision: "authorization-of-calls" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:login-abandoned": {
    behavior: "A login that nobody waits for any more is aborted, and one that takes too long fails.",
    source: { decision: "authorization-of-calls" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:headless": {
    behavior: "A client that cannot show a login rejects with what one would be for: resource, issuer and scopes.",
    source: { decision: "authorization-errors" },
    strength: "decision",
    over: OVER_HTTP,
  },
};
