import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { JournalFile } from "./journal-file.js";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-journal-"));
});
afterEach(() => rm(folder, { recursive: true }));

it("still tells that another process wrote after a replacement that was not confirmed", async () => {
  const path = join(folder, "a.journal");
  const journal = new JournalFile(path, "format 1");
  expect(await journal.read()).toEqual([]);
  await writeFile(path, "format 1\nof another\n");

  const refused = journal.append(
    ["own"],
    () => ["own"],
    () => Promise.reject(new Error("not now")),
  );
  await expect(refused).rejects.toThrow("not now");
  expect(await journal.isChanged()).toBe(true);
});

it("drops a line that a crash cut off", async () => {
  const path = join(folder, "a.journal");
  await writeFile(path, "format 1\none\ntwo\nthr");
  const journal = new JournalFile(path, "format 1");
  expect(await journal.read()).toEqual(["one", "two"]);
  await journal.append(
    ["three"],
    () => ["one", "two", "three"],
    async () => {},
  );
  expect(await readFile(path, "utf8")).toBe("format 1\none\ntwo\nthree\n");
});
