import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { expect, it } from "vitest";
import { Assertions } from "./assertions.js";
import { InMemoryAuthorizationStore } from "./in-memory-authorization-store.js";

it.each([
  ["https://app.example.com/one.json", "app.example.com"],
  ["http://127.0.0.1:3000/one.json", "127.0.0.1:3000"],
  ["urn:acme:app", "urn:acme:app"],
  ["client:1", "client:1"],
  ["https://", "https://"],
  ["app", "app"],
])("makes %s remember its used assertions as %s", async (clientId, owner) => {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const store = new InMemoryAuthorizationStore();
  const documents = { get: () => Promise.reject(new Error("not fetched")) } as never;
  const assertions = new Assertions({ store, documents, now: Date.now });
  const assertion = await new SignJWT({ iss: clientId, sub: clientId, aud: "server", jti: "1" })
    .setProtectedHeader({ alg: "ES256" })
    .setExpirationTime("1 minute")
    .sign(privateKey);
  await assertions.redeem(assertion, { jwks: { keys: [await exportJWK(publicKey)] } }, {});
  expect(store.entries()).toMatchObject([{ table: "spent", owner }]);
});
