/** Saves a skill of a server to a folder. The directory of the skill appears when all of its files are verified and written. */
import { randomUUID } from "node:crypto";
import { lstat, mkdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { checkMethods } from "../../errors/option-checks.js";
import { checkOptions, describeKind } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import { checkListedSkill, type ListedSkill, type ListedSkillFile } from "../listed-skill.js";
import { LIMIT_OPTIONS, type SkillLimits, skillLimits } from "../skill.js";
import { isSafeSegment, isSkillName } from "../skill-uri.js";
import type { SkillsClient } from "../skills-client.js";

/** Names that Windows reads as devices, or changes. */
const UNSAFE_ON_WINDOWS = /[<>"|?*]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Directories in the path of a file, so that 512 files make 8,192 directories at most. */
const MAX_DIRECTORIES = 16;

/**
 * Saves all files of a skill to a new directory of the skill's name in a folder, and returns its path. Each file is verified. Files are
 * not executable, and nothing that exists is overwritten. Use a folder that no program searches for skills.
 * @throws {SdkError} `invalid-argument` if the directory exists, or if the skill has no digests; `invalid-result` for content that does
 *   not fit its entry, or for paths that are unsafe as files. The folder is then as it was.
 *
 * @example
 * const skills = new SkillsClient(client);
 * const skill = await skills.get("skill://git-workflow/SKILL.md");
 * const path = await saveSkill(skills, skill, "./downloaded-skills");
 */
export async function saveSkill(
  reader: SkillsClient,
  skill: ListedSkill,
  folder: string,
  limits: SkillLimits = {},
): Promise<string> {
  checkMethods("saveSkill", reader, "a SkillsClient first", ["read"]);
  checkListedSkill("saveSkill", skill);
  if (typeof folder !== "string" || folder === "") {
    const fix = 'write saveSkill(reader, skill, "./downloaded-skills")';
    throw new SdkError(
      "invalid-argument",
      `saveSkill: expected the path of a folder, got ${describeKind(folder)}; ${fix}`,
    );
  }
  checkOptions("saveSkill", limits, LIMIT_OPTIONS);
  const files = checkFiles(skill, limits);
  await mkdir(folder, { recursive: true });
  const root = await realpath(folder);
  const target = join(root, skill.name);
  await requireAbsent(target, skill);
  // Hidden, so that the half-saved skill is not taken for a skill.
  const partial = join(root, `.${skill.name}.${randomUUID()}.tmp`);
  try {
    await mkdir(partial, { mode: 0o700 });
    await writeFiles(reader, skill, files, partial, skillLimits(limits).maxBytes);
    await requireAbsent(target, skill);
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
  return target;
}

/** @throws {SdkError} `invalid-result` or `invalid-argument` */
function checkFiles({ uri, name, files }: ListedSkill, limits: SkillLimits): readonly ListedSkillFile[] {
  const { maxFiles } = skillLimits(limits);
  if (files === undefined) throw refused(uri, "it has no digests, so its content cannot be verified");
  if (!isSkillName(name)) throw refused(uri, "its name is against the rules");
  if (UNSAFE_ON_WINDOWS.test(name)) throw refused(uri, `Windows reads "${name}" as a device`);
  if (files.length > maxFiles) throw refused(uri, `${files.length} files; maxSkillFiles allows ${maxFiles}`);
  for (const { path } of files) {
    const segments = path.split("/");
    if (segments.length > MAX_DIRECTORIES + 1) {
      const start = JSON.stringify(path.slice(0, 60));
      throw new SdkError(
        "invalid-result",
        `skill "${uri}": the file ${start}… is deeper than ${MAX_DIRECTORIES} directories`,
      );
    }
    const isSafe = segments.every((segment) => isSafeSegment(segment) && !UNSAFE_ON_WINDOWS.test(segment));
    if (!isSafe) throw new SdkError("invalid-result", `skill "${uri}": ${JSON.stringify(path)} is unsafe as a file`);
  }
  return files;
}

async function writeFiles(
  reader: SkillsClient,
  skill: ListedSkill,
  files: readonly ListedSkillFile[],
  directory: string,
  maxBytes: number,
): Promise<void> {
  let total = 0;
  for (const { path } of files) {
    const { bytes } = await reader.read(skill, path);
    total += bytes.length;
    if (total > maxBytes) throw refused(skill.uri, `more than the ${maxBytes} bytes of maxSkillBytes`);
    const target = join(directory, ...path.split("/"));
    try {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      // "wx" creates the file, and follows no link.
      await writeFile(target, bytes, { flag: "wx", mode: 0o600 });
    } catch (cause) {
      throw new SdkError("invalid-result", `skill "${skill.uri}": ${JSON.stringify(path)} cannot be written`, {
        cause,
      });
    }
  }
}

async function requireAbsent(target: string, { uri, name }: ListedSkill): Promise<void> {
  const found = await lstat(target).catch(() => undefined);
  if (found !== undefined) throw refused(uri, `"${name}" exists in the folder; remove it first`);
}

function refused(uri: string, complaint: string): SdkError {
  return new SdkError("invalid-argument", `skill "${uri}": ${complaint}; it was not saved`);
}
