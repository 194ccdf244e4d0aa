import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readSkillFolder } from "./read-skill-folder.js";

it("reads a folder of exactly maxBytes, and none of a byte more", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-skills-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const manifest = "---\nname: git-flow\ndescription: About branches\n---\n";
  await mkdir(join(folder, "git-flow"));
  await writeFile(join(folder, "git-flow", "SKILL.md"), manifest);

  const whole = await readSkillFolder(folder, { maxBytes: manifest.length });
  const less = await readSkillFolder(folder, { maxBytes: manifest.length - 1 });
  expect([whole.skills.length, whole.problems.size]).toEqual([1, 0]);
  expect([less.skills.length, less.problems.size]).toEqual([0, 1]);
});
