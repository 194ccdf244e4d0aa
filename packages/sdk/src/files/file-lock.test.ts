import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { acquireFileLock, type FileLockOptions, holderOf } from "./file-lock.js";

let folder: string;
let path: string;
let nowMs: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-lock-"));
  path = join(folder, "lock");
  nowMs = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Time passes only where the lock waits. `during` runs before each wait. */
function acquire(options: Partial<FileLockOptions> = {}, during: () => Promise<unknown> = async () => undefined) {
  const wait = async (ms: number) => {
    await during();
    nowMs += ms;
  };
  return acquireFileLock(path, { timeoutMs: 60_000, staleMs: 10_000, now: () => nowMs, wait, ...options });
}

/** The text that a process of this host and PID namespace writes. */
async function textOf(pid: number | undefined): Promise<string> {
  const lock = await acquire();
  const text = await readFile(path, "utf8");
  await lock.release();
  nowMs = 0;
  return text.replace(/^process \d+/, `process ${pid}`).replace(/ \S+\n$/, " another-token\n");
}

test("a lock is a file while it is held", async () => {
  const lock = await acquire();
  expect(await readFile(path, "utf8")).toContain(String(process.pid));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await lock.release()).toBe(true);
  expect(await readdir(folder)).toEqual([]);
});

test("a lock whose file is gone is no longer one's own", async () => {
  const lock = await acquire();
  await rm(path);
  expect(await lock.release()).toBe(false);
});

test("a lock that was left behind is taken over after ten seconds, and not before", async () => {
  await writeFile(path, "killed");
  const lock = await acquire();
  expect(nowMs).toBe(10_050);
  expect(await lock.release()).toBe(true);
  expect(await readdir(folder)).toEqual([]);
});

test.each(["on another host", "of another user"])(
  "a lock of a process %s is taken over by its age alone",
  async (which) => {
    const text = await textOf(999_999_999);
    await writeFile(path, which === "on another host" ? text.replace(hostname(), "elsewhere") : text);
    const kill = vi.spyOn(process, "kill").mockImplementation(() => {
      throw Object.assign(new Error("not permitted"), { code: "EPERM" });
    });
    onTestFinished(() => kill.mockRestore());
    await (await acquire()).release();
    expect(nowMs).toBeGreaterThanOrEqual(10_000);
  },
);

test("a lock of a process that has ended is taken over at once", async () => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  await writeFile(path, await textOf(pid));
  await (await acquire()).release();
  expect(nowMs).toBeLessThan(200);
});

test("a lock of an earlier process with this id, as before the restart of a container, is taken over after three beats", async () => {
  await writeFile(path, await textOf(process.pid));
  await (await acquire()).release();
  expect(nowMs).toBe(3_050);
});

test.each([
  ["of a worker thread or a container with this process id", () => textOf(process.pid)],
  ["of a container with other processes", async () => (await textOf(999_999_999)).replace(/\n\S+ /, "\npid:[1] ")],
])("a lock %s is left to its holder while it is renewed", async (_whose, text) => {
  await writeFile(path, await text());
  let renewals = 0;
  const renew = () => utimes(path, ++renewals, renewals);
  await expect(acquire({ timeoutMs: 30_000 }, renew)).rejects.toThrow("holds the lock");
});

test("a lock names its holder", async () => {
  const text = await textOf(7);
  const lock = await acquire();
  expect(await holderOf(path)).toBe("this process");
  await lock.release();
  expect(await holderOf(path)).toBe("");
  await writeFile(path, text);
  expect(await holderOf(path)).toBe(`process 7 on ${hostname()}`);
});

test("a lock is taken once another file has its name, and not while it is gone", async () => {
  const lock = await acquire();
  expect(await lock.isTaken()).toBe(false);
  await rm(path);
  expect(await lock.isTaken()).toBe(false);
  await writeFile(path, "another");
  expect(await lock.isTaken()).toBe(true);
  expect(await lock.release()).toBe(false);
});

