/** A server as a resource of OAuth: tokens, challenges, scopes, and what tokens bind. */
import { LOCAL, OVER_HTTP, type Requirement, type Requirements, type Strength } from "./requirement.js";

const PAGE = "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization";
const DISCOVERY = "authorization-server-discovery";

function spec(anchor: string, strength: Strength, behavior: string): Requirement {
  return { behavior, source: `${PAGE}${anchor}`, strength, over: OVER_HTTP };
}

function decided(decision: string, behavior: string): Requirement {
  return { behavior, source: { decision }, strength: "decision", over: OVER_HTTP };
}

const tokens: Requirements = {
  "hosting:auth:missing-401": spec(
    `/${DISCOVERY}#protected-resource-metadata-discovery-requirements`,
    "must",
    "A request without a token is 401 with a Bearer challenge that names the metadata and the scopes, and no error.",
  ),
  "hosting:auth:invalid-401": spec("#token-handling", "must", "A token that is not valid is 401 with invalid_token."),
  "hosting:auth:expired-401": spec("#token-handling", "must", "A token that has expired is 401 with invalid_token."),
  "hosting:auth:aud-validation": spec(
    "#token-handling",
    "must",
    "A token for another audience, a malformed one or none is 401; a trailing slash alone is no difference.",
  ),
  "hosting:auth:query-token-ignored": spec(
    "#token-requirements",
    "must",
    "A token in the query string does not count: the request is one without a token.",
  ),
  "hosting:auth:authinfo-propagates": decided(
    "token-principals",
    "Handlers read subject, client, scopes, expiry and claims of the token from context.auth.",
  ),
  "oauth-resource:token-hidden": spec(
    "/security-considerations#access-token-privilege-restriction",
    "must",
    "Handlers do not see the token, so none can pass it on: their caller's headers lack Authorization and DPoP.",
  ),
  "oauth-resource:malformed-400": spec(
    "#error-handling",
    "must",
    "Several Authorization headers, or one that holds no token, are 400 with invalid_request.",
  ),
  "oauth-resource:rejection-reason": decided(
    "rejection-reasons",
    "The operator hears why a token was 401, without the token; the caller hears the same for every reason.",
  ),
  "oauth-resource:clock-skew": decided(
    "token-verification",
    "The clocks of issuer and resource may differ by 60 seconds; a token beyond that is 401.",
  ),
  "oauth-resource:durations": {
    ...decided(
      "finite-durations",
      "A time of a protected resource that is no number, not finite or negative is refused at the start, with the possible range.",
    ),
    over: LOCAL,
  },
  "oauth-resource:algorithms": decided(
    "token-verification",
    "Tokens without a signature, and those that are signed with the public key as a shared secret, are 401.",
  ),
  "oauth-resource:key-rotation": decided(
    "token-verification",
    "Tokens with a new key are accepted after one fetch; tokens with made-up keys do not cause a fetch each.",
  ),
  "oauth-resource:mistakes": {
    ...decided(
      "authorization-mistakes",
      "A gate, verifier or route of the wrong type, and options that do not exist, are refused at the start with what to write.",
    ),
    over: LOCAL,
  },
  "oauth-resource:own-credentials": decided(
    "authorization-mistakes",
    "An issuer that refuses the credentials of the resource is 503 for callers, and the operator hears which options to check.",
  ),
  "oauth-resource:missing-route": decided(
    "authorization-mistakes",
    "A path that nothing serves is 404 without a body, and the operator hears its method and path.",
  ),
  "oauth-resource:no-key-id": decided(
    "token-verification",
    "A token without kid is verified with each key of its issuer, sixteen at most.",
  ),
  "oauth-resource:verifier-result": decided(
    "token-verification",
    "A verifier of the application that returns no scopes or no claims is 500, and the operator hears what to return.",
  ),
  "oauth-resource:introspection": decided(
    "token-verification",
    "A token that only the issuer can read is introspected once, and refused once the issuer says so and its entry ends.",
  ),
  "oauth-resource:own-verifier": decided(
    "token-verification",
    "A function of the application verifies tokens, and their audience is still checked unless it says that it does.",
  ),
  "oauth-resource:dpop": decided(
    "dpop-at-resources",
    "A token that is bound to a key is accepted with a proof per request, and refused as a Bearer token.",
  ),
  "oauth-resource:many-proofs": decided(
    "dpop-at-resources",
    "A principal that fills the table of proofs, with many keys or with proofs dated ahead, has no proof of others refused.",
  ),
  "oauth-resource:bound-otherwise": decided(
    "dpop-at-resources",
    "A token that is bound to something else than a key for DPoP, such as a certificate, is refused.",
  ),
};

