/** Checks of authorization servers. */
import type { CheckFacts } from "../judge/check.js";
import { ExpectationFailed, notApplicable, notObserved, show, want } from "../judge/expectations.js";
import { mediaType } from "../wire/http-exchange.js";
import { isObject } from "../wire/json-rpc.js";
import {
  describeFetched,
  FOREIGN_REDIRECT,
  type IssuerProbe,
  locationOf,
  OWN_REDIRECT,
  wantFetched,
} from "./issuer-probe.js";

export interface IssuerCheck extends CheckFacts {
  readonly run: (probe: IssuerProbe) => Promise<void>;
}

const UNKNOWN_CLIENT = "parley-check-no-such-client";

function isSecure(url: unknown): boolean {
  if (typeof url !== "string" || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
}

function includes(list: unknown, value: string): boolean {
  return Array.isArray(list) && list.includes(value);
}

/** The issuer exactly as it was given. The user of the checker may have mistaken the slash at its end. */
function wantIssuer({ issuer }: IssuerProbe, named: unknown): void {
  const bare = (text: string) => text.replace(/\/$/, "");
  const differsInSlash = typeof named === "string" && bare(named) === bare(issuer);
  const got = differsInSlash
    ? `${named}: only the slash at the end differs; give auth the issuer exactly as protected resources name it`
    : named;
  want(named === issuer, issuer, got);
}

/** A refusal that leaves the browser where it is. */
async function wantNoRedirect(probe: IssuerProbe, changes: Readonly<Record<string, string>>): Promise<void> {
  const fetched = await probe.authorize(changes);
  const target = locationOf(fetched)?.origin;
  const isLeft = target === new URL(FOREIGN_REDIRECT).origin || target === new URL(OWN_REDIRECT).origin;
  wantFetched(fetched.status !== undefined && !isLeft, "no redirect to the client", fetched);
}

const metadata: readonly IssuerCheck[] = [
  {
    id: "issuer-metadata",
    requirement: "oauth-server:metadata",
    title: "The issuer serves metadata at a well-known place.",
    mend: "Serve /.well-known/oauth-authorization-server as RFC 8414 has it, or openid-configuration.",
    async run(probe) {
      const places = await probe.places();
      const isFound = places.some(({ fetched }) => fetched.status === 200 && isObject(fetched.json));
      want(isFound, "a JSON object", places.map(({ url, fetched }) => `${url}: HTTP ${fetched.status}`).join("; "));
    },
  },
  {
    id: "issuer-metadata-type",
    requirement: "oauth-server:metadata",
    atMost: "warning",
    title: "The metadata is application/json.",
    mend: "Send Content-Type: application/json.",
    async run(probe) {
      const found = (await probe.places()).filter(({ fetched }) => fetched.status === 200);
      if (found.length === 0) notObserved("the issuer serves no metadata");
      const odd = found.find(({ fetched }) => mediaType(fetched.headers) !== "application/json");
      want(odd === undefined, "application/json", odd?.fetched.headers["content-type"]);
    },
  },
  {
    id: "issuer-same",
    requirement: "oauth-server:metadata",
    title: "The metadata names the issuer exactly as it was asked for.",
    mend: "Put the URL of the issuer into issuer, to the character.",
    async run(probe) {
      wantIssuer(probe, (await probe.metadata()).issuer);
    },
  },
  {
    id: "issuer-places-agree",
    requirement: "oauth-server:metadata",
    atMost: "warning",
    title: "Every well-known place that answers names the same issuer.",
    mend: "Serve one document at all well-known places.",
    async run(probe) {
      const documents = (await probe.places()).filter(({ fetched }) => fetched.status === 200);
      if (documents.length < 2) notApplicable("one well-known place answers");
      const issuers = new Set(documents.map(({ fetched }) => isObject(fetched.json) && fetched.json.issuer));
      want(issuers.size === 1, "one issuer", [...issuers]);
    },
  },
  ...["authorization_endpoint", "token_endpoint"].map(
    (name): IssuerCheck => ({
      id: `issuer-${name.replace("_", "-")}`,
      requirement: "oauth-server:metadata",
      title: `The metadata has the URL of the ${name.replace("_", " ")}.`,
      mend: `Add ${name} to the metadata.`,
      async run(probe) {
        const value = (await probe.metadata())[name];
        want(typeof value === "string" && URL.canParse(value), "a URL", show(value));
      },
    }),
  ),
  {
    id: "issuer-code",
    requirement: "oauth-server:metadata",
    title: "The server supports the response type code.",
    mend: "List code in response_types_supported.",
    async run(probe) {
      const { response_types_supported: types } = await probe.metadata();
      want(includes(types, "code"), "code", show(types));
    },
  },
  {
    id: "issuer-s256",
    requirement: "oauth-server:metadata",
    title: "The server says that it supports PKCE with S256.",
    mend: "List S256 in code_challenge_methods_supported: clients refuse servers that do not.",
    async run(probe) {
      const { code_challenge_methods_supported: methods } = await probe.metadata();
      want(includes(methods, "S256"), "S256", show(methods));
    },
  },
  {
    id: "issuer-secure",
    requirement: "oauth-server:secure-issuer",
    title: "Every endpoint is https, or on the loopback interface.",
    mend: "Serve every endpoint over TLS.",
    async run(probe) {
      const endpoints = Object.entries(await probe.metadata()).filter(([name]) => /_endpoint$|^jwks_uri$/.test(name));
      const odd = endpoints.find(([, url]) => !isSecure(url));
      want(odd === undefined, "https", odd);
    },
  },
  {
    id: "issuer-ways-in",
    requirement: "oauth-server:metadata",
    atMost: "warning",
    title: "Clients can be described by metadata documents, or register themselves.",
    mend: "Set client_id_metadata_document_supported, or serve a registration_endpoint.",
    async run(probe) {
      const { client_id_metadata_document_supported: documents, registration_endpoint: registration } =
        await probe.metadata();
      want(documents === true || typeof registration === "string", "one of the two", "neither");
    },
  },
  {
    id: "issuer-iss",
    requirement: "hosting:auth:as-iss-emission",
    title: "The server says that its redirects name the issuer.",
    mend: "Send iss with each redirect, and set authorization_response_iss_parameter_supported.",
    async run(probe) {
      const { authorization_response_iss_parameter_supported: isSupported } = await probe.metadata();
      want(isSupported === true, "true", show(isSupported));
    },
  },
  {
    id: "issuer-cors",
    requirement: "oauth-server:cors",
    title: "Clients in browsers may read the metadata.",
    mend: "Send Access-Control-Allow-Origin with the metadata.",
    async run(probe) {
      const found = (await probe.places()).find(({ fetched }) => fetched.status === 200);
      if (!found) notObserved("the issuer serves no metadata");
      const url = found.url;
      const { headers } = await probe.fetch(url, {
        headers: { Accept: "application/json", Origin: "https://app.example" },
      });
      want(headers["access-control-allow-origin"] !== undefined, "Access-Control-Allow-Origin", "no such header");
    },
  },
  {
    id: "issuer-keys",
    requirement: "oauth-server:key-rotation",
    title: "The keys are a list of public keys.",
    mend: "Serve a JWK set without private members at jwks_uri.",
    async run(probe) {
      const { json } = await probe.fetch(await probe.endpoint("jwks_uri"));
      const keys = isObject(json) && Array.isArray(json.keys) ? json.keys : undefined;
      want(keys !== undefined, "a list of keys", show(json));
      const odd = keys.find((key) => !isObject(key) || "d" in key || "k" in key);
      want(odd === undefined, "public keys", "a key with private members");
    },
  },
];

const registration: readonly IssuerCheck[] = [
  {
    id: "register-client",
    requirement: "hosting:auth:as:register-echo",
    title: "A registration is answered with 201, the id of the client and its redirect URIs.",
    mend: "Answer with client_id and what holds for the client.",
    async run(probe) {
      const fetched = await probe.register({ redirect_uris: [OWN_REDIRECT] });
      if (fetched.status === 401 || fetched.status === 403) notApplicable("registration needs a token");
      const client = isObject(fetched.json) ? fetched.json : {};
      const isRight = typeof client.client_id === "string" && includes(client.redirect_uris, OWN_REDIRECT);
      wantFetched(fetched.status === 201 && isRight, "HTTP 201 with client_id and redirect_uris", fetched);
    },
  },
  {
    id: "register-insecure-redirect",
    requirement: "hosting:auth:as:redirect-uri-scheme",
    title: "A redirect URI with http that is not loopback cannot be registered.",
    mend: "Accept redirect URIs with https, or http on a loopback host.",
    async run(probe) {
      const fetched = await probe.register({ redirect_uris: ["http://parley-check.example/callback"] });
      wantFetched((fetched.status ?? 0) >= 400, "HTTP 400", fetched);
    },
  },
  {
    id: "register-error",
    requirement: "hosting:auth:as:register-error-response",
    title: "A registration without a usable redirect URI is answered with 400 and an error.",
    mend: "Answer 400 with error invalid_client_metadata or invalid_redirect_uri.",
    async run(probe) {
      const fetched = await probe.register({ redirect_uris: ["no URL"] });
      const isSaid = isObject(fetched.json) && typeof fetched.json.error === "string";
      wantFetched(fetched.status === 400 && isSaid, "HTTP 400 with error", fetched);
    },
  },
];

const authorization: readonly IssuerCheck[] = [
  {
    id: "authorize-unknown-client",
    requirement: "oauth-server:untrusted-redirects",
    title: "A request of an unknown client is not redirected.",
    mend: "Show a page to the user instead of redirecting.",
    async run(probe) {
      await wantNoRedirect(probe, { client_id: UNKNOWN_CLIENT, redirect_uri: FOREIGN_REDIRECT });
    },
  },
  {
    id: "authorize-insecure-document",
    requirement: "oauth-server:document-urls",
    title: "A client id that is a URL without https is an unknown client.",
    mend: "Take metadata documents from https URLs with a path alone.",
    async run(probe) {
      const { client_id_metadata_document_supported: isSupported } = await probe.metadata();
      if (isSupported !== true) notApplicable("the server takes no metadata documents");
      const fetched = await probe.authorize({ client_id: "http://parley-check.example/client.json" });
      wantFetched((fetched.status ?? 0) >= 400, "an error page", fetched);
    },
  },
  {
    id: "authorize-foreign-redirect",
    requirement: "oauth-server:untrusted-redirects",
    title: "A redirect URI that the client did not register is not redirected to.",
    mend: "Compare redirect_uri with the registered ones, and show a page if it differs.",
    async run(probe) {
      await wantNoRedirect(probe, { client_id: await probe.client(), redirect_uri: FOREIGN_REDIRECT });
    },
  },
  {
    id: "authorize-longer-redirect",
    requirement: "oauth-server:untrusted-redirects",
    title: "A redirect URI that only begins like the registered one is not redirected to.",
    mend: "Compare redirect URIs as whole strings.",
    async run(probe) {
      await wantNoRedirect(probe, { client_id: await probe.client(), redirect_uri: `${OWN_REDIRECT}/more` });
    },
  },
  ...(["missing", "plain"] as const).map(
    (what): IssuerCheck => ({
      id: `authorize-pkce-${what}`,
      requirement: "hosting:auth:as:authorize-requires-pkce",
      // OAuth 2.1 has plain challenges, and binds the client to S256.
      ...(what === "plain" ? { atMost: "note" } : {}),
      title: `An authorization request with ${what === "missing" ? "no challenge" : "a plain challenge"} is refused.`,
      mend: "Require code_challenge with code_challenge_method S256: invalid_request.",
      async run(probe) {
        const changes =
          what === "missing"
            ? { code_challenge: undefined, code_challenge_method: undefined }
            : { code_challenge_method: "plain" };
        const fetched = await probe.authorize({ client_id: await probe.client(), ...changes });
        const isRefused = (fetched.status ?? 0) >= 400 || locationOf(fetched)?.searchParams.has("error") === true;
        if (isRefused) return;
        // The request is to be refused before a login. A page does not show yet that it is not.
        const atMost = locationOf(fetched)?.searchParams.has("code") ? undefined : "warning";
        throw new ExpectationFailed("an error", describeFetched(fetched), atMost);
      },
    }),
  ),
  {
    id: "authorize-error-iss",
    requirement: "hosting:auth:as-iss-emission",
    title: "A redirect with an error names the issuer.",
    mend: "Add iss to each redirect to a client.",
    async run(probe) {
      const fetched = await probe.authorize({ client_id: await probe.client(), code_challenge: undefined });
      const location = locationOf(fetched);
      if (!location?.searchParams.has("error")) notObserved("no error was redirected to the client");
      wantIssuer(probe, location.searchParams.get("iss"));
    },
  },
];

const tokens: readonly IssuerCheck[] = [
  {
    id: "token-error",
    requirement: "oauth-server:malformed-requests",
    title: "A code that was never issued is answered with 400 or 401 and an error.",
    mend: "Answer with the errors of RFC 6749, section 5.2.",
    async run(probe) {
      const fetched = await unknownCode(probe);
      const isSaid = isObject(fetched.json) && typeof fetched.json.error === "string";
      wantFetched([400, 401].includes(fetched.status ?? 0) && isSaid, "HTTP 400 with error", fetched);
    },
  },
  {
    id: "token-not-cached",
    requirement: "hosting:auth:as:token-cache-headers",
    title: "The answers of the token endpoint are not cached.",
    mend: "Send Cache-Control: no-store.",
    async run(probe) {
      const { headers } = await unknownCode(probe);
      want(
        headers["cache-control"]?.includes("no-store") === true,
        "no-store",
        headers["cache-control"] ?? "no header",
      );
    },
  },
  {
    id: "token-get",
    requirement: "oauth-server:malformed-requests",
    title: "The token endpoint refuses GET.",
    mend: "Accept POST alone.",
    async run(probe) {
      const fetched = await probe.fetch(await probe.endpoint("token_endpoint"));
      wantFetched((fetched.status ?? 0) >= 400, "HTTP 405", fetched);
    },
  },
];

function unknownCode(probe: IssuerProbe) {
  return probe.token({
    grant_type: "authorization_code",
    code: "parley-check-no-such-code",
    client_id: UNKNOWN_CLIENT,
    redirect_uri: OWN_REDIRECT,
    code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  });
}

export const ISSUER_CHECKS: readonly IssuerCheck[] = [...metadata, ...registration, ...authorization, ...tokens];
