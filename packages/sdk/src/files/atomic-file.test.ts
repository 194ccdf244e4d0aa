import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { writeAtomically } from "./atomic-file.js";

const opened = vi.hoisted(() => [] as { readonly fd: number }[]);
vi.mock("node:fs/promises", async (load) => {
  const files = await load<typeof import("node:fs/promises")>();
  const open: typeof files.open = async (...args) => {
    const file = await files.open(...args);
    opened.push(file);
    return file;
  };
  return { ...files, open };
});

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-atomic-"));
});
afterEach(() => rm(folder, { recursive: true }));

it("rejects with the reason why it could not begin", async () => {
  await expect(writeAtomically(join(folder, "missing", "a.json"), "{}")).rejects.toMatchObject({
    code: "ENOENT",
    syscall: "open",
  });
});

it("leaves the old file alone if the replacement is not confirmed", async () => {
  const path = join(folder, "a.json");
  await writeFile(path, "old");
  const refused = writeAtomically(path, "new", () => Promise.reject(new Error("not now")));
  await expect(refused).rejects.toThrow("not now");
  expect([await readFile(path, "utf8"), await readdir(folder)]).toEqual(["old", ["a.json"]]);
});

it("closes what it opened, the file and its folder", async () => {
  opened.length = 0;
  await writeAtomically(join(folder, "a.json"), "{}");
  expect(opened.map(({ fd }) => fd)).toEqual([-1, -1]);
});
