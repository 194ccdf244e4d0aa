import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestServer } from "../server/authorization-server.fixture.js";
import { storeContract } from "../server/store-contract.js";
import { FileAuthorizationStore } from "./file-authorization-store.js";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-authorization-"));
  path = join(folder, "store.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

storeContract(async () => {
  const clock = { now: 1_000 };
  return { store: await FileAuthorizationStore.open(path, { now: () => clock.now }), clock };
});

function consent(scope: string) {
  return () => ({ value: { scopes: [scope] }, expiresAt: Number.MAX_SAFE_INTEGER });
}

describe("FileAuthorizationStore", () => {
  it("keeps a login and the keys over a restart", async () => {
    const first = new TestServer({ store: await FileAuthorizationStore.open(path, { now: () => first.clock.now }) });
    const { body } = await first.redeem(await first.code());
    const second = new TestServer({ store: await FileAuthorizationStore.open(path, { now: () => first.clock.now }) });
    expect(await second.server.verifyAccessToken(`${body.access_token}`)).toMatchObject({ subject: "alice" });
    expect((await second.refresh(body.refresh_token)).status).toBe(200);
    expect((await second.refresh(body.refresh_token)).status).toBe(400);
  });

  it("holds no code and no refresh token, in a file for its owner alone", async () => {
    const test = new TestServer({ store: await FileAuthorizationStore.open(path, { now: () => test.clock.now }) });
    const code = await test.code();
    const { body } = await test.redeem(code);
    const text = await readFile(path, "utf8");
    for (const secret of [code, `${body.refresh_token}`, `${body.access_token}`]) {
      for (const part of secret.split(".")) expect(text).not.toContain(part);
    }
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["store.json"]);
  });

  it("has changes on the disk when an update resolves, and writes those that come together at once", async () => {
    const store = await FileAuthorizationStore.open(path);
    await Promise.all(["a", "b", "c"].map((key) => store.update("consents", key, consent(key))));
    const reopened = await FileAuthorizationStore.open(path);
    expect((await reopened.get("consents", "c"))?.value.scopes).toEqual(["c"]);
  });

  it("rejects an update that cannot be written, and goes on with the next", async () => {
    const store = await FileAuthorizationStore.open(path);
    await rm(folder, { recursive: true });
    await expect(store.update("consents", "a", consent("a"))).rejects.toMatchObject({ code: "ENOENT" });
    const { mkdir } = await import("node:fs/promises");
    await mkdir(folder);
    await store.update("consents", "b", consent("b"));
    expect((await (await FileAuthorizationStore.open(path)).get("consents", "a"))?.value.scopes).toEqual(["a"]);
  });

  it.each([
    ["half a file", '{"format":"parley-authorization-store/1","entr'],
    ["no object", "[]"],
    ["another format", '{"format":"other","entries":[]}'],
    ["no entries", '{"format":"parley-authorization-store/1"}'],
    ["an entry that is no object", entries(1)],
    ["an unknown table", entries({ table: "t", key: "k", text: "{}", expiresAt: 1 })],
    ["no key", entries({ table: "spent", text: "{}", expiresAt: 1 })],
    ["a broken record", entries({ table: "spent", key: "k", text: "{", expiresAt: 1 })],
    ["no end", entries({ table: "spent", key: "k", text: "{}" })],
  ])("refuses %s, and says what to do", async (_fault, text) => {
    await writeFile(path, text);
    await expect(FileAuthorizationStore.open(path)).rejects.toThrow(
      "is not a store of this authorization server; move it",
    );
  });

  it("passes on why a file cannot be read", async () => {
    await expect(FileAuthorizationStore.open(folder)).rejects.toMatchObject({ code: "EISDIR" });
  });
});

function entries(entry: unknown): string {
  return JSON.stringify({ format: "parley-authorization-store/1", entries: [entry] });
}
