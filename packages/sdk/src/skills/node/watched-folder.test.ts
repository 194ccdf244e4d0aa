import { EventEmitter } from "node:events";
import * as fs from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { McpServer } from "../../server/mcp-server.js";
import { serveSkillFolder } from "./serve-skill-folder.js";

vi.mock("node:fs", async (original) => ({ ...(await original<typeof fs>()), watch: vi.fn() }));

/** A watcher whose events the test emits. */
class FakeWatcher extends EventEmitter {
  readonly onChange: () => void;
  isClosed = false;

  constructor(onChange: () => void) {
    super();
    this.onChange = onChange;
  }

  close(): void {
    this.isClosed = true;
  }
}

let folder: string;
let watchers: Map<string, FakeWatcher>;
let reports: Error[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-watched-"));
  watchers = new Map();
  reports = [];
  const watch = (path: string, _options: unknown, onChange: () => void) => {
    const watcher = new FakeWatcher(onChange);
    watchers.set(basename(path), watcher);
    return watcher;
  };
  // The folder uses these members of a watcher alone.
  vi.mocked(fs.watch)
    .mockReset()
    .mockImplementation(watch as never);
  for (const name of ["a", "b"]) await addSkill(name);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function addSkill(name: string): Promise<void> {
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, "SKILL.md"), `---\nname: ${name}\ndescription: About ${name}\n---\n`);
}

const serve = () =>
  serveSkillFolder(new McpServer({ name: "s", version: "1.0.0" }), {
    folder,
    settleMs: 1,
    onError: (error) => void reports.push(error),
  });
const uri = (name: string) => `skill://${name}/SKILL.md`;

test("an error of a watcher closes it, and the folder is read again", async () => {
  using served = await serve();
  const [first, other] = [watchers.get("a"), watchers.get("b")];
  await rm(join(folder, "a"), { recursive: true });
  first?.emit("error", new Error("EPERM"));

  expect(first?.isClosed).toBe(true);
  await vi.waitFor(() => expect(served.uris).toEqual([uri("b")]));
  expect(other?.isClosed).toBe(false);
  expect(reports).toEqual([]);
});

test("a directory whose watcher failed is watched again if it is still there", async () => {
  using _served = await serve();
  const failed = watchers.get("a");
  failed?.emit("error", new Error("EMFILE"));

  await vi.waitFor(() => expect(watchers.get("a")).not.toBe(failed));
  expect(failed?.isClosed).toBe(true);
  expect(watchers.get("a")?.isClosed).toBe(false);
});

test("the watcher of a directory that is gone is closed", async () => {
  using served = await serve();
  await rm(join(folder, "b"), { recursive: true });
  watchers.get(basename(folder))?.onChange();

  await vi.waitFor(() => expect(served.uris).toEqual([uri("a")]));
  await vi.waitFor(() => expect(watchers.get("b")?.isClosed).toBe(true));
});

test("a directory that cannot be watched is reported, and its skill is served", async () => {
  const cause = new Error("ENOSPC");
  vi.mocked(fs.watch).mockImplementation(() => {
    throw cause;
  });
  using served = await serve();

  expect(served.uris).toEqual([uri("a"), uri("b")]);
  expect(reports).toHaveLength(3);
  expect(reports[0]).toMatchObject({
    code: "handler-failed",
    message: expect.stringContaining("cannot be watched; call refresh()"),
    cause,
  });
});

test("close closes every watcher, and neither a change before nor one after it has the folder read", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const served = await serve();
  watchers.get("a")?.onChange();
  watchers.get("b")?.onChange();
  expect(vi.getTimerCount()).toBe(1);

  served.close();
  expect(vi.getTimerCount()).toBe(0);
  watchers.get("a")?.onChange();
  expect(vi.getTimerCount()).toBe(0);
  expect([...watchers.values()].map(({ isClosed }) => isClosed)).toEqual([true, true, true]);
  await served.refresh();
  expect(fs.watch).toHaveBeenCalledTimes(3);
});
