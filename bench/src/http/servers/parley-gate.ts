/** Parley with access tokens: `serveHttp` as in parley.ts, and an issuer that answers in process. */
import { serveHttp } from "parley-mcp/node";
import { introspectionVerifier, type ProtectedResourceOptions, protectedResource } from "parley-mcp/oauth/resource";
import type { Serve } from "../http-contender.js";
import { Signer } from "../signer.js";
import { defineServer } from "./parley.js";

const ISSUER = "https://login.example.com";
const RESOURCE = "https://mcp.example.com/mcp";
const CLAIMS = { iss: ISSUER, aud: RESOURCE, sub: "user-4711", client_id: "load", scope: "tools:call tools:list" };
const HOUR_S = 3_600;

/** The claims of a token that is valid for an hour. */
function claims(): object {
  return { ...CLAIMS, exp: Math.floor(Date.now() / 1_000) + HOUR_S };
}

/** An issuer with this key, which says that every token is valid. */
function issuerOptions(jwk: Signer["jwk"]): ProtectedResourceOptions {
  const answers = new Map<string, object>([
    ["/.well-known/oauth-authorization-server", { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` }],
    ["/keys", { keys: [jwk] }],
    ["/introspect", { active: true, ...claims() }],
  ]);
  return { resource: RESOURCE, issuer: ISSUER, fetch: async ({ pathname }) => Response.json(answers.get(pathname)) };
}

export const serveSigned: Serve = async (_mode, tools) => {
  const signer = await Signer.create();
  const authorization = protectedResource(issuerOptions(signer.jwk));
  const token = await signer.sign({ typ: "at+jwt" }, claims());
  const http = await serveHttp(defineServer(tools), { authorization });
  return { ...http, headers: { authorization: `Bearer ${token}` } };
};

export const serveBound: Serve = async (_mode, tools) => {
  const signer = await Signer.create();
  const authorization = protectedResource(issuerOptions(signer.jwk));
  const token = await signer.sign({ typ: "at+jwt" }, { ...claims(), cnf: { jkt: await signer.thumbprint() } });
  const http = await serveHttp(defineServer(tools), { authorization });
  const proofKey = { privateJwk: signer.privateJwk, url: RESOURCE };
  return { ...http, headers: { authorization: `DPoP ${token}` }, proofKey };
};

export const serveIntrospected: Serve = async (_mode, tools) => {
  const options = issuerOptions({});
  const credentials = { issuer: ISSUER, clientId: "bench", clientSecret: "secret", endpoint: `${ISSUER}/introspect` };
  const verifier = introspectionVerifier({ ...credentials, fetch: options.fetch });
  const http = await serveHttp(defineServer(tools), { authorization: protectedResource({ ...options, verifier }) });
  return { ...http, headers: { authorization: `Bearer ${crypto.randomUUID()}` } };
};
