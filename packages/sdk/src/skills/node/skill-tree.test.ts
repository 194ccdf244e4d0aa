import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listTree, readTreeFile, sizeOfTreeFile } from "./skill-tree.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-tree-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("listing", () => {
  test("refuses a folder with too many entries, directories or levels", async () => {
    const deep = Array.from({ length: 18 }, (_, index) => `d${index}`);
    await mkdir(join(folder, ...deep), { recursive: true });
    const { directories, faults } = await listTree(folder);
    expect(directories).toHaveLength(17);
    expect(faults).toEqual([{ path: deep.slice(0, 17).join("/"), reason: "it is more than 16 directories deep" }]);

    const limits = { maxEntries: 100, maxDirectories: 16 };
    await expect(listTree(folder, limits)).rejects.toThrow("at most 100 entries in 16 directories");
    await expect(listTree(folder, { maxEntries: 15, maxDirectories: 100 })).rejects.toThrow("at most 15 entries");
  });

  test("refuses a missing folder and a file, with the absolute path", async () => {
    await writeFile(join(folder, "file"), "");
    for (const name of ["none", "file"]) {
      const path = join(folder, name);
      await expect(listTree(relative(".", path))).rejects.toThrow(
        `folder: expected an existing directory, got ${path}`,
      );
    }
  });

  test("names a pipe, and a name that Windows reads as a path", async () => {
    execFileSync("mkfifo", ["pipe"], { cwd: folder });
    await writeFile(join(folder, "a\\b"), "");
    await writeFile(join(folder, "c:d"), "");

    const { faults, files } = await listTree(folder);

    expect(files).toEqual([]);
    expect(faults.map(({ path, reason }) => `${path}: ${reason}`).sort()).toEqual([
      "a\\b: its name cannot be part of a path on every system",
      "c:d: its name cannot be part of a path on every system",
      "pipe: it is neither a file nor a directory",
    ]);
  });
});

describe("reading", () => {
  const read = async (change: () => Promise<unknown>) => {
    await mkdir(join(folder, "skill"));
    await writeFile(join(folder, "skill", "a.md"), "text");
    const { root, files } = await listTree(folder);
    const [file = { path: "" }] = files;
    const size = await sizeOfTreeFile(root, file);
    await change();
    return readTreeFile(root, file, size);
  };
  const path = () => join(folder, "skill", "a.md");

  test("returns the bytes", async () => {
    expect(new TextDecoder().decode(await read(async () => undefined))).toBe("text");
  });

  test("refuses a file that was replaced by a link", async () => {
    const reading = read(async () => {
      await rm(path());
      await symlink("/etc/hostname", path());
    });
    await expect(reading).rejects.toThrow("skill/a.md cannot be opened");
  });

  test("refuses a file whose directory was replaced by a link", async () => {
    const reading = read(async () => {
      await rename(join(folder, "skill"), join(folder, "elsewhere"));
      await symlink(join(folder, "elsewhere"), join(folder, "skill"));
    });
    await expect(reading).rejects.toThrow("skill/a.md changed while it was read");
  });

  test("refuses a file that grew or shrank", async () => {
    await expect(read(() => writeFile(path(), "longer than before"))).rejects.toThrow("changed while it was read");
    await rm(join(folder, "skill"), { recursive: true });
    await expect(read(() => writeFile(path(), "t"))).rejects.toThrow("changed while it was read");
  });

  test("does not wait for the writer of a pipe", async () => {
    const reading = read(async () => {
      await rm(path());
      execFileSync("mkfifo", [path()]);
    });
    await expect(reading).rejects.toThrow();
  });
});
