/** What a client sends in a login that goes well: discovery, registration, authorization, token, and the calls after it. */
import { notObserved, want } from "../../judge/expectations.js";
import { codeChallenge } from "../../wire/code-challenge.js";
import { isObject, type JsonObject } from "../../wire/json-rpc.js";
import { playLogin } from "../played-login.js";
import type { ClientArea, ClientCheck } from "../scenario.js";
import { type Sighting, wantOf } from "../sighting.js";
import type { Stage } from "../stage.js";

const scenario = "login";

function isAuthPath(path: string): (sighting: Sighting) => boolean {
  return (sighting) => sighting.origin !== "mcp" && sighting.path.split("?")[0] === path;
}

/** The requests of a kind at an authorization server. */
export function authRequests(seen: readonly Sighting[], path: string): Sighting[] {
  return seen.filter(isAuthPath(path));
}

export function queryOf({ path }: Sighting): URLSearchParams {
  return new URL(path, "http://any").searchParams;
}

/** The first authorization request, or a login that was not seen. */
export function authorizationOf(seen: readonly Sighting[]): Sighting {
  const [found] = authRequests(seen, "/authorize");
  if (!found) notObserved("the client opened no login");
  return found;
}

export function tokenRequestOf(seen: readonly Sighting[]): Sighting {
  const [found] = authRequests(seen, "/token");
  if (!found) notObserved("the client requested no token");
  return found;
}

function registrationOf(seen: readonly Sighting[]): JsonObject {
  const [found] = authRequests(seen, "/register");
  if (!found) notObserved("the client did not register");
  return isObject(found.value) ? found.value : {};
}

/** Requests to the server after the first token was requested. */
function authorizedCalls(seen: readonly Sighting[]): Sighting[] {
  const at = seen.indexOf(tokenRequestOf(seen));
  const calls = seen.slice(at).filter(({ origin, path }) => origin === "mcp" && path.split("?")[0] === "/mcp");
  if (calls.length === 0) notObserved("the client made no call after its login");
  return calls;
}

/** Whether a param has the right value. */
type ParamRule = (value: string | null, seen: readonly Sighting[], stage: Stage) => boolean;

/** A param of the authorization request has the right value. */
function paramCheck(facts: Omit<ClientCheck, "scenario" | "judge">, isRight: ParamRule, name: string): ClientCheck {
  return valueCheck(facts, isRight, name, authorizationOf, queryOf);
}

/** A field of the token request has the right value. */
function fieldCheck(facts: Omit<ClientCheck, "scenario" | "judge">, isRight: ParamRule, name: string): ClientCheck {
  return valueCheck(facts, isRight, name, tokenRequestOf, ({ body }) => new URLSearchParams(body));
}

function valueCheck(
  facts: Omit<ClientCheck, "scenario" | "judge">,
  isRight: ParamRule,
  name: string,
  find: (seen: readonly Sighting[]) => Sighting,
  paramsOf: (found: Sighting) => URLSearchParams,
): ClientCheck {
  return {
    ...facts,
    scenario,
    judge: (seen, stage) => {
      const found = find(seen);
      const value = paramsOf(found).get(name);
      wantOf([found], isRight(value, seen, stage), `the right ${name}`, value ?? "none");
    },
  };
}

/** The token of the login. The name of the scheme has no case. */
const isToken = (header: string | undefined) => /^bearer +token-1$/i.test(header ?? "");

const isLoopback = (uri: string) => /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/.test(uri);

