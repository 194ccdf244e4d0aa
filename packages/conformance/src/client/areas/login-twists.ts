/** Logins with a twist: other places of metadata, wrong answers of an authorization server, scopes, refreshes, moves. */
import type { Revision } from "parley-requirements";
import { notObserved } from "../../judge/expectations.js";
import { challengeReply, jsonReply, type LoginTwist, playLogin } from "../played-login.js";
import { empty } from "../replies.js";
import type { ClientArea, ClientCheck, Scenario } from "../scenario.js";
import { requestsOf, type Sighting, wantOf } from "../sighting.js";
import type { Stage } from "../stage.js";
import { authorizationOf, authRequests, queryOf, tokenRequestOf } from "./login.js";

const BOTH: readonly Revision[] = ["2025-11-25", "2026-07-28"];
const MODERN: readonly Revision[] = ["2026-07-28"];

function twisted(name: string, revisions: readonly Revision[], summary: string, twist: LoginTwist): Scenario {
  return { name, revisions, summary, script: playLogin(twist) };
}

/** The client must not get as far as a path of the authorization server. It was seen to fetch metadata. */
function stopsBefore(
  path: string,
  facts: Pick<ClientCheck, "scenario" | "requirement" | "title" | "mend">,
  mustReach?: string,
): ClientCheck {
  return {
    ...facts,
    id: `client-${facts.scenario}`,
    judge: (seen) => {
      const hasReached = mustReach
        ? authRequests(seen, mustReach).length > 0
        : seen.some(({ path: fetched }) => /metadata|well-known/.test(fetched));
      if (!hasReached) notObserved("the client did not begin a login");
      const found = authRequests(seen, path);
      wantOf(found, found.length === 0, `nothing at ${path}`, found[0]?.verb);
    },
  };
}

function scopesOf(sighting: Sighting | undefined): string[] {
  return (sighting && queryOf(sighting).get("scope")?.split(" ")) ?? [];
}

function paths(seen: readonly Sighting[], origin: Sighting["origin"]): string[] {
  return seen
    .filter((item) => item.origin === origin && item.path !== "/mcp")
    .map(({ path }) => path.split("?")[0] ?? "");
}

const STEP_UP = 'Bearer error="insufficient_scope", scope="mcp:write"';

function isCall(sighting: Sighting): boolean {
  return requestsOf([sighting], "tools/call").length > 0;
}

/** Refuses the token of the first login from the first call on. */
function expires(sighting: Sighting): ReturnType<NonNullable<LoginTwist["refuse"]>> {
  const isOld = sighting.headers.authorization === "Bearer token-1";
  return isOld && isCall(sighting) ? challengeReply(401, 'Bearer error="invalid_token"') : undefined;
}

function refreshesOf(seen: readonly Sighting[]): URLSearchParams[] {
  const forms = authRequests(seen, "/token").map(({ body }) => new URLSearchParams(body));
  const found = forms.filter((form) => form.get("grant_type") === "refresh_token");
  if (found.length === 0) notObserved("the client made no refresh");
  return found;
}

function moved(stage: Stage): boolean {
  return stage.count(isCall) > 0;
}

const ISS = "authorization_response_iss_parameter_supported";

