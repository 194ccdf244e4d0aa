import { expect, it } from "vitest";
import { InMemoryCredentialStore } from "./credential-store.js";
import { credentialStoreContract } from "./credential-store-contract.js";

credentialStoreContract("InMemoryCredentialStore", () => new InMemoryCredentialStore());

it("forgets what was written longest ago beyond its limit", async () => {
  const store = new InMemoryCredentialStore({ maxEntries: 2 });
  for (const key of ["a", "b", "a", "c"]) await store.set(key, key);
  expect([await store.get("a"), await store.get("b"), await store.get("c")]).toEqual(["a", undefined, "c"]);
  expect(() => new InMemoryCredentialStore({ maxEntries: 0 })).toThrow("maxEntries");
  expect(() => new InMemoryCredentialStore({ maxCharacters: 0 })).toThrow("maxCharacters");
  await expect(new InMemoryCredentialStore({ maxCharacters: 2 }).set("k", "vv")).rejects.toMatchObject({
    code: "too-large",
  });
});
