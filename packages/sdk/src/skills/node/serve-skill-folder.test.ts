import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { McpServer } from "../../server/mcp-server.js";
import { serveSkillFolder } from "./serve-skill-folder.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-folder-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const makeServer = () => new McpServer({ name: "s", version: "1.0.0" });

test("options out of range are refused", async () => {
  await expect(serveSkillFolder(makeServer(), { folder: "" })).rejects.toThrow("folder: write serveSkillFolder");
  await expect(serveSkillFolder(makeServer(), { folder, settleMs: 0 })).rejects.toThrow("settleMs: expected");
  await expect(serveSkillFolder(makeServer(), { folder, maxSkills: 0 })).rejects.toThrow("maxSkills: expected");
  await expect(serveSkillFolder(makeServer(), { folder: join(folder, "none") })).rejects.toThrow(
    "an existing directory",
  );
});

test("refresh reads the folder on request, and reports a folder that is gone", async () => {
  const reports: string[] = [];
  const onError = ({ message }: Error) => void reports.push(message);
  const served = await serveSkillFolder(makeServer(), { folder, watch: false, onError });
  expect(served.uris).toEqual([]);

  await mkdir(join(folder, "a"));
  await writeFile(join(folder, "a", "SKILL.md"), "---\nname: a\ndescription: About a\n---\n");
  await served.refresh();
  expect(served.uris).toEqual(["skill://a/SKILL.md"]);

  await rm(folder, { recursive: true });
  await served.refresh();
  expect(reports).toEqual(["The folder of skills could not be read again"]);
  expect(served.uris).toEqual(["skill://a/SKILL.md"]);
  served[Symbol.dispose]();
});

test("a bad skill is reported again when its SKILL.md or the reason has changed, and no other", async () => {
  const reports: string[] = [];
  const onError = ({ message }: Error) => void reports.push(message);
  const bad = (name: string, text: string) => writeFile(join(folder, name, "SKILL.md"), text);
  for (const name of ["a", "b"]) await mkdir(join(folder, name));
  await bad("a", "no frontmatter");
  await bad("b", "no frontmatter");
  await symlink(folder, join(folder, "link"));
  const served = await serveSkillFolder(makeServer(), { folder, watch: false, onError });
  expect(reports).toHaveLength(3);

  await served.refresh();
  expect(reports.splice(0)).toHaveLength(3);
  await bad("b", "still no frontmatter");
  await served.refresh();
  expect(reports.splice(0)).toEqual([expect.stringContaining('skill "b": SKILL.md frontmatter')]);
  await symlink(folder, join(folder, "a", "link"));
  await served.refresh();
  expect(reports.splice(0)).toEqual([expect.stringContaining("a/link: it is a symbolic link")]);
});
