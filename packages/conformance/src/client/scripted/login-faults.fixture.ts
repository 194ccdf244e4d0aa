/** A fault for each check of logins. */
import type { JsonObject } from "../../wire/json-rpc.js";
import type { ClientFault, OutgoingCall } from "./client-fault.fixture.js";

/** A param of the authorization request with another value, or none. */
function authorize(name: string, value?: string): ClientFault {
  return {
    change: (call) => {
      if (call.url.pathname !== "/authorize") return call;
      const url = new URL(call.url);
      if (value === undefined) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
      return { ...call, url };
    },
  };
}

/** A field of the token request with another value. */
function token(name: string, value: string, grant = "authorization_code"): ClientFault {
  return {
    change: (call) => (call.form?.grant_type === grant ? { ...call, form: { ...call.form, [name]: value } } : call),
  };
}

function register(change: JsonObject): ClientFault {
  return {
    change: (call) =>
      call.url.pathname === "/register" ? { ...call, message: { ...(call.message as JsonObject), ...change } } : call,
  };
}

/** A change of requests with a token. */
function authorized(change: (call: OutgoingCall) => OutgoingCall): ClientFault {
  return { change: (call) => (/^Bearer/.test(call.headers.authorization ?? "") ? change(call) : call) };
}

export const LOGIN_FAULTS: Readonly<Record<string, ClientFault>> = {
  "client-login-no-early-token": {
    change: (call) =>
      call.url.pathname === "/mcp" && call.headers.authorization === undefined
        ? { ...call, headers: { ...call.headers, authorization: "Bearer guess" } }
        : call,
  },
  "client-login-challenge-metadata": {
    change: (call) =>
      call.url.pathname === "/metadata-of-the-challenge"
        ? { ...call, url: new URL("/.well-known/oauth-protected-resource", call.url) }
        : call,
  },
  "client-login-once": {
    change: (call) => (call.url.pathname === "/authorize" ? [call, call] : call),
  },
  "client-login-calls-again": authorized((call) =>
    (call.message as JsonObject | undefined)?.method === "server/discover"
      ? { ...call, message: { jsonrpc: "2.0", id: 700, method: "ping", params: {} } }
      : call,
  ),
  "client-registration-redirect-uris": {
    ...register({ redirect_uris: ["http://public.example/callback"] }),
    also: ["client-authorize-redirect-uri"],
  },
  "client-registration-application-type": register({ application_type: "web" }),
  "client-registration-grants": register({ grant_types: ["authorization_code"] }),
  "client-authorize-response-type": authorize("response_type", "token"),
  "client-authorize-client-id": authorize("client_id", "guessed"),
  "client-authorize-redirect-uri": {
    ...authorize("redirect_uri", "http://127.0.0.1:3998/another"),
    also: ["client-token-redirect-uri"],
  },
  "client-authorize-challenge": { ...authorize("code_challenge", "short"), also: ["client-token-verifier"] },
  "client-authorize-challenge-method": authorize("code_challenge_method", "plain"),
  "client-authorize-resource": authorize("resource"),
  "client-authorize-state": { ...authorize("state"), off: "compares-state" },
  "client-authorize-scope": authorize("scope"),
  "client-token-grant-type": token("grant_type", "implicit"),
  "client-token-code": token("code", "guessed"),
  "client-token-verifier": token("code_verifier", "another"),
  "client-token-resource": token("resource", ""),
  "client-token-redirect-uri": token("redirect_uri", "http://127.0.0.1:3998/another"),
  "client-token-in-body": {
    change: (call) => {
      if (call.url.pathname !== "/token" || !call.form) return call;
      const url = new URL(call.url);
      url.searchParams.set("code", String(call.form.code));
      return { ...call, url };
    },
  },
  "client-bearer-header": authorized((call) => ({
    ...call,
    headers: { ...call.headers, authorization: "Bearer token-0" },
  })),
  "client-bearer-not-in-url": authorized((call) => {
    const url = new URL(call.url);
    url.searchParams.set("access_token", "token-1");
    return { ...call, url };
  }),
  "client-bearer-not-elsewhere": {
    change: (call) =>
      call.url.pathname === "/token" ? { ...call, headers: { authorization: "Bearer token-1" } } : call,
  },
  "client-login-metadata-path": { off: "tries-path-first" },
  "client-login-metadata-root": { off: "tries-root" },
  "client-login-issuer-path-order": { off: "tries-oauth-first" },
  "client-login-openid": { off: "tries-openid" },
  "client-login-other-resource": { off: "compares-resource" },
  "client-login-other-issuer": { off: "compares-issuer" },
  "client-login-without-pkce": { off: "needs-s256" },
  "client-login-plain-pkce": { ...authorize("code_challenge_method", "plain"), off: "needs-s256" },
  "client-login-other-state": { off: "compares-state" },
  "client-login-iss-wrong": { off: "compares-iss" },
  "client-login-iss-missing": { off: "needs-advertised-iss" },
  "client-login-iss-unexpected": { off: "compares-iss" },
  "client-login-iss-slash": { off: "compares-iss" },
  "client-login-iss-right": { change: (call) => (call.url.pathname === "/token" ? undefined : call) },
  "client-login-scopes-supported": authorize("scope", "mcp:read"),
  "client-login-no-scopes": authorize("scope", "admin"),
  "client-step-up": { off: "steps-up" },
  "client-step-up-union": { off: "unites-scopes" },
  "client-step-up-bounded": { off: "bounds-logins" },
  "client-login-bounded": { off: "bounds-logins" },
  "client-refresh": { off: "refreshes-token" },
  "client-refresh-resource": token("resource", "", "refresh_token"),
  "client-refresh-rotated": { off: "rotates-refresh-token" },
  "client-token-basic": { change: (call) => (call.form ? { ...call, headers: {} } : call) },
  "client-token-post": token("client_secret", ""),
  "client-token-redirect": { off: "refuses-token-redirect" },
  "client-moved-registers": { off: "registers-anew", also: ["client-moved-no-reuse"] },
  "client-moved-no-reuse": {
    change: (call) =>
      call.url.pathname === "/authorize" && call.url.searchParams.get("client_id")?.includes("second")
        ? (authorize("client_id", "client-1-of-auth").change?.(call) as OutgoingCall)
        : call,
  },
  "client-moved-no-tokens": {
    change: (call) =>
      call.form?.client_id?.includes("second") ? { ...call, form: { ...call.form, refresh_token: "refresh-1" } } : call,
  },
};
