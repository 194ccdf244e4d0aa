import { expect, it } from "vitest";
import { CallController } from "../../transport/http/call-controller.js";
import type { HttpCall } from "../../transport/http/http-call.js";
import { InMemoryCredentialStore } from "./credential-store.js";
import { oauth } from "./oauth.js";

const RESOURCE = "https://mcp.example.com/mcp";

/** An authorized connection whose store has a token, and the headers that it sends. */
async function connection() {
  const store = new InMemoryCredentialStore();
  const token = { issuer: "i", clientId: "c", resource: RESOURCE, accessToken: "t", scheme: "Bearer", login: "l" };
  const key = JSON.stringify(["tokens", RESOURCE, JSON.stringify(["code", "c", null])]);
  await store.set(key, JSON.stringify({ ...token, scopes: [], requestedScopes: [] }));
  const sent: (string | undefined)[] = [];
  const http = async ({ headers }: HttpCall) => {
    sent.push(headers.authorization);
    return {
      status: 200,
      header: () => undefined,
      body: async () => new Uint8Array(),
      chunks: () => stream(),
      discard: () => undefined,
    };
  };
  const fetch = () => Promise.reject(new Error("no network"));
  const authorization = oauth({ store, client: { clientId: "c" }, fetch });
  const authorized = authorization.authorize(new URL(RESOURCE), http);
  const call = (url: string) =>
    authorized({ method: "GET", url: new URL(url), headers: {}, controller: new CallController() });
  return { authorization, call, sent };
}

it("shows the token to the origin of its server alone", async () => {
  const { call, sent } = await connection();
  const elsewhere = ["https://evil.example.com/mcp", "http://mcp.example.com/mcp"];
  for (const url of [RESOURCE, "https://mcp.example.com/other", ...elsewhere]) await call(url);
  expect(sent).toEqual(["Bearer t", "Bearer t", undefined, undefined]);
});

it("logs a connection out that has 1,000 others beside it", async () => {
  const { authorization, call, sent } = await connection();
  await call(RESOURCE);
  for (let other = 0; other < 1_000; other += 1) authorization.session(new URL(`${RESOURCE}/${other}`));
  expect(await authorization.identity(new URL(RESOURCE))).toBe("l");
  await authorization.logOut(RESOURCE);
  await call(RESOURCE);
  expect(sent).toEqual(["Bearer t", undefined]);
});

it("remembers the sessions of 1,000 resources", () => {
  const authorization = oauth();
  const first = authorization.session(new URL(RESOURCE));
  const others = Array.from({ length: 1_000 }, (_, index) => new URL(`${RESOURCE}/${index}`));
  for (const url of others.slice(1)) authorization.session(url);
  expect(authorization.session(new URL(RESOURCE))).toBe(first);
  for (const url of others) authorization.session(url);
  expect(authorization.session(new URL(RESOURCE))).not.toBe(first);
});

async function* stream(): AsyncIterable<Uint8Array> {
  // Nothing comes.
}
