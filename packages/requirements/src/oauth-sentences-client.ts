/** What sentences on authorization ask of a client beyond logins and tokens: challenges, client ids, refresh tokens. */
import { LOCAL, OVER_HTTP, type Requirement, type Requirements, type Strength } from "./requirement.js";

const PAGE = "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization";
const DISCOVERY = "/authorization-server-discovery";
const REGISTRATION = "/client-registration";
const SECURITY = "/security-considerations";

function spec(section: string, strength: Strength, behavior: string): Requirement {
  return { behavior, source: `${PAGE}${section}`, strength, over: OVER_HTTP };
}

function decided(decision: string, behavior: string): Requirement {
  return { behavior, source: { decision }, strength: "decision", over: OVER_HTTP };
}

const discovery: Requirements = {
  "client-auth:challenge-parsing": spec(
    `${DISCOVERY}#protected-resource-metadata-discovery-requirements`,
    "must",
    "The challenge for a token is found among those of other schemes, in any case, with and without quotes.",
  ),
  "client-auth:resource-parameter:canonical": spec(
    "#canonical-server-uri",
    "must",
    "Without metadata the resource parameter is the server's URL: lower case, without fragment, and without a slash after the host.",
  ),
  "client-auth:resource-spelling": spec(
    "#canonical-server-uri",
    "should",
    "Metadata whose resource differs from the server's URL in the case of scheme and host alone is that of the server.",
  ),
  "client-auth:pkce:openid": spec(
    `${SECURITY}#authorization-code-protection`,
    "must",
    "A server whose OpenID Connect metadata does not list S256 is refused before anybody logs in.",
  ),
  "client-auth:iss:percent-encoding": spec(
    "#authorization-response-validation",
    "must",
    "An iss that is equal to the recorded issuer only after its percent-encoding is normalized ends the login.",
  ),
};

const scopes: Requirements = {
  "client-auth:scope-selection:configured": decided(
    "scope-selection",
    "Configured scopes are asked for if neither the challenge nor the metadata of the resource names any.",
  ),
};

const registration: Requirements = {
  "client-auth:registration-order": spec(
    `${REGISTRATION}#dynamic-client-registration`,
    "should",
    "Credentials of the operator are used before the URL of a metadata document, and that before a registration.",
  ),
  "client-auth:registration-impossible": decided(
    "client-registration",
    "A server where the client has no way to a client id rejects the call, and the error says what the user must enter.",
  ),
  "client-auth:cimd:url": {
    behavior:
      "The URL of a client metadata document that lacks https, a path, or has a fragment is refused where it is given.",
    source: `${PAGE}${REGISTRATION}#implementation-requirements`,
    strength: "must",
    over: LOCAL,
  },
  "client-auth:redirect-uri:secure": {
    behavior: "A redirect URI that is neither https nor http on a loopback host is refused where it is given.",
    source: `${PAGE}${SECURITY}#communication-security`,
    strength: "must",
    over: LOCAL,
  },
  "client-auth:redirect-uri:registered": spec(
    `${SECURITY}#open-redirection`,
    "must",
    "A login names the redirect URI that was registered; a client that gets another one registers anew.",
  ),
};

const tokens: Requirements = {
  "client-auth:refresh:none-issued": spec(
    "#refresh-tokens",
    "must",
    "Without a refresh token the access token is used until it expires, and then the user logs in again.",
  ),
};

const extensions: Requirements = {
  "client-auth:identity-assertion:saml": decided(
    "assertion-grants",
    "A SAML assertion is exchanged like an ID token, under the type that the application names.",
  ),
};

export const oauthSentencesClient: Requirements = {
  ...discovery,
  ...scopes,
  ...registration,
  ...tokens,
  ...extensions,
};
