import { spawnSync } from "node:child_process";
import { copyFile, lstat, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { JournalFile } from "../../files/journal-file.js";
import { PASSWORD, TestBrowser, TestServer } from "../server/authorization-server.fixture.js";
import { storeContract } from "../server/store-contract.js";
import { FileAuthorizationStore } from "./file-authorization-store.js";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-authorization-"));
  path = join(folder, "store.jsonl");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

storeContract(async () => {
  const clock = { now: 1_000 };
  return { store: await FileAuthorizationStore.open(path, { now: () => clock.now }), clock };
});

function consent(scope: string) {
  return () => ({ value: { scopes: [scope], givenAt: 0 }, expiresAt: Number.MAX_SAFE_INTEGER });
}

describe("FileAuthorizationStore", () => {
  it("keeps a login and the keys over a restart", async () => {
    const first = new TestServer({ store: await FileAuthorizationStore.open(path, { now: () => first.clock.now }) });
    const { body } = await first.redeem(await first.code());
    const second = new TestServer({ store: await FileAuthorizationStore.open(path, { now: () => first.clock.now }) });
    expect(await second.server.verifyAccessToken(`${body.access_token}`)).toMatchObject({ subject: "alice" });
    const refreshed = await second.refresh(body.refresh_token);
    expect((await second.refresh(refreshed.body.refresh_token)).status).toBe(200);
    expect((await second.refresh(body.refresh_token)).status).toBe(400);
  });

  it("keeps the owners of records over a restart", async () => {
    const store = await FileAuthorizationStore.open(path);
    await store.update("consents", "a", () => ({ ...consent("a")(), owner: "alice" }));
    await store.update("consents", "b", consent("b"));
    const reopened = await FileAuthorizationStore.open(path);
    expect(await reopened.get("consents", "a")).toEqual({ ...consent("a")(), owner: "alice" });
    expect(await reopened.get("consents", "b")).toEqual(consent("b")());
  });

  it("is for one process: the lock of another one refuses, and is named", async () => {
    await writeFile(`${path}.lock`, `process 1 on ${hostname()}\n`);
    await expect(FileAuthorizationStore.open(path, { lockTimeoutMs: 1 })).rejects.toMatchObject({
      code: "invalid-argument",
      message:
        `${path}: another process or thread uses this store: ${path}.lock is held by "process 1 on ${hostname()}"; ` +
        "stop it, or give each process and thread a file of its own",
    });
    await expect(FileAuthorizationStore.open(path, { lockTimeoutMs: 0 })).rejects.toThrow("lockTimeoutMs: expected");
  });

  it("is not held up by the lock of a process that has ended", async () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    const first = await FileAuthorizationStore.open(path);
    const text = await readFile(`${path}.lock`, "utf8");
    await first.close();
    await writeFile(`${path}.lock`, text.replace(String(process.pid), String(pid)));
    await using store = await FileAuthorizationStore.open(path, { lockTimeoutMs: 2_000 });
    await store.update("consents", "a", consent("a"));
    expect(await readFile(`${path}.lock`, "utf8")).toBe(text);
  });

  it("is opened twice at once by one process: the later one closes the other", async () => {
    const open = () => FileAuthorizationStore.open(path, { lockTimeoutMs: 1_000 });
    const stores = await Promise.all([open(), open()]);
    const reads = await Promise.allSettled(stores.map((store) => store.get("consents", "a")));
    const closed = reads.findIndex(({ status }) => status === "rejected");
    expect(reads[closed]).toMatchObject({
      reason: { message: expect.stringContaining("was closed, or opened again by this process") },
    });
    const later = stores[1 - closed];
    await later?.update("consents", "a", consent("a"));
    await later?.close();
    expect(await readdir(folder)).toEqual(["store.jsonl"]);
  });

  it("passes on why a lock cannot be made", async () => {
    const long = join(folder, "x".repeat(253));
    await expect(FileAuthorizationStore.open(long)).rejects.toMatchObject({ code: "ENAMETOOLONG" });
  });

  it("writes its last changes when it is closed, and can be used no more", async () => {
    const store = await FileAuthorizationStore.open(path);
    const written = store.update("consents", "a", consent("a"));
    // A store of this process with the same file closes the first one.
    const next = await FileAuthorizationStore.open(path);
    await written;
    expect((await next.get("consents", "a"))?.value.scopes).toEqual(["a"]);
    const closed = { code: "authorization-failed", message: expect.stringContaining("was closed, or opened again") };
    await expect(store.get("consents", "a")).rejects.toMatchObject(closed);
    await expect(store.update("consents", "a", consent("b"))).rejects.toMatchObject(closed);
    await store.close();
    await next.close();
    await next.close();
    expect(await readdir(folder)).toEqual(["store.jsonl"]);
  });

  it("writes nothing once another process has taken its lock over", async () => {
    const store = await FileAuthorizationStore.open(path);
    await store.update("consents", "a", consent("a"));
    await rename(`${path}.lock`, `${path}.old`);
    await writeFile(`${path}.lock`, "process 1 on another\n");
    const taken = { message: expect.stringContaining("was taken over by another process") };
    await expect(store.update("consents", "b", consent("b"))).rejects.toMatchObject(taken);
    await expect(store.get("consents", "a")).rejects.toMatchObject(taken);
    expect(await readFile(path, "utf8")).toBe(journal(record("a")));

    const stopped = vi.spyOn(globalThis, "clearInterval");
    await store.close();
    expect(stopped).toHaveBeenCalledTimes(1);
    stopped.mockRestore();
    await expect(store.get("consents", "a")).rejects.toMatchObject(taken);
    expect(await readFile(`${path}.lock`, "utf8")).toBe("process 1 on another\n");
  });

  it.each(["append to", "replace"])(
    "does not %s the file once another process has used the store and closed it",
    async (how) => {
      const store = await FileAuthorizationStore.open(path);
      await store.update("consents", "a", consent("a"));
      if (how === "replace") {
        const scopes = ["x".repeat(2_000_000)];
        await store.update("consents", "k", () => ({
          value: { scopes, givenAt: 0 },
          expiresAt: Number.MAX_SAFE_INTEGER,
        }));
      }
      // The other process has removed its lock again.
      await rm(`${path}.lock`);
      const theirs = journal(record("a"), record("theirs"));
      await writeFile(path, theirs);
      const taken = { message: expect.stringContaining("was taken over by another process") };
      await expect(store.update("consents", "b", consent("b"))).rejects.toMatchObject(taken);
      expect(await readFile(path, "utf8")).toBe(theirs);
      expect(await readdir(folder)).toEqual(["store.jsonl"]);
      await store.close();
    },
  );

  it.each([
    ["reads", (store: FileAuthorizationStore) => store.get("consents", "a")],
    ["changes", (store: FileAuthorizationStore) => store.update("transactions", "t", () => undefined)],
  ])("%s nothing after a suspension in which another process has used the store", async (_what, use) => {
    const store = await FileAuthorizationStore.open(path);
    await store.update("consents", "a", consent("a"));
    const monotonic = vi.spyOn(performance, "now").mockReturnValue(performance.now() + 60_000);
    onTestFinished(() => monotonic.mockRestore());
    await use(store);
    await rm(`${path}.lock`);
    await writeFile(path, journal(record("theirs")));
    const taken = { message: expect.stringContaining("was taken over by another process") };
    await expect(use(store)).rejects.toMatchObject(taken);
    await expect(use(store)).rejects.toMatchObject(taken);
    await store.close();
  });

  it("writes a change that began right before it is closed", async () => {
    const store = await FileAuthorizationStore.open(path);
    const written = store.update("consents", "a", consent("a"));
    await store.close();
    expect(await readFile(path, "utf8")).toBe(journal(record("a")));
    await written;
  });

  it.each([
    ["another one whose file is missing", "second.jsonl"],
    ["a missing folder", "none/store.jsonl"],
  ])("refuses a symbolic link to %s", async (_what, target) => {
    await symlink("missing.jsonl", join(folder, "second.jsonl"));
    await symlink(target, path);
    await expect(FileAuthorizationStore.open(path)).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining(`${path}: a symbolic link to a missing folder, or to another symbolic link`),
    });
    expect((await readdir(folder)).sort()).toEqual(["second.jsonl", "store.jsonl"]);
  });

  it.each([
    ["a file", async (target: string) => writeFile(target, journal(record("a")))],
    ["nothing yet", async () => undefined],
  ])("writes through a symbolic link to %s", async (_what, prepare) => {
    const target = join(folder, "target.jsonl");
    await prepare(target);
    await symlink("target.jsonl", path);
    const store = await FileAuthorizationStore.open(path);
    await store.update("consents", "b", consent("b"));
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    expect(await readFile(target, "utf8")).toContain(record("b"));
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
    expect(await readdir(folder)).toEqual(["store.jsonl", "store.jsonl.lock"]);
  });

  it("has changes on the disk when an update resolves, and writes those that come together at once", async () => {
    const store = await FileAuthorizationStore.open(path);
    await Promise.all(["a", "b", "c"].map((key) => store.update("consents", key, consent(key))));
    const reopened = await FileAuthorizationStore.open(path);
    expect((await reopened.get("consents", "c"))?.value.scopes).toEqual(["c"]);
  });

  it("appends changes of one turn in one write, and writes nothing that did not change", async () => {
    const store = await FileAuthorizationStore.open(path);
    await store.update("consents", "a", consent("a"));
    const before = await stat(path);
    const append = vi.spyOn(JournalFile.prototype, "append");
    await Promise.all([
      store.update("consents", "b", consent("b")),
      Promise.resolve().then(() => store.update("consents", "c", consent("c"))),
      store.update("consents", "a", () => undefined),
    ]);
    await store.update("consents", "b", (current) => current);
    expect(append).toHaveBeenCalledTimes(1);
    append.mockRestore();
    const deletion = '{"table":"consents","key":"a"}';
    expect(await readFile(path, "utf8")).toBe(journal(record("a"), record("b"), deletion, record("c")));
    expect((await stat(path)).ino).toBe(before.ino);
    const reopened = await FileAuthorizationStore.open(path);
    expect(await reopened.get("consents", "a")).toBeUndefined();
    expect((await reopened.get("consents", "c"))?.value.scopes).toEqual(["c"]);
  });

  it("drops a line that a crash cut off, and goes on behind the line before it", async () => {
    await writeFile(path, journal(record("a"), record("b")).slice(0, -5));
    const store = await FileAuthorizationStore.open(path);
    expect((await store.get("consents", "a"))?.value.scopes).toEqual(["a"]);
    expect(await store.get("consents", "b")).toBeUndefined();
    await store.update("consents", "c", consent("c"));
    expect(await readFile(path, "utf8")).toBe(journal(record("a"), record("c")));
  });

  it("replaces the file once its changes weigh more than its records", async () => {
    const store = await FileAuthorizationStore.open(path);
    const scopes = ["x".repeat(300_000)];
    for (let round = 0; round < 6; round++) {
      await store.update("consents", "k", () => ({
        value: { scopes, givenAt: 0 },
        expiresAt: Number.MAX_SAFE_INTEGER,
      }));
    }
    expect((await stat(path)).size).toBeLessThan(400_000);
    expect((await (await FileAuthorizationStore.open(path)).get("consents", "k"))?.value.scopes).toEqual(scopes);
  });

  it("keeps logins in progress out of the file", async () => {
    const test = new TestServer({ store: await FileAuthorizationStore.open(path, { now: () => test.clock.now }) });
    const browser = new TestBrowser(test);
    await browser.authorize();
    await browser.submit({ username: "alice", password: PASSWORD });
    expect(await readFile(path, "utf8")).not.toContain("transactions");
    const copy = `${path}.copy`;
    await copyFile(path, copy);
    const restarted = new TestServer({ store: await FileAuthorizationStore.open(copy, { now: () => test.clock.now }) });
    const later = Object.assign(new TestBrowser(restarted), { cookie: browser.cookie, page: browser.page });
    await later.submit({ decision: "allow" });
    expect(later.status).toBe(400);
    expect((await browser.submit({ decision: "allow" })).code).toBeDefined();
  });

  it("rejects an update that cannot be appended, and writes it with the next", async () => {
    const store = await FileAuthorizationStore.open(path);
    await store.update("consents", "a", consent("a"));
    await rm(path);
    await expect(store.update("consents", "b", consent("b"))).rejects.toMatchObject({ code: "ENOENT" });
    await store.update("consents", "c", consent("c"));
    expect(await readFile(path, "utf8")).toBe(journal(record("a"), record("b"), record("c")));
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
    ["an empty file", ""],
    ["half a format", FORMAT.slice(0, 20)],
    ["a format without the end of its line", FORMAT],
    ["another format", '{"format":"other"}\n'],
    ["a line that is no JSON", journal("{", record("k"))],
    ["a line that is no object", journal("1")],
    ["an unknown table", journal('{"table":"t","key":"k"}')],
    ["no key", journal('{"table":"spent"}')],
    ["a record that is no object", journal('{"table":"spent","key":"k","expiresAt":1,"value":1}')],
    ["no record", journal('{"table":"spent","key":"k","expiresAt":1}')],
    ["no end", journal('{"table":"spent","key":"k","value":{}}')],
  ])("refuses %s, and says what to do", async (_fault, text) => {
    await writeFile(path, text);
    await expect(FileAuthorizationStore.open(path)).rejects.toThrow(
      "is not a store of this authorization server; move it",
    );
  });

  it.runIf(process.platform !== "win32")("makes the folder of the file, for its owner alone", async () => {
    const made = join(folder, "state", "login");
    const store = await FileAuthorizationStore.open(join(made, "store.jsonl"));
    await store.update("consents", "key", consent("a"));
    expect((await stat(made)).mode & 0o777).toBe(0o700);
    expect(await readdir(made)).toEqual(["store.jsonl", "store.jsonl.lock"]);
  });

  it("passes on why a file cannot be read", async () => {
    await expect(FileAuthorizationStore.open(folder)).rejects.toMatchObject({ code: "EISDIR" });
  });
});

const FORMAT = '{"format":"parley-authorization-store/2"}';

function record(key: string): string {
  return `{"table":"consents","key":"${key}","expiresAt":${Number.MAX_SAFE_INTEGER},"value":{"scopes":["${key}"],"givenAt":0}}`;
}

function journal(...lines: string[]): string {
  return [FORMAT, ...lines, ""].join("\n");
}