export const login: ClientArea = {
  area: "client-login",
  scenarios: [
    {
      name: scenario,
      revisions: ["2025-11-25", "2026-07-28"],
      summary: "A protected server. Its challenge names the resource metadata and a scope. The client may register.",
      script: playLogin({ challenge: 'scope="mcp:basic"' }),
    },
  ],
  checks: [
    {
      id: "client-login-no-early-token",
      scenario,
      requirement: "client-auth:no-tokens:no-auth-header",
      title: "A request before the login has no authorization header.",
      mend: "Send Authorization only with a token.",
      judge: (seen) => {
        const [first] = seen;
        if (!first) notObserved("the client sent nothing");
        wantOf([first], first.headers.authorization === undefined, "no authorization", first.headers.authorization);
      },
    },
    {
      id: "client-login-challenge-metadata",
      scenario,
      requirement: "client-auth:prm-discovery:fallback-order",
      title: "The resource metadata is fetched from the URL of the challenge.",
      mend: "Use resource_metadata of WWW-Authenticate before the well-known URLs.",
      judge: (seen) => {
        const gets = seen.filter(({ verb, path, origin }) => verb === "GET" && path !== "/mcp" && origin === "mcp");
        if (gets.length === 0) notObserved("the client fetched no metadata");
        wantOf(gets, gets[0]?.path === "/metadata-of-the-challenge", "the URL of the challenge", gets[0]?.path);
      },
    },
    {
      id: "client-login-once",
      scenario,
      requirement: "client-auth:401-triggers-flow",
      // That a client responds to 401 is a MUST, and not how often it asks its user.
      atMost: "warning",
      title: "One 401 leads to one login.",
      mend: "Use the token of a login for the calls after it.",
      judge: (seen) => {
        authorizationOf(seen);
        const logins = authRequests(seen, "/authorize");
        wantOf(logins, logins.length === 1, "one login", `${logins.length}`);
      },
    },
    {
      id: "client-login-calls-again",
      scenario,
      requirement: "client-auth:401-triggers-flow",
      atMost: "warning",
      title: "The call that was refused with 401 is made again after the login, body included.",
      mend: "Send the refused request again with the token.",
      judge: (seen) => {
        const [refused] = seen.filter(({ status }) => status === 401);
        const [again] = authorizedCalls(seen);
        const methodOf = (item: Sighting | undefined) => (isObject(item?.value) ? item.value.method : undefined);
        wantOf([again], methodOf(again) === methodOf(refused), String(methodOf(refused)), methodOf(again));
      },
    },
    {
      id: "client-registration-redirect-uris",
      scenario,
      requirement: "client-auth:redirect-uri:registered",
      title: "A registration lists its redirect URIs, each with https or on a loopback host.",
      mend: "Register redirect_uris with https, or http on a loopback host.",
      judge: (seen) => {
        const { redirect_uris: uris } = registrationOf(seen);
        const isRight =
          Array.isArray(uris) &&
          uris.length > 0 &&
          uris.every((uri) => !String(uri).startsWith("http://") || isLoopback(String(uri)));
        want(isRight, "secure redirect URIs", uris);
      },
    },
    {
      id: "client-registration-application-type",
      scenario,
      since: "2026-07-28",
      requirement: "client-auth:dcr:app-type-heuristic",
      title: "A registration with a loopback redirect has the application type native.",
      mend: "Register application_type native for loopback redirects.",
      judge: (seen) => {
        const { redirect_uris: uris, application_type: type } = registrationOf(seen);
        if (!Array.isArray(uris) || !uris.some((uri) => isLoopback(String(uri))))
          notObserved("the client registered no loopback redirect");
        // That there is a type is a MUST, which one a SHOULD.
        wantOf([], type === "native", "native", type ?? "none", type === undefined ? undefined : "warning");
      },
    },
    {
      id: "client-registration-grants",
      scenario,
      requirement: "client-auth:dcr:grant-types-default",
      title: "A registration asks for the grants authorization_code and refresh_token.",
      mend: "Register grant_types authorization_code and refresh_token.",
      judge: (seen) => {
        const { grant_types: grants } = registrationOf(seen);
        const isRight =
          Array.isArray(grants) && grants.includes("authorization_code") && grants.includes("refresh_token");
        want(isRight, "both grants", grants ?? "none");
      },
    },
    paramCheck(
      {
        id: "client-authorize-response-type",
        requirement: "flow:oauth:authorization-code-roundtrip",
        title: "The authorization request asks for a code.",
        mend: "Send response_type code.",
      },
      (value) => value === "code",
      "response_type",
    ),
    paramCheck(
      {
        id: "client-authorize-client-id",
        requirement: "client-auth:dcr",
        title: "The authorization request has the client id of the registration.",
        mend: "Send the client_id that the registration returned.",
      },
      (value, seen) => authRequests(seen, "/register").length === 0 || value === "client-1-of-auth",
      "client_id",
    ),
    paramCheck(
      {
        id: "client-authorize-redirect-uri",
        requirement: "client-auth:redirect-uri:registered",
        title: "The authorization request names a redirect URI that was registered.",
        mend: "Send one of the registered redirect_uris.",
      },
      (value, seen) => {
        const uris = registrationOf(seen).redirect_uris;
        return Array.isArray(uris) && uris.includes(value);
      },
      "redirect_uri",
    ),
    paramCheck(
      {
        id: "client-authorize-challenge",
        requirement: "client-auth:pkce:s256",
        title: "The authorization request has a PKCE challenge of 43 characters.",
        mend: "Send the SHA-256 of the verifier in base64url as code_challenge.",
      },
      (value) => value !== null && /^[\w-]{43}$/.test(value),
      "code_challenge",
    ),
    paramCheck(
      {
        id: "client-authorize-challenge-method",
        requirement: "client-auth:pkce:s256",
        title: "The method of the PKCE challenge is S256.",
        mend: "Send code_challenge_method S256.",
      },
      (value) => value === "S256",
      "code_challenge_method",
    ),
    paramCheck(
      {
        id: "client-authorize-resource",
        requirement: "client-auth:resource-parameter",
        title: "The authorization request names the resource of the metadata.",
        mend: "Send resource with the identifier of the resource metadata.",
      },
      (value, _seen, stage) => value?.replace(/\/$/, "") === stage.url,
      "resource",
    ),
    paramCheck(
      {
        id: "client-authorize-state",
        requirement: "client-auth:state:verify",
        title: "The authorization request has a state.",
        mend: "Send a random state, and compare it with that of the response.",
      },
      (value) => value !== null && value.length >= 8,
      "state",
    ),
    paramCheck(
      {
        id: "client-authorize-scope",
        requirement: "client-auth:scope-selection:priority",
        title: "The scopes of the challenge are asked for.",
        mend: "Send scope with the scopes of WWW-Authenticate.",
      },
      (value) => value?.split(" ").includes("mcp:basic") ?? false,
      "scope",
    ),
    fieldCheck(
      {
        id: "client-token-grant-type",
        requirement: "flow:oauth:authorization-code-roundtrip",
        title: "The token request has the grant type authorization_code.",
        mend: "Send grant_type authorization_code.",
      },
      (value) => value === "authorization_code",
      "grant_type",
    ),
    fieldCheck(
      {
        id: "client-token-code",
        requirement: "flow:oauth:authorization-code-roundtrip",
        title: "The token request has the code of the redirect.",
        mend: "Send the code as it came.",
      },
      (value) => value === "code-1",
      "code",
    ),
    fieldCheck(
      {
        id: "client-token-verifier",
        requirement: "client-auth:pkce:s256",
        title: "The token request has the verifier of the challenge.",
        mend: "Send as code_verifier the text whose SHA-256 was the challenge.",
      },
      (value, seen) => codeChallenge(value ?? "") === queryOf(authorizationOf(seen)).get("code_challenge"),
      "code_verifier",
    ),
    fieldCheck(
      {
        id: "client-token-resource",
        requirement: "client-auth:resource-parameter",
        title: "The token request names the same resource as the authorization request.",
        mend: "Send resource with the token request as well.",
      },
      (value, seen, stage) => value === (queryOf(authorizationOf(seen)).get("resource") ?? stage.url),
      "resource",
    ),
    fieldCheck(
      {
        id: "client-token-redirect-uri",
        requirement: "client-auth:redirect-uri:registered",
        title: "The token request names the redirect URI of the authorization request.",
        mend: "Send the same redirect_uri in both requests.",
      },
      (value, seen) => value === queryOf(authorizationOf(seen)).get("redirect_uri"),
      "redirect_uri",
    ),
    {
      id: "client-token-in-body",
      scenario,
      requirement: "client-auth:token-secrecy",
      title: "The code and the verifier are not in the URL of the token request.",
      mend: "Send the fields of the token request as a form in its body.",
      judge: (seen) => {
        const found = tokenRequestOf(seen);
        const query = queryOf(found);
        wantOf([found], !query.has("code") && !query.has("code_verifier"), "no fields in the URL", found.path);
      },
    },
    {
      id: "client-bearer-header",
      scenario,
      requirement: "client-auth:bearer-header:every-request",
      title: "Every request after the login has the token in its authorization header.",
      mend: "Send Authorization: Bearer with each request of every verb.",
      judge: (seen) => {
        const odd = authorizedCalls(seen).find(({ headers }) => !isToken(headers.authorization));
        wantOf([odd], odd === undefined, "Bearer and the token", odd?.headers.authorization ?? "none");
      },
    },
    {
      id: "client-bearer-not-in-url",
      scenario,
      requirement: "client-auth:token-secrecy",
      title: "The token is in no URL.",
      mend: "Send tokens in the authorization header alone.",
      judge: (seen) => {
        authorizedCalls(seen);
        const odd = seen.find(({ path }) => path.includes("token-1"));
        wantOf([odd], odd === undefined, "no token in a URL", odd?.path);
      },
    },
    {
      id: "client-bearer-not-elsewhere",
      scenario,
      requirement: "client-auth:token-provenance",
      title: "The token goes to no other origin than that of the server.",
      mend: "Send the token to the origin that it was issued for.",
      judge: (seen) => {
        authorizedCalls(seen);
        const odd = seen.find(({ origin, headers }) => origin !== "mcp" && isToken(headers.authorization));
        wantOf([odd], odd === undefined, "no token at another origin", odd?.path);
      },
    },
  ],
};