export const loginTwists: ClientArea = {
  area: "client-login-twists",
  scenarios: [
    twisted("login-metadata-path", BOTH, "The resource metadata is at the well-known URL of the path.", {
      resourceMetadataAt: "path",
    }),
    twisted("login-metadata-root", BOTH, "The resource metadata is at the well-known URL of the root alone.", {
      resourceMetadataAt: "root",
    }),
    twisted("login-issuer-path", BOTH, "The issuer has a path, and OpenID Connect metadata at the end of it.", {
      issuerPath: "/tenant1",
      metadataPath: "/tenant1/.well-known/openid-configuration",
    }),
    twisted("login-openid", BOTH, "The issuer has OpenID Connect metadata alone.", {
      metadataPath: "/.well-known/openid-configuration",
    }),
    twisted("login-other-resource", BOTH, "The metadata is that of another resource.", {
      resourceMetadata: () => ({ resource: "https://other.example/mcp" }),
    }),
    twisted("login-other-issuer", BOTH, "The metadata of the authorization server names another issuer.", {
      metadata: () => ({ issuer: "https://other.example" }),
    }),
    twisted("login-without-pkce", BOTH, "The metadata of the authorization server lists no PKCE method.", {
      metadata: () => ({ code_challenge_methods_supported: undefined }),
    }),
    twisted("login-plain-pkce", BOTH, "The authorization server supports plain challenges alone.", {
      metadata: () => ({ code_challenge_methods_supported: ["plain"] }),
    }),
    twisted("login-other-state", BOTH, "The redirect has another state.", {
      redirect: () => ({ state: "another-state" }),
    }),
    twisted("login-iss-wrong", MODERN, "The redirect names another issuer, as advertised.", {
      metadata: () => ({ [ISS]: true }),
      redirect: () => ({ iss: "https://other.example" }),
    }),
    twisted("login-iss-missing", MODERN, "The redirect lacks the issuer that was advertised.", {
      metadata: () => ({ [ISS]: true }),
    }),
    twisted("login-iss-unexpected", MODERN, "The redirect names another issuer, which was not advertised.", {
      redirect: () => ({ iss: "https://other.example" }),
    }),
    twisted("login-iss-slash", MODERN, "The redirect names the issuer with another slash at its end.", {
      metadata: () => ({ [ISS]: true }),
      redirect: (stage) => ({ iss: `${stage.originOf("auth")}/` }),
    }),
    twisted("login-iss-right", MODERN, "The redirect names the issuer, as advertised.", {
      metadata: () => ({ [ISS]: true }),
      redirect: (stage) => ({ iss: stage.originOf("auth") }),
    }),
    twisted("login-scopes-supported", BOTH, "The resource metadata names scopes, and the challenge none.", {
      resourceMetadata: () => ({ scopes_supported: ["mcp:read", "mcp:list"] }),
    }),
    twisted("login-no-scopes", BOTH, "Neither the challenge nor the resource metadata names scopes.", {}),
    twisted("login-step-up", BOTH, "Calls of tools need a second scope.", {
      resourceMetadataAt: "path",
      challenge: 'scope="mcp:basic"',
      refuse: (sighting, stage) =>
        isCall(sighting) && stage.count((item) => item.path.startsWith("/authorize")) < 2
          ? challengeReply(403, STEP_UP)
          : undefined,
    }),
    twisted("login-step-up-endless", BOTH, "Calls of tools are refused for a missing scope, whatever the token.", {
      resourceMetadataAt: "path",
      refuse: (sighting) => (isCall(sighting) ? challengeReply(403, STEP_UP) : undefined),
    }),
    twisted("login-endless", BOTH, "Every token is refused with 401.", {
      resourceMetadataAt: "path",
      refuse: () => challengeReply(401, 'Bearer error="invalid_token"'),
    }),
    twisted("login-refresh", BOTH, "The first token expires at the first call, and the second at the next one.", {
      resourceMetadataAt: "path",
      refuse: (sighting, stage) => {
        const calls = stage.count((item) => isCall(item) && item.headers.authorization === "Bearer token-2");
        const isSecond = sighting.headers.authorization === "Bearer token-2" && calls > 1;
        return isSecond && isCall(sighting) ? challengeReply(401, 'Bearer error="invalid_token"') : expires(sighting);
      },
    }),
    twisted("login-basic", BOTH, "The registration gives out a secret for client_secret_basic.", {
      registration: { client_secret: "secret-of-the-client", token_endpoint_auth_method: "client_secret_basic" },
    }),
    twisted("login-post", BOTH, "The registration gives out a secret for client_secret_post.", {
      registration: { client_secret: "secret-of-the-client", token_endpoint_auth_method: "client_secret_post" },
    }),
    twisted("login-token-redirect", BOTH, "The token endpoint redirects to another origin.", {
      token: (_form, stage) => empty(307, { location: `${stage.originOf("other")}/token` }),
    }),
    twisted("login-moved", MODERN, "The server moves to another authorization server after the first call.", {
      resourceMetadataAt: "path",
      resourceMetadata: (stage) => (moved(stage) ? { authorization_servers: [stage.originOf("second-auth")] } : {}),
      token: (form, stage) =>
        moved(stage) && form.get("grant_type") === "refresh_token"
          ? jsonReply(400, { error: "invalid_grant" })
          : undefined,
      refuse: expires,
    }),
  ],
  checks: [
    {
      id: "client-login-metadata-path",
      scenario: "login-metadata-path",
      requirement: "client-auth:prm-discovery:fallback-order",
      title: "Without a URL in the challenge, the well-known URL of the path is tried first.",
      mend: "Fetch /.well-known/oauth-protected-resource followed by the path of the server.",
      judge: (seen) => {
        const [first] = paths(seen, "mcp");
        if (first === undefined) notObserved("the client fetched no metadata");
        wantOf([], first === "/.well-known/oauth-protected-resource/mcp", "the URL of the path", first);
      },
    },
    {
      id: "client-login-metadata-root",
      scenario: "login-metadata-root",
      requirement: "client-auth:prm-discovery:fallback-order",
      title: "If there is nothing at the URL of the path, that of the root is tried.",
      mend: "Fetch /.well-known/oauth-protected-resource after the URL of the path.",
      judge: (seen) => {
        const fetched = paths(seen, "mcp");
        if (fetched.length === 0) notObserved("the client fetched no metadata");
        wantOf([], fetched.includes("/.well-known/oauth-protected-resource"), "the URL of the root", fetched);
      },
    },
    {
      id: "client-login-issuer-path-order",
      scenario: "login-issuer-path",
      requirement: "client-auth:as-metadata-discovery:priority-order",
      title: "Metadata of an issuer with a path is tried at three URLs in their order.",
      mend: "Try OAuth metadata with the path at its end, OpenID Connect likewise, then OpenID Connect below the path.",
      judge: (seen) => {
        const fetched = paths(seen, "auth").filter((path) => path.includes("well-known"));
        if (fetched.length === 0) notObserved("the client fetched no metadata of the authorization server");
        const order = [
          "/.well-known/oauth-authorization-server/tenant1",
          "/.well-known/openid-configuration/tenant1",
          "/tenant1/.well-known/openid-configuration",
        ];
        const isRight = order.every((path, index) => fetched[index] === path);
        wantOf([], isRight, order.join(", "), fetched);
      },
    },
    {
      id: "client-login-openid",
      scenario: "login-openid",
      requirement: "client-auth:as-metadata-discovery:priority-order",
      title: "OpenID Connect metadata is used where there is no OAuth metadata.",
      mend: "Try /.well-known/openid-configuration after /.well-known/oauth-authorization-server.",
      judge: (seen) => {
        if (paths(seen, "auth").length === 0) notObserved("the client fetched no metadata of the authorization server");
        const isUsed = paths(seen, "auth").includes("/.well-known/openid-configuration");
        wantOf([], isUsed, "/.well-known/openid-configuration", paths(seen, "auth"));
      },
    },
    stopsBefore("/authorize", {
      scenario: "login-other-resource",
      requirement: "client-auth:prm-resource-mismatch",
      title: "Metadata of another resource ends the login.",
      mend: "Compare resource of the metadata with the URL of the server.",
    }),
    stopsBefore("/authorize", {
      scenario: "login-other-issuer",
      requirement: "client-auth:as-metadata-discovery:issuer-validation",
      title: "Metadata that names another issuer ends the login.",
      mend: "Compare issuer of the metadata with the issuer that it was fetched for.",
    }),
    stopsBefore("/authorize", {
      scenario: "login-without-pkce",
      requirement: "client-auth:pkce:refuse-if-unsupported",
      title: "An authorization server that lists no PKCE method is refused.",
      mend: "Require S256 in code_challenge_methods_supported.",
    }),
    {
      id: "client-login-plain-pkce",
      scenario: "login-plain-pkce",
      requirement: "client-auth:pkce:s256",
      title: "An authorization server with plain challenges alone is refused, or sent an S256 challenge.",
      mend: "Require S256 in code_challenge_methods_supported, and send no plain challenge.",
      judge: (seen) => {
        if (!seen.some(({ path }) => /metadata|well-known/.test(path))) notObserved("the client did not begin a login");
        const plain = authRequests(seen, "/authorize").find(
          (sighting) => queryOf(sighting).get("code_challenge_method") !== "S256",
        );
        wantOf([plain], plain === undefined, "S256, or no login", "plain");
      },
    },
    stopsBefore(
      "/token",
      {
        scenario: "login-other-state",
        requirement: "client-auth:state:verify",
        title: "A response with another state ends the login before a token is requested.",
        mend: "Compare state of the response with that of the request.",
      },
      "/authorize",
    ),
    ...(
      [
        ["login-iss-wrong", "client-auth:iss:mismatch-reject", "A response of another issuer ends the login."],
        [
          "login-iss-missing",
          "client-auth:iss:supported-missing-reject",
          "A response without the advertised issuer ends the login.",
        ],
        [
          "login-iss-unexpected",
          "client-auth:iss:mismatch-reject",
          "A response of another issuer ends the login, although none was advertised.",
        ],
        [
          "login-iss-slash",
          "client-auth:iss:mismatch-reject",
          "An issuer that differs in a slash at its end ends the login.",
        ],
      ] as const
    ).map(([name, requirement, title]) =>
      stopsBefore(
        "/token",
        {
          scenario: name,
          requirement,
          title,
          mend: "Compare iss of the response byte for byte before the code is used.",
        },
        "/authorize",
      ),
    ),
    {
      id: "client-login-iss-right",
      scenario: "login-iss-right",
      requirement: "client-auth:iss:match",
      title: "A response of the right issuer is accepted.",
      mend: "Request a token if iss is the recorded issuer.",
      judge: (seen) => {
        const login = authorizationOf(seen);
        wantOf([login], authRequests(seen, "/token").length > 0, "a token request", "none");
      },
    },
    {
      id: "client-login-scopes-supported",
      scenario: "login-scopes-supported",
      requirement: "client-auth:scope-selection:priority",
      title: "Without scopes in the challenge, those of the resource metadata are asked for.",
      mend: "Send the scopes_supported of the resource metadata as scope.",
      judge: (seen) => {
        const login = authorizationOf(seen);
        const scopes = scopesOf(login);
        const isRight = ["mcp:read", "mcp:list"].every((scope) => scopes.includes(scope));
        wantOf([login], isRight, "mcp:read mcp:list", scopes);
      },
    },
    {
      id: "client-login-no-scopes",
      scenario: "login-no-scopes",
      requirement: "client-auth:scope-selection:priority",
      title: "Scopes of the authorization server's metadata are not asked for.",
      mend: "Leave scope out if neither the challenge nor the resource metadata names scopes.",
      judge: (seen) => {
        const login = authorizationOf(seen);
        wantOf([login], !scopesOf(login).includes("admin"), "no scope admin", scopesOf(login));
      },
    },
    {
      id: "client-step-up",
      scenario: "login-step-up",
      requirement: "client-auth:403-scope-upgrade",
      title: "A 403 for a missing scope leads to a login for it.",
      mend: "Log in again with the scopes of the 403.",
      judge: (seen) => {
        if (!seen.some(({ status }) => status === 403)) notObserved("the client was not asked for another scope");
        const second = authRequests(seen, "/authorize")[1];
        wantOf([second], scopesOf(second).includes("mcp:write"), "a login for mcp:write", scopesOf(second));
      },
    },
    {
      id: "client-step-up-union",
      scenario: "login-step-up",
      requirement: "client-auth:stepup:scope-union",
      title: "A step-up asks for the scopes that were asked for before as well.",
      mend: "Unite the scopes of the challenge with those of the last login.",
      judge: (seen) => {
        const second = authRequests(seen, "/authorize")[1];
        if (!second) notObserved("the client made no second login");
        wantOf([second], scopesOf(second).includes("mcp:basic"), "mcp:basic as well", scopesOf(second));
      },
    },
    {
      id: "client-step-up-bounded",
      scenario: "login-step-up-endless",
      requirement: "client-auth:stepup:retry-cap",
      title: "A server that is never content with the scopes gets few logins.",
      mend: "Give a call up after three logins.",
      judge: (seen) => {
        if (!seen.some(({ status }) => status === 403)) notObserved("the client was not asked for another scope");
        const logins = authRequests(seen, "/authorize");
        // Two tools may be called, each with attempts of its own.
        wantOf(logins.slice(-1), logins.length <= 8, "a few logins", `${logins.length}`);
      },
    },
    {
      id: "client-login-bounded",
      scenario: "login-endless",
      requirement: "client-auth:401-after-auth-throws",
      title: "A server that refuses every token is given up.",
      mend: "Fail the call if a token is refused right after it was issued.",
      judge: (seen) => {
        const login = authorizationOf(seen);
        const requested = authRequests(seen, "/token");
        wantOf([login], requested.length <= 8, "a few token requests", `${requested.length}`);
      },
    },
    {
      id: "client-refresh",
      scenario: "login-refresh",
      requirement: "client-auth:refresh:transparent",
      title: "An expired token is refreshed without another login.",
      mend: "Use the refresh token at the token endpoint.",
      judge: (seen) => {
        if (!seen.some((item) => isCall(item) && item.status === 401)) notObserved("no token of the client expired");
        wantOf([], authRequests(seen, "/authorize").length === 1, "one login", "another login");
      },
    },
    {
      id: "client-refresh-resource",
      scenario: "login-refresh",
      requirement: "client-auth:resource-parameter",
      title: "A refresh names the resource.",
      mend: "Send resource with the refresh as well.",
      judge: (seen, stage) => {
        const [form] = refreshesOf(seen);
        wantOf([], form?.get("resource") === stage.url, stage.url, form?.get("resource") ?? "none");
      },
    },
    {
      id: "client-refresh-rotated",
      scenario: "login-refresh",
      requirement: "client-auth:refresh:rotation-handling",
      title: "A new refresh token takes the place of the old one.",
      mend: "Store the refresh_token of each answer.",
      judge: (seen) => {
        const used = refreshesOf(seen).map((form) => form.get("refresh_token"));
        if (used.length < 2) notObserved("the client made one refresh alone");
        wantOf([], used[1] === "refresh-2", "refresh-2", used[1] ?? "none");
      },
    },
    {
      id: "client-token-basic",
      scenario: "login-basic",
      requirement: "client-auth:token-endpoint-auth-method",
      title: "A client that was registered for client_secret_basic sends its secret in the authorization header.",
      mend: "Authenticate at the token endpoint as the registration says.",
      judge: (seen) => {
        const found = tokenRequestOf(seen);
        const isBasic = /^basic /i.test(found.headers.authorization ?? "");
        const isInBody = new URLSearchParams(found.body).has("client_secret");
        wantOf([found], isBasic && !isInBody, "Basic alone", isBasic ? "both" : "no Basic");
      },
    },
    {
      id: "client-token-post",
      scenario: "login-post",
      requirement: "client-auth:token-endpoint-auth-method",
      title: "A client that was registered for client_secret_post sends its secret in the body.",
      mend: "Authenticate at the token endpoint as the registration says.",
      judge: (seen) => {
        const found = tokenRequestOf(seen);
        const isInBody = new URLSearchParams(found.body).get("client_secret") === "secret-of-the-client";
        wantOf([found], isInBody && found.headers.authorization === undefined, "the secret in the body", "none");
      },
    },
    {
      id: "client-token-redirect",
      scenario: "login-token-redirect",
      requirement: "client-auth:guard:token-redirect",
      title: "A token request that is redirected is not sent to another origin.",
      mend: "Follow no redirect of the token endpoint.",
      judge: (seen) => {
        tokenRequestOf(seen);
        const found = seen.filter(({ origin }) => origin === "other");
        wantOf(found, found.length === 0, "no request", found[0]?.verb);
      },
    },
    {
      id: "client-moved-registers",
      scenario: "login-moved",
      requirement: "client-auth:as-migration:reregister",
      title: "A client registers at the authorization server that a server has moved to.",
      mend: "Keep registrations by issuer.",
      judge: (seen) => {
        const there = paths(seen, "second-auth");
        if (there.length === 0) notObserved("the client did not see the move");
        if (!paths(seen, "auth").includes("/register")) notObserved("the client brings an id of its own");
        wantOf([], there.includes("/register"), "a registration", there);
      },
    },
    {
      id: "client-moved-no-reuse",
      scenario: "login-moved",
      requirement: "client-auth:as-migration:no-cred-reuse",
      title: "The client id of the old authorization server is not shown to the new one.",
      mend: "Keep credentials by issuer.",
      judge: (seen) => {
        const there = seen.filter(({ origin }) => origin === "second-auth");
        if (there.length === 0) notObserved("the client did not see the move");
        const odd = there.find(({ path, body }) => `${path} ${body}`.includes("client-1-of-auth"));
        wantOf([odd], odd === undefined, "no old client id", odd?.path);
      },
    },
    {
      id: "client-moved-no-tokens",
      scenario: "login-moved",
      requirement: "client-auth:as-migration:no-cred-reuse",
      title: "The refresh token of the old authorization server is not shown to the new one.",
      mend: "Keep tokens by issuer.",
      judge: (seen) => {
        const there = seen.filter(({ origin }) => origin === "second-auth");
        if (there.length === 0) notObserved("the client did not see the move");
        const odd = there.find(({ body }) => body.includes("refresh-1"));
        wantOf([odd], odd === undefined, "no old refresh token", odd?.path);
      },
    },
  ],
};