test("a lock that its holder renews is never taken over", async () => {
  await writeFile(path, "alive");
  let renewals = 0;
  const renew = () => utimes(path, ++renewals, renewals);
  await expect(acquire({ timeoutMs: 30_000 }, renew)).rejects.toThrow(
    `another process holds the lock ${path} for 30000 ms`,
  );
  expect(await readFile(path, "utf8")).toBe("alive");
});

test("a lock that a faster process has taken over by then is left to it", async () => {
  await writeFile(path, "killed");
  // At the moment when this process would take over, the file is another one.
  const replace = async () => {
    if (nowMs === 9_950) {
      await rm(path);
      await writeFile(path, "faster");
    }
  };
  await expect(acquire({ timeoutMs: 15_000 }, replace)).rejects.toThrow("holds the lock");
  expect(await readFile(path, "utf8")).toBe("faster");
});

test("a lock that changes while this process takes it over is left to its new holder", async () => {
  await writeFile(path, "killed");
  let isReplaced = false;
  const now = () => {
    if (nowMs >= 10_000 && !isReplaced) {
      isReplaced = true;
      rmSync(path);
      writeFileSync(path, "faster");
    }
    return nowMs;
  };
  await expect(acquire({ timeoutMs: 15_000, now })).rejects.toThrow("holds the lock");
  expect(await readFile(path, "utf8")).toBe("faster");
});

test("a process that was killed during its take-over is in nobody's way for long", async () => {
  await writeFile(path, "killed");
  await writeFile(`${path}.takeover`, "killed as well");
  const lock = await acquire();
  // The guard is abandoned ten seconds after the lock. One wait follows its removal, and one that of the lock.
  expect(nowMs).toBe(20_100);
  await lock.release();
  expect(await readdir(folder)).toEqual([]);
});

test("a guard that another process removes at the same moment is no error", async () => {
  await writeFile(path, "killed");
  await writeFile(`${path}.takeover`, "killed as well");
  let looks = 0;
  const now = () => {
    // The first look is at the lock, the second one at its guard.
    if (nowMs >= 20_000) looks += 1;
    if (looks === 2) rmSync(`${path}.takeover`, { force: true });
    return nowMs;
  };
  await expect((await acquire({ now })).release()).resolves.toBe(true);
});

test("a holder renews its lock", async () => {
  const lock = await acquire({ heartbeatMs: 5 });
  await utimes(path, 1, 1);
  await expect.poll(async () => (await stat(path)).mtimeMs, { timeout: 5_000 }).toBeGreaterThan(1_000_000);
  await lock.release();
});

test("a lock may be lost after half the time in which others take it over, until it is renewed", async () => {
  const lock = await acquire({ heartbeatMs: 5 });
  nowMs = 5_000;
  expect(lock.mayBeLost()).toBe(true);
  await expect.poll(() => lock.mayBeLost(), { timeout: 5_000 }).toBe(false);
  const own = join(folder, "own");
  await link(path, own);
  await rm(path);
  await writeFile(path, "another");
  nowMs = 11_000;
  for (let renewals = 0; renewals < 2; renewals++) {
    await utimes(own, 1, 1);
    await expect.poll(async () => (await stat(own)).mtimeMs, { timeout: 5_000 }).toBeGreaterThan(1_000_000);
  }
  expect(lock.mayBeLost()).toBe(true);
  await lock.release();
});

test("a lock in a folder that does not exist is an error", async () => {
  await expect(acquireFileLock(join(folder, "none", "lock"), { timeoutMs: 1 })).rejects.toMatchObject({
    code: "ENOENT",
  });
});

test("of many that want a lock, one at a time has it", async () => {
  let holders = 0;
  let most = 0;
  const work = async () => {
    const lock = await acquireFileLock(path, { timeoutMs: 60_000 });
    most = Math.max(most, ++holders);
    await mkdir(folder, { recursive: true });
    holders -= 1;
    expect(await lock.release()).toBe(true);
  };
  await Promise.all(Array.from({ length: 8 }, work));
  expect(most).toBe(1);
});
