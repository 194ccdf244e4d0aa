import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { exportJWK, generateKeyPair } from "jose";
import { describe, expect, it } from "vitest";
import { type ClientKey, checkClientKey, importClientKey } from "./client-key.js";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ed25519 = generateKeyPairSync("ed25519");
const pkcs8 = { type: "pkcs8", format: "pem" } as const;

describe("checkClientKey", () => {
  it.each([
    ["a file name", "./key.pem", "not its name"],
    ["SEC 1", ec.privateKey.export({ type: "sec1", format: "pem" }), "got EC PRIVATE KEY; convert it: openssl pkcs8"],
    ["PKCS #1", rsa.privateKey.export({ type: "pkcs1", format: "pem" }), "got RSA PRIVATE KEY; convert it"],
    ["a public key", ec.publicKey.export({ type: "spki", format: "pem" }), "expected a private key, got a PUBLIC KEY"],
    ["a public JSON Web Key", ec.publicKey.export({ format: "jwk" }), "has no d"],
    ["a public KeyObject", ec.publicKey, "got a public one"],
    ["an object", {}, "got an object"],
    ["a number", 7, "got number"],
    ["null", null, "expected a private key"],
  ])("names %s", (_name, key, complaint) => {
    expect(() => checkClientKey({ key } as ClientKey)).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(complaint) }),
    );
  });

  it("names a misspelled member", () => {
    const misspelled = { key: ec.privateKey, kid: "one" } as ClientKey;
    expect(() => checkClientKey(misspelled)).toThrow(
      expect.objectContaining({ message: expect.stringContaining('client.privateKey: there is no option "kid"') }),
    );
  });

  it("takes private keys in every form", async () => {
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const keys = [ec.privateKey, ec.privateKey.export(pkcs8).toString(), privateKey, await exportJWK(privateKey)];
    for (const key of keys) {
      expect(() => checkClientKey({ key })).not.toThrow();
      expect((await importClientKey({ key, keyId: "one" })).kid).toBe("one");
    }
  });
});

describe("importClientKey", () => {
  it.each([
    ["RSA", rsa.privateKey.export(pkcs8).toString(), "an RSA key", "RS256"],
    ["Ed25519", ed25519.privateKey.export(pkcs8).toString(), "an Ed25519 key", "EdDSA"],
    ["an RSA JSON Web Key", rsa.privateKey.export({ format: "jwk" }), "an RSA key", "RS256"],
    ["an Ed25519 KeyObject", createPrivateKey(ed25519.privateKey.export(pkcs8)), "an Ed25519 key", "EdDSA"],
  ])("names the algorithm option for %s", async (_name, key, found, algorithm) => {
    await expect(importClientKey({ key } as ClientKey)).rejects.toMatchObject({
      code: "authorization-failed",
      message: `client.privateKey is ${found}, and its algorithm is to be ES256: set algorithm of privateKey, such as ${algorithm}`,
    });
    expect((await importClientKey({ key, algorithm } as ClientKey)).key.type).toBe("private");
  });

  it.each([
    "-----BEGIN PRIVATE KEY-----\nnot Base64!\n-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----",
    { kty: "strange", d: "c2VjcmV0" },
  ])("quotes nothing of a key that cannot be read", async (key) => {
    await expect(importClientKey({ key })).rejects.toMatchObject({
      message: expect.stringMatching(/^client.privateKey is a key that cannot be read, (?!.*c2VjcmV0)/),
    });
  });
});