const issuers: Requirements = {
  "hosting:auth:metadata-endpoints": spec(
    "#overview",
    "must",
    "Every host serves the metadata at the resource's path and at the root, to anybody and any origin.",
  ),
  "hosting:auth:prm:authorization-servers-field": spec(
    `/${DISCOVERY}#authorization-server-location`,
    "must",
    "The metadata names the resource and at least one authorization server.",
  ),
  "oauth-resource:offline-access": {
    behavior: "A resource refuses to name offline_access among its scopes.",
    source: `${PAGE}#refresh-tokens`,
    strength: "should",
    over: LOCAL,
  },
  "oauth-resource:issuer-at-start": decided(
    "issuers-that-fail",
    "A server whose issuer cannot be found does not start, and the error says what each place answered.",
  ),
  "oauth-resource:issuer-away": decided(
    "issuers-that-fail",
    "A token that cannot be verified for want of its issuer is 503 with Retry-After, and no 401.",
  ),
  "oauth-resource:junk-tokens": decided(
    "issuers-that-fail",
    "A flood of junk tokens at a slow issuer gives no 503 to other addresses, nor to tokens that were good before.",
  ),
  "oauth-resource:many-tokens": decided(
    "issuers-that-fail",
    "The tokens of one principal, or of many networks of one IPv6 site, leave verifications at a slow issuer to others.",
  ),
};

const scopes: Requirements = {
  "hosting:auth:scope-403": spec(
    "#runtime-insufficient-scope-errors",
    "should",
    "A call without the scopes of its tool is 403 with insufficient_scope, the scopes and the metadata; nothing runs.",
  ),
  "oauth-resource:scopes-at-once": spec(
    "#runtime-insufficient-scope-errors",
    "should",
    "One challenge names every scope that a message, or a batch, needs, those of every request included.",
  ),
  "oauth-resource:scope-hierarchy": spec(
    "#step-up-authorization-flow",
    "must",
    "A scope that implies others permits what those permit.",
  ),
  "oauth-resource:scopes-of-offers": decided(
    "scopes-of-offers",
    "Resources, templates and prompts have scopes as tools do, for reading, completing and watching them.",
  ),
  "oauth-resource:scopes-without-token": decided(
    "scopes-of-offers",
    "Over HTTP a caller without a token is refused what needs scopes; over a pipe scopes are not checked.",
  ),
  "oauth-resource:scopes-of-arguments": decided(
    "scopes-of-arguments",
    "A handler that needs scopes for its arguments ends with 403; after a notification it is an error on the stream.",
  ),
  "oauth-resource:scopes-of-tasks": decided(
    "scopes-of-tasks",
    "A task needs the scopes of its call: without them its methods and listening to it are 403, and tasks/list omits it.",
  ),
  "oauth-resource:lists": decided(
    "scoped-lists",
    "Lists have what their caller lacks the scopes for, unless the server filters them; then they are private.",
  ),
};

const bound: Requirements = {
  "oauth-resource:sessions": decided(
    "token-principals",
    "A session is found by its user alone, and goes on with the user's next token.",
  ),
  "oauth-resource:streams-end": decided(
    "streams-end-with-tokens",
    "A listen stream and a legacy GET stream end when their token expires; a request in progress is answered.",
  ),
  "oauth-resource:frameworks": decided(
    "authorization-in-frameworks",
    "Another framework gets what a token says, or the response to send, from one function of a Request.",
  ),
  "oauth-resource:routes": decided(
    "routes-beside-the-endpoint",
    "Functions from Request to Response serve other paths on every host, with bounded bodies.",
  ),
};

export const oauthResource: Requirements = { ...tokens, ...issuers, ...scopes, ...bound };
