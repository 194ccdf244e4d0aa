/** How a client sends, renews and protects its tokens, and the ways to get one without a login. */
import { OVER_HTTP, type Requirements } from "./requirement.js";

const AUTHORIZATION = "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization";
const SECURITY = "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations";

export const oauthClientTokens: Requirements = {
  "client-auth:bearer-header:every-request": {
    behavior: "Every HTTP request to the server has the token in its authorization header, and never in its URL.",
    source: `${AUTHORIZATION}#token-requirements`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:no-tokens:no-auth-header": {
    behavior: "A request without a token has no authorization header, and its 401 leads to a whole login.",
    source: { decision: "authorization-of-calls" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:token-provenance": {
    behavior: "A token is sent to the origin that it was issued for, and never to another or without TLS.",
    source: `${AUTHORIZATION}#token-handling`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:token-secrecy": {
    behavior: "Tokens, codes and secrets appear in no error, no URL of the server and no identity of a cache.",
    source: `${SECURITY}#token-theft`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:cache-identity": {
    behavior: "A cached private result is served to the login that received it, also after a refresh, and to no other.",
    source: { decision: "authorization-of-calls" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:log-out:nothing-stored": {
    behavior: "Logging out of a server for which no tokens are stored says so, and revokes nothing.",
    source: { decision: "log-out" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:log-out": {
    behavior:
      "A user who logs out is forgotten first; then the refresh token and the access token are revoked, or the result says why not.",
    source: { decision: "log-out" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:log-out:locked": {
    behavior:
      "A user who logs out while another process holds the lock of the credentials is forgotten here and in the store, and the result says that tokens may be stored again.",
    source: { decision: "log-out" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:log-out:lasting": {
    behavior: "A refresh after a log-out, in this process or another, requests no token and stores none.",
    source: { decision: "log-out" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:401-after-auth-throws": {
    behavior: "A token that is refused right after it was issued fails the call instead of a further login.",
    source: { decision: "token-renewal" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:refresh:transparent": {
    behavior: "A token about to expire is refreshed before it is sent, and an expired one without a word to the user.",
    source: { decision: "token-renewal" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:refresh:time-limit": {
    behavior: "The time limit of a call stands still while the call waits for a refresh.",
    source: { decision: "token-renewal" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:refresh:one-flight": {
    behavior: "Two hundred calls at the expiry of a token make one refresh.",
    source: { decision: "token-renewal" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:refresh:across-processes": {
    behavior: "Of two processes that share a store, one refreshes and the other takes what it got.",
    source: { decision: "token-renewal" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:login-elsewhere": {
    behavior:
      "A call that a server refuses uses the tokens that another process has stored meanwhile, instead of a login.",
    source: { decision: "token-renewal" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:refresh:login-meanwhile": {
    behavior:
      "The tokens of a login that ends during a refresh, also in another process, replace those of the refresh.",
    source: { decision: "token-renewal" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:refresh:killed": {
    behavior:
      "A process that is killed before it stored a refreshed token costs the next one no login at our own server.",
    source: { decision: "spent-tokens" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:refresh:rotation-handling": {
    behavior: "A new refresh token takes the place of the old one; without a new one the old one stays.",
    source: `${AUTHORIZATION}#refresh-tokens`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:refresh:typed-errors": {
    behavior:
      "A failure of the token endpoint rejects with an OAuthError of its code and status as the cause, and keeps the tokens.",
    source: { decision: "authorization-errors" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:invalid-grant-clears-tokens": {
    behavior: "invalid_grant clears the tokens alone: the next login uses the same client.",
    source: { decision: "token-renewal" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:invalid-client-clears-all": {
    behavior: "invalid_client clears registration and tokens: the client registers anew.",
    source: { decision: "token-renewal" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:scope-selection:priority": {
    behavior:
      "Scopes are those of the challenge, else of the resource metadata, else the configured ones, else none; never those of the authorization server.",
    source: `${AUTHORIZATION}#scope-selection-strategy`,
    strength: "should",
    over: OVER_HTTP,
  },
  "client-auth:scope:offline-access-gate": {
    behavior:
      "offline_access is asked for, with consent, if the authorization server offers it and other scopes are asked for.",
    source: `${AUTHORIZATION}#refresh-tokens`,
    strength: "may",
    over: OVER_HTTP,
  },
  "client-auth:403-scope-upgrade": {
    behavior: "A 403 for missing scopes makes the client log in for them and send the call again.",
    source: `${AUTHORIZATION}#step-up-authorization-flow`,
    strength: "should",
    over: OVER_HTTP,
  },
  "client-auth:stepup:scope-union": {
    behavior:
      "A step-up asks for the scopes asked for before and those of the challenge, even if a refresh token is there.",
    source: `${AUTHORIZATION}#step-up-authorization-flow`,
    strength: "should",
    over: OVER_HTTP,
  },
  "client-auth:stepup:refresh-bypass-on-superset": {
    behavior:
      "A 401 whose challenge names scopes beyond those of the token leads to a login, since a refresh cannot add scopes.",
    source: `${AUTHORIZATION}#step-up-authorization-flow`,
    strength: "should",
    over: OVER_HTTP,
  },
  "client-auth:stepup:retry-cap": {
    behavior:
      "A server that is never content gets three logins at most in one call, and as many for one set of scopes.",
    source: `${AUTHORIZATION}#step-up-authorization-flow`,
    strength: "should",
    over: OVER_HTTP,
  },
  "client-auth:stepup:throw-mode": {
    behavior: "With stepUp throw, missing scopes reject the call with the scopes that it needs.",
    source: `${AUTHORIZATION}#step-up-authorization-flow`,
    strength: "should",
    over: OVER_HTTP,
  },
  "client-auth:stepup:get-stream-403": {
    behavior: "A 403 on the GET of a stream makes the client log in for its scopes as well.",
    source: `${AUTHORIZATION}#step-up-authorization-flow`,
    strength: "should",
    over: OVER_HTTP,
  },
  "client-auth:token-endpoint-auth-method": {
    behavior:
      "The client authenticates at the token endpoint as it was registered: none, client_secret_basic or client_secret_post.",
    source: { decision: "client-registration" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:token-endpoint:https-guard": {
    behavior: "Credentials go to token endpoints with TLS or on a loopback host alone.",
    source: `${SECURITY}#communication-security`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:client-credentials": {
    behavior: "A program gets a token by its secret, without a user.",
    source: `${AUTHORIZATION}#mcp-authorization-extensions`,
    strength: "stated",
    over: OVER_HTTP,
  },
  "client-auth:private-key-jwt": {
    behavior: "A program gets a token by an assertion that it signs for the issuer, or by one signed elsewhere.",
    source: `${AUTHORIZATION}#mcp-authorization-extensions`,
    strength: "stated",
    over: OVER_HTTP,
  },
  "client-auth:identity-assertion": {
    behavior:
      "An identity of the enterprise is exchanged for an ID-JAG by a token exchange with audience, resource and types, and that for a token by a JWT bearer grant.",
    source: `${AUTHORIZATION}#mcp-authorization-extensions`,
    strength: "stated",
    over: OVER_HTTP,
  },
  "client-auth:identity-assertion:assertion-callback": {
    behavior: "The assertion may come from a callback, which is told audience, resource and scopes.",
    source: { decision: "assertion-grants" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:identity-assertion:issuer-pinning": {
    behavior: "An assertion goes to the configured issuer alone.",
    source: { decision: "assertion-grants" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:identity-assertion:refusals": {
    behavior: "An assertion that the server does not take fails the call at once: no other grant, no second attempt.",
    source: { decision: "assertion-grants" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:workload-identity": {
    behavior: "A workload gets a token by the assertion of its platform.",
    source: { decision: "assertion-grants" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:dpop:unbound": {
    behavior: "With dpop true, a token that the authorization server did not bind to the key is not used.",
    source: { decision: "dpop-use" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:dpop:wrong-clock": {
    behavior:
      "A client whose clock is hours wrong dates its proofs by the server that refused one, and does so again when its clock changes.",
    source: { decision: "dpop-use" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:dpop": {
    behavior:
      "Tokens are bound to a key if both servers support it: each request has a proof of its own, with the nonces that the servers ask for.",
    source: { decision: "dpop-use" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:fetch-redirects": {
    behavior: "A fetch follows a redirect that leaves its resource without the token, also on the same origin.",
    source: { decision: "authorization-of-calls" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:fetch-wrapper": {
    behavior: "A fetch authorizes requests to one resource, and sends a refused one again, body included.",
    source: { decision: "authorization-of-calls" },
    strength: "decision",
    over: OVER_HTTP,
  },
};
