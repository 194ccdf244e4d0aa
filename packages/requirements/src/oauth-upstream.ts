/** An authorization server whose users log in at somebody else's: identity, consent, and the tokens of that provider. */
import { OVER_HTTP, type Requirement, type Requirements } from "./requirement.js";

const PAGE = "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations";

function must(anchor: string, behavior: string): Requirement {
  return { behavior, source: `${PAGE}#${anchor}`, strength: "must", over: OVER_HTTP };
}

function decided(decision: string, behavior: string): Requirement {
  return { behavior, source: { decision }, strength: "decision", over: OVER_HTTP };
}

export const oauthUpstream: Requirements = {
  "oauth-upstream:consent-first": must(
    "confused-deputy-problem",
    "The user approves each client on a page of this server before the browser goes to the provider, whatever it asks itself.",
  ),
  "oauth-upstream:no-passthrough": must(
    "access-token-privilege-restriction",
    "Client and provider each get tokens of their own: no response holds the provider's, and the resource refuses it.",
  ),
  "oauth-upstream:mix-up": {
    ...must(
      "mix-up-attacks",
      "A callback at the path of another provider, or with another issuer, is refused, and its code is redeemed nowhere.",
    ),
    strength: "stated",
  },
  "oauth-upstream:bound-to-browser": must(
    "authorization-code-protection",
    "A callback in another browser, a second time, too late, or before the user has approved the client is refused.",
  ),
  "oauth-upstream:openid-connect": decided(
    "upstream-logins",
    "A user of an OpenID Connect provider logs in there, and calls tools as the issuer and the subject of that provider.",
  ),
  "oauth-upstream:plain-oauth2": decided(
    "upstream-logins",
    "A user of a provider without ID tokens is the number of the account there, with the verified address alone.",
  ),
  "oauth-upstream:several": decided(
    "upstream-logins",
    "Several providers are offered side by side; one subject at two of them is two users.",
  ),
  "oauth-upstream:asks-again": decided(
    "upstream-consent",
    "A login keeps no session: the next request of the same browser is approved and goes to the provider again.",
  ),
  "oauth-upstream:id-token": decided(
    "upstream-logins",
    "An ID token with another issuer, audience, nonce or signature, or one that has expired, logs nobody in.",
  ),
  "oauth-upstream:allow": decided(
    "upstream-users",
    "A user whom the rule refuses reads the reason on a page, and its link tells the client access_denied with iss.",
  ),
  "oauth-upstream:allow-again": decided(
    "upstream-users",
    "Each refresh asks the rule again; a user whom it refuses by then cannot refresh, and the tokens of the grant are refused.",
  ),
  "oauth-upstream:own-credentials": decided(
    "authorization-mistakes",
    "A provider that refuses the credentials of the server ends the login, and the operator hears which options to check.",
  ),
  "oauth-upstream:issuer-spelling": decided(
    "authorization-mistakes",
    "A provider whose metadata spells the issuer otherwise logs nobody in, and the operator hears both spellings.",
  ),
  "oauth-upstream:failures": decided(
    "upstream-failures",
    "A provider that denies, is away or answers nonsense ends the login with an error for the client that names no secret.",
  ),
  "oauth-upstream:tokens": decided(
    "upstream-tokens",
    "Handlers get the provider's token, renewed once for all who ask; the store holds it sealed, and loses it on revocation.",
  ),
  "oauth-upstream:withdrawn": decided(
    "upstream-tokens",
    "A grant ends with the provider's: its tokens are refused, and its client cannot refresh.",
  ),
};
