/** An authorization server without faults, written without the SDK, and one fault for each check of issuers. */
import { isObject, type JsonObject, parseJson } from "../wire/json-rpc.js";
import type { SendTo } from "./issuer-probe.js";

export const ISSUER = "https://login.example.com/tenant";

export interface IssuerReply {
  status: number;
  headers: Record<string, string>;
  body: JsonObject | string;
}

export interface IssuerFault {
  readonly check: string;
  readonly also?: readonly string[];
  /** Names of guards that are off. */
  readonly without?: readonly string[];
  readonly change?: (reply: IssuerReply, path: string) => void;
}

const METADATA: JsonObject = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  registration_endpoint: `${ISSUER}/register`,
  jwks_uri: `${ISSUER}/keys`,
  response_types_supported: ["code"],
  code_challenge_methods_supported: ["S256"],
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
};

const JSON_HEADERS = { "content-type": "application/json", "access-control-allow-origin": "*" };

function reply(status: number, body: JsonObject | string, headers: Record<string, string> = JSON_HEADERS): IssuerReply {
  return { status, headers: { ...headers }, body: structuredClone(body) };
}

export function scriptedIssuer(fault: Omit<IssuerFault, "check"> = {}): SendTo {
  const registered = new Map<string, string[]>();
  const guards = (name: string) => !fault.without?.includes(name);

  const register = (metadata: JsonObject): IssuerReply => {
    const uris = Array.isArray(metadata.redirect_uris) ? metadata.redirect_uris.map(String) : [];
    const isUsable = uris.every((uri) => URL.canParse(uri));
    const isSecure = uris.every((uri) => uri.startsWith("https:"));
    if (!isUsable || (!isSecure && guards("redirect scheme"))) return reply(400, { error: "invalid_client_metadata" });
    const id = `client-${registered.size + 1}`;
    registered.set(id, uris);
    return reply(201, { client_id: id, redirect_uris: uris });
  };

  const authorize = (params: URLSearchParams): IssuerReply => {
    const page = (status: number) => reply(status, "<p>Log in</p>", { "content-type": "text/html" });
    const uri = params.get("redirect_uri") ?? "";
    const uris = registered.get(params.get("client_id") ?? "");
    const isLogin = params.get("client_id")?.startsWith("http:") === true && !guards("document scheme");
    if (isLogin) return page(200);
    if (!uris && guards("client")) return page(400);
    const isKnown = uris?.includes(uri) || (!guards("redirect prefix") && uris?.some((known) => uri.startsWith(known)));
    if (uris && !isKnown && (guards("redirect") || uri.endsWith("/more"))) return page(400);
    const fail = (error: string) => {
      const query = new URLSearchParams({ error, iss: ISSUER });
      return reply(302, "", { location: `${uri}?${query}` });
    };
    if (!uris || !isKnown) return fail("invalid_request");
    if (!params.has("code_challenge") && guards("pkce")) return fail("invalid_request");
    if (params.get("code_challenge_method") === "plain" && guards("pkce method")) return fail("invalid_request");
    return page(200);
  };

  const serve = (url: URL, verb: string, body: string): IssuerReply => {
    const path = url.pathname.replace("/tenant", "");
    if (url.pathname.includes("/.well-known/")) return reply(200, METADATA);
    if (path === "/keys") return reply(200, { keys: [{ kty: "EC", crv: "P-256", x: "x", y: "y" }] });
    if (path === "/register") {
      const metadata = parseJson(body);
      return register(isObject(metadata) ? metadata : {});
    }
    if (path === "/authorize") return authorize(url.searchParams);
    if (verb !== "POST") return guards("token verb") ? reply(405, { error: "invalid_request" }) : reply(200, {});
    return reply(400, { error: "invalid_grant" }, { ...JSON_HEADERS, "cache-control": "no-store" });
  };

  return (url) => async (call) => {
    const answer = serve(url, call.verb, call.body ?? "");
    fault.change?.(answer, url.pathname);
    const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
    return { status: answer.status, headers: answer.headers, body: once(text) };
  };
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

function onPath(check: string, part: string, change: (reply: IssuerReply, body: JsonObject) => void): IssuerFault {
  return {
    check,
    change(answer, path) {
      if (path.includes(part)) change(answer, isObject(answer.body) ? answer.body : {});
    },
  };
}

function onMetadata(check: string, change: (body: JsonObject, reply: IssuerReply) => void): IssuerFault {
  return onPath(check, "/.well-known/", (answer, body) => change(body, answer));
}

export const ISSUER_FAULTS: readonly IssuerFault[] = [
  onMetadata("issuer-metadata", (_body, answer) => {
    answer.status = 404;
  }),
  onMetadata("issuer-metadata-type", (_body, answer) => {
    answer.headers["content-type"] = "text/plain";
  }),
  onMetadata("issuer-same", (body) => {
    body.issuer = `${ISSUER}/`;
  }),
  onPath("issuer-places-agree", "/openid-configuration", (_answer, body) => {
    body.issuer = "https://other.example.com";
  }),
  onMetadata("issuer-authorization-endpoint", (body) => {
    delete body.authorization_endpoint;
  }),
  onMetadata("issuer-token-endpoint", (body) => {
    delete body.token_endpoint;
  }),
  onMetadata("issuer-code", (body) => {
    body.response_types_supported = ["token"];
  }),
  onMetadata("issuer-s256", (body) => {
    delete body.code_challenge_methods_supported;
  }),
  onMetadata("issuer-secure", (body) => {
    body.revocation_endpoint = "http://login.example.com/revoke";
  }),
  onMetadata("issuer-ways-in", (body) => {
    delete body.client_id_metadata_document_supported;
    delete body.registration_endpoint;
  }),
  onMetadata("issuer-iss", (body) => {
    delete body.authorization_response_iss_parameter_supported;
  }),
  onMetadata("issuer-cors", (_body, answer) => {
    delete answer.headers["access-control-allow-origin"];
  }),
  onPath("issuer-keys", "/keys", (_answer, body) => {
    body.keys = [{ kty: "EC", d: "private" }];
  }),
  onPath("register-client", "/register", (answer) => {
    if (answer.status === 201) answer.status = 200;
  }),
  { check: "register-insecure-redirect", without: ["redirect scheme"] },
  onPath("register-error", "/register", (answer) => {
    if (answer.status === 400) answer.status = 500;
  }),
  { check: "authorize-unknown-client", without: ["client"], also: ["authorize-insecure-document"] },
  { check: "authorize-insecure-document", without: ["document scheme"] },
  { check: "authorize-foreign-redirect", without: ["redirect"] },
  {
    check: "authorize-longer-redirect",
    without: ["redirect prefix"],
    change(answer, path) {
      if (path.endsWith("/authorize") && answer.status === 200) {
        answer.status = 302;
        answer.headers = { location: "https://parley-check.example/callback/more?code=1" };
      }
    },
    also: ["authorize-pkce-plain"],
  },
  { check: "authorize-pkce-missing", without: ["pkce"] },
  { check: "authorize-pkce-plain", without: ["pkce method"] },
  onPath("authorize-error-iss", "/authorize", (answer) => {
    if (answer.headers.location) answer.headers.location = answer.headers.location.replace(/&iss=[^&]*/, "");
  }),
  onPath("token-error", "/token", (answer) => {
    if (answer.status === 400) answer.status = 500;
  }),
  onPath("token-not-cached", "/token", (answer) => {
    delete answer.headers["cache-control"];
  }),
  { check: "token-get", without: ["token verb"] },
];
