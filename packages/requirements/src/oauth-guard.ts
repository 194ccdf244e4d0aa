/** What a client calls, and does not call, of the URLs that servers name during a login. */
import { OVER_HTTP, type Requirements } from "./requirement.js";

const SECURITY = "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations";

export const oauthGuard: Requirements = {
  "client-auth:guard:private-address": {
    behavior:
      "A remote server cannot make the client call a loopback, private or link-local address, in whatever form it is written.",
    source: { decision: "guarded-requests" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:guard:allowed-hosts": {
    behavior:
      "A remote server may name an authorization server on a private address that the user listed, and no other.",
    source: { decision: "guarded-requests" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:guard:local-server": {
    behavior: "A server on this machine may name an authorization server there, and no link-local address.",
    source: { decision: "guarded-requests" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:guard:redirects": {
    behavior: "Metadata is followed over three redirects; a loop ends the login.",
    source: { decision: "guarded-requests" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:guard:redirect-targets": {
    behavior: "A redirect to a private address, or from https to http, is not followed.",
    source: { decision: "guarded-requests" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:guard:token-redirect": {
    behavior: "A token request that is redirected is not sent again: no other server sees its code and verifier.",
    source: { decision: "guarded-requests" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:guard:size": {
    behavior: "A document of more than a mebibyte ends the login before more of it is read.",
    source: { decision: "guarded-requests" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:guard:endpoints": {
    behavior:
      "Metadata with an endpoint that is no https URL, such as a script, ends the login before anything is opened.",
    source: `${SECURITY}#communication-security`,
    strength: "must",
    over: OVER_HTTP,
  },
};
