import { describe, expect, it } from "vitest";
import { InMemoryAuthorizationStore } from "./in-memory-authorization-store.js";
import { storeContract } from "./store-contract.js";

storeContract(async () => {
  const clock = { now: 1_000 };
  return { store: new InMemoryAuthorizationStore({ now: () => clock.now }), clock };
});

function consent(size = 1, expiresAt = Number.MAX_SAFE_INTEGER) {
  return () => ({ value: { scopes: ["x".repeat(size)], givenAt: 0 }, expiresAt });
}

describe("InMemoryAuthorizationStore", () => {
  it("drops the oldest records of the owner with the most, and tells the owner", async () => {
    const store = new InMemoryAuthorizationStore({ maxRecords: 3 });
    const add = (key: string, owner: string) =>
      store.update("revoked", key, () => ({ value: { isRevoked: true }, expiresAt: Number.MAX_VALUE, owner }));
    await add("of the user", "user");
    for (const key of ["1", "2", "3", "4"]) await add(key, "flood");
    expect(await store.get("revoked", "of the user")).toMatchObject({ owner: "user" });
    expect(await store.get("revoked", "2")).toBeUndefined();
    expect(await store.get("revoked", "4")).toBeDefined();
  });

  it("drops the oldest records of a table beyond its number, and leaves other tables alone", async () => {
    const store = new InMemoryAuthorizationStore({ maxRecords: 2 });
    await store.update("spent", "s", () => ({ value: { isSpent: true }, expiresAt: Number.MAX_SAFE_INTEGER }));
    for (const key of ["a", "b", "c"]) await store.update("consents", key, consent());
    expect(store.entries().map(({ table, key }) => `${table}/${key}`)).toEqual(["consents/b", "consents/c", "spent/s"]);
  });

  it("drops the oldest records of a table beyond its characters", async () => {
    const store = new InMemoryAuthorizationStore({ maxCharacters: 100 });
    await store.update("consents", "a", consent(50));
    await store.update("consents", "b", consent(50));
    await store.update("consents", "huge", consent(200));
    expect(store.entries().map(({ key }) => key)).toEqual(["b"]);
  });

  it("forgets records that have expired", async () => {
    const clock = { now: 0 };
    const store = new InMemoryAuthorizationStore({ now: () => clock.now });
    await store.update("consents", "long", consent(1, 100));
    await store.update("consents", "short", consent(1, 10));
    clock.now = 10;
    expect(store.entries().map(({ key }) => key)).toEqual(["long"]);
    clock.now = 100;
    await store.update("consents", "new", consent());
    expect(store.entries().map(({ key }) => key)).toEqual(["new"]);
  });

  it("refuses limits that keep nothing", () => {
    expect(() => new InMemoryAuthorizationStore({ maxRecords: 0 })).toThrow("maxRecords");
    expect(() => new InMemoryAuthorizationStore({ maxCharacters: Number.NaN })).toThrow("maxCharacters");
  });
});
