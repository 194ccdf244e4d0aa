import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FileCredentialStore, type FileStoreOptions } from "./file-credential-store.js";

let folder: string;
let errors: Error[];

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "parley-store-")), "credentials");
  errors = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(join(folder, ".."), { recursive: true, force: true });
});

function store(options: Partial<FileStoreOptions> = {}): FileCredentialStore {
  return new FileCredentialStore({ folder, onError: (error) => errors.push(error), ...options });
}

const VALUE = JSON.stringify({ token: "secret" });

/** The one file of a store with one value. */
async function onlyFile(): Promise<string> {
  const [name, ...others] = await readdir(folder);
  expect(others).toEqual([]);
  return join(folder, name as string);
}

describe("a value", () => {
  test("is read by every store of the folder until it is deleted", async () => {
    expect(await store().get("key")).toBeUndefined();
    await store().set("key", VALUE);
    await store().set("other", "1");
    expect(await store().get("key")).toBe(VALUE);
    await store().delete("key");
    await store().delete("key");
    expect(await store().get("key")).toBeUndefined();
    expect(await store().get("other")).toBe("1");
  });

  test("lies in a file that only its owner can open, under a name that does not tell the key", async () => {
    await store().set("https://mcp.example.com secret", VALUE);
    const file = await onlyFile();
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(file).toMatch(/[0-9a-f]{64}\.json$/);
    expect(await readFile(file, "utf8")).toBe(VALUE);
  });

  test("must be JSON within the limit", async () => {
    await expect(store().set("key", "{")).rejects.toMatchObject({
      code: "invalid-argument",
      message: "value: expected JSON",
    });
    await expect(store({ maxBytes: 3 }).set("key", '"é"')).rejects.toMatchObject({ code: "invalid-argument" });
    await store({ maxBytes: 4 }).set("key", '"é"');
    expect(await store().get("key")).toBe('"é"');
  });

  test.each([
    ["half a value", '{"token":"sec'],
    ["nothing", ""],
  ])("whose file holds %s counts as absent, and is reported without its content", async (_, text) => {
    await store().set("key", VALUE);
    await writeFile(await onlyFile(), text);
    expect(await store().get("key")).toBeUndefined();
    expect(errors.map(String)).toEqual([expect.stringContaining("not JSON any more")]);
    expect(String(errors[0])).not.toContain('sec"');
    await new FileCredentialStore({ folder }).get("key");
    await store().set("key", VALUE);
    expect(await store().get("key")).toBe(VALUE);
  });

  test("whose file is over the limit counts as absent, and is reported", async () => {
    await store().set("key", VALUE);
    expect(await store({ maxBytes: 5 }).get("key")).toBeUndefined();
    expect(errors.map(String)).toEqual([expect.stringContaining("more than 5 bytes")]);
  });

  test("is not read through a link that somebody put in its place", async () => {
    await store().set("key", VALUE);
    const file = await onlyFile();
    await rm(file);
    await symlink("/etc/hostname", file);
    await expect(store().get("key")).rejects.toMatchObject({ code: "authorization-failed" });
  });

  test("that was written longest ago goes when there are too many", async () => {
    const small = store({ maxEntries: 2 });
    await small.set("a", "1");
    await utimes(await onlyFile(), 1, 1);
    await small.set("b", "1");
    await small.set("c", "1");
    expect(await Promise.all(["a", "b", "c"].map((key) => small.get(key)))).toEqual([undefined, "1", "1"]);
    expect(await readdir(folder)).toHaveLength(2);
  });
});

describe("a folder", () => {
  test("that others can open is refused", async () => {
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o755);
    const opened = store();
    await expect(opened.get("key")).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("chmod 700"),
    });
    await chmod(folder, 0o700);
    expect(await opened.get("key")).toBeUndefined();
  });

  test("is not judged where users have no ids", async () => {
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o755);
    vi.spyOn(process, "getuid").mockReturnValue(undefined as never);
    expect(await store().get("key")).toBeUndefined();
  });

  test("of another user is refused", async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { uid } = await stat(folder);
    vi.spyOn(process, "getuid").mockReturnValue(uid + 1);
    await expect(store().get("key")).rejects.toMatchObject({
      code: "invalid-argument",
      message: `folder: expected one of the user with the id ${uid + 1}, who runs this process; it belongs to ${uid}, who could replace what is in it`,
    });
  });

  test("loses what processes left behind that were killed while they wrote, and nothing else", async () => {
    await store().set("key", VALUE);
    await writeFile(join(folder, "old.json.1.tmp"), "secret");
    await utimes(join(folder, "old.json.1.tmp"), 1, 1);
    await writeFile(join(folder, "new.json.2.tmp"), "secret");
    // As good as a file that is removed while the folder is read.
    await symlink("nowhere", join(folder, "gone.json.3.tmp"));
    await store().get("key");
    const left = (await readdir(folder)).filter((name) => name.endsWith(".tmp"));
    expect(left.sort()).toEqual(["gone.json.3.tmp", "new.json.2.tmp"]);
  });

  test("that cannot hold a file leaves nothing half-written", async () => {
    await store().set("key", VALUE);
    const file = await onlyFile();
    await rm(file);
    await mkdir(join(file, "in the way"), { recursive: true });
    await expect(store().set("key", VALUE)).rejects.toThrow();
    expect(await readdir(folder)).toHaveLength(1);
  });
});

describe("a lock", () => {
  test("lets one run after the other, also of another store, and others go on", async () => {
    const events: string[] = [];
    let finish: () => void = () => undefined;
    const first = store().withLock("key", async () => {
      events.push("first in");
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      events.push("first out");
    });
    await vi.waitFor(() => expect(events).toEqual(["first in"]));
    const second = store().withLock("key", async () => events.push("second in"));
    await store().withLock("other key", async () => events.push("other in"));
    finish();
    await Promise.all([first, second]);
    expect(events).toEqual(["first in", "other in", "first out", "second in"]);
  });

  test("gives back what ran under it, and is free after a failure", async () => {
    await expect(store().withLock("key", () => Promise.reject(new Error("no token")))).rejects.toThrow("no token");
    expect(await store().withLock("key", async () => 7)).toBe(7);
    expect(await readdir(folder)).toEqual([]);
  });

  test("that somebody took over meanwhile is reported, and left to its new holder", async () => {
    await store().withLock("key", async () => {
      const lock = await onlyFile();
      await rm(lock);
      await writeFile(lock, "another process");
    });
    expect(errors.map(String)).toEqual([expect.stringContaining("took over")]);
    expect(await readFile(await onlyFile(), "utf8")).toBe("another process");
  });

  test("that does not get free is given up", async () => {
    await store().withLock("key", async () => {
      await expect(store({ lockTimeoutMs: 1 }).withLock("key", async () => 1)).rejects.toMatchObject({
        code: "authorization-failed",
        message: expect.stringContaining("another process holds the lock"),
      });
    });
  });
});

test.each(["maxBytes", "maxEntries", "lockTimeoutMs"])("%s must be a number from 1", (option) => {
  expect(() => store({ [option]: 0 })).toThrow(expect.objectContaining({ code: "invalid-argument" }));
});

test("a folder is given by its name", () => {
  for (const wrong of ["./credentials", undefined, {}, { folder: "" }]) {
    expect(() => new FileCredentialStore(wrong as never)).toThrow(
      'folder: write new FileCredentialStore({ folder: "./credentials" })',
    );
  }
});
