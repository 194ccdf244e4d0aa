/** Opens a session with scripted servers, and stores with tokens. */
import type { JsonObject } from "../../runtime/json.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { InMemoryCredentialStore } from "./credential-store.js";
import { type OAuthOptions, oauth } from "./oauth.js";
import type { ResourceSession } from "./resource-session.js";
import type { TokenRecord } from "./token-record.js";

export const ISSUER = "https://login.example.com";
export const RESOURCE = "https://mcp.example.com/mcp";
export const KEY: string = JSON.stringify(["tokens", RESOURCE, JSON.stringify(["code", "id", null])]);

export const stored: TokenRecord = {
  issuer: ISSUER,
  clientId: "id",
  resource: RESOURCE,
  accessToken: "stored",
  scheme: "Bearer",
  refreshToken: "refresh",
  scopes: ["read"],
  requestedScopes: ["read"],
  expiresAt: 100_000,
  login: "login",
};

export type TokenAnswer = JsonObject | Error;

/** A session whose servers answer with the given token responses, in order. `revokes` adds revocation to the server. */
export function session(
  responses: (TokenAnswer | Promise<TokenAnswer>)[],
  options: OAuthOptions & { at?: number; revokes?: boolean } = {},
  resource = {},
): { readonly requests: string[]; readonly session: ResourceSession } {
  const requests: string[] = [];
  const { at = 0, revokes = false, ...own } = options;
  const fetch = async (url: URL, { body = "" }: { body?: string }) => {
    const form = new URLSearchParams(body);
    requests.push(`${url.pathname} ${form.get("grant_type") ?? form.get("token") ?? ""}`.trim());
    if (url.pathname === "/revoke") return new Response();
    if (url.pathname === "/.well-known/oauth-protected-resource/mcp") {
      return Response.json({ resource: RESOURCE, authorization_servers: [ISSUER], ...resource });
    }
    if (url.pathname !== "/token") {
      const endpoints = {
        authorization_endpoint: `${ISSUER}/authorize`,
        token_endpoint: `${ISSUER}/token`,
        ...(revokes && { revocation_endpoint: `${ISSUER}/revoke` }),
      };
      return Response.json({ issuer: ISSUER, ...endpoints, code_challenge_methods_supported: ["S256"] });
    }
    const response = await responses.shift();
    if (response instanceof OAuthError) return Response.json({ error: response.code }, { status: 400 });
    if (response instanceof Error || response === undefined) throw response ?? new Error("no more responses");
    return Response.json({ token_type: "Bearer", ...response });
  };
  const redirect = {
    redirectUri: "http://127.0.0.1/cb",
    receive: async (_url: URL, state: string) => new URLSearchParams({ state, code: "c" }),
  };
  const now = () => at;
  const authorization = oauth({ client: { clientId: "id", issuer: ISSUER }, redirect, fetch, now, ...own });
  return { requests, session: authorization.session(new URL(RESOURCE)) };
}

export async function storeWith(record: object | string = stored): Promise<InMemoryCredentialStore> {
  const store = new InMemoryCredentialStore();
  await store.set(KEY, typeof record === "string" ? record : JSON.stringify(record));
  return store;
}
