import { exportJWK, generateKeyPair } from "jose";
import { describe, expect, it } from "vitest";
import { clientAuthentication, type RegisteredClient } from "./client-authentication.js";

async function authenticate(client: RegisteredClient, supported?: readonly string[]) {
  const body = new URLSearchParams();
  const headers = new Headers();
  const authentication = await clientAuthentication(client, supported);
  await authentication({ issuer: "https://login.example.com" }, { client_id: client.clientId }, body, headers);
  return { body: Object.fromEntries(body), authorization: headers.get("authorization") };
}

const secret = { clientId: "id", clientSecret: "secret" };

it("chooses by what the client has and the server supports", async () => {
  expect((await authenticate({ clientId: "id" })).body).toEqual({ client_id: "id" });
  expect((await authenticate(secret)).authorization).toMatch(/^Basic /);
  expect((await authenticate(secret, ["client_secret_post"])).body.client_secret).toBe("secret");
  expect((await authenticate(secret, ["client_secret_post", "client_secret_basic"])).authorization).toMatch(/^Basic /);
  expect((await authenticate(secret, ["none"])).authorization).toMatch(/^Basic /);
  expect((await authenticate({ ...secret, authMethod: "none" })).body).toEqual({ client_id: "id" });
});

it("form-encodes id and secret, and leaves plain ones as they are", async () => {
  const { authorization } = await authenticate({ clientId: "a-b_c.d", clientSecret: "p:w é/+" });
  expect(atob((authorization ?? "").slice("Basic ".length))).toBe("a-b_c.d:p%3Aw+%C3%A9%2F%2B");
});

describe("a private key", () => {
  it("may be a JSON Web Key, which names its algorithm or not", async () => {
    for (const algorithm of ["ES256", "RS256"]) {
      const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
      const key = await exportJWK(privateKey);
      const named = await authenticate({ clientId: "id", privateKey: { key: { ...key, alg: algorithm } } });
      const given = await authenticate({ clientId: "id", privateKey: { key, algorithm } });
      for (const { body } of [named, given]) expect(body.client_assertion?.split(".")).toHaveLength(3);
    }
  });

  it("is not quoted where it cannot be used", async () => {
    const key = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----";
    await expect(authenticate({ clientId: "id", privateKey: { key } })).rejects.toMatchObject({
      code: "authorization-failed",
      message: expect.not.stringContaining("c2VjcmV0"),
    });
  });
});

it("says what is missing for the method that the client is registered with", async () => {
  for (const authMethod of ["client_secret_basic", "client_secret_post", "private_key_jwt"] as const) {
    await expect(authenticate({ clientId: "id", authMethod })).rejects.toMatchObject({
      code: "authorization-failed",
      message: `The client id is to authenticate by ${authMethod} and lacks what that needs`,
    });
  }
});
