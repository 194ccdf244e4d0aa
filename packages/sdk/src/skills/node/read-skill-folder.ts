/** Reads the skills of a folder: every directory with a `SKILL.md` is one. A bad skill is left out, with the reason. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { checkLimit } from "../../errors/option-checks.js";
import { SdkError } from "../../errors/sdk-error.js";
import { makeSkill, type Skill, type SkillLimits, skillLimits } from "../skill.js";
import { SKILL_FILE } from "../skill-uri.js";
import { divideTree, type SkillParts } from "./skill-parts.js";
import { listTree, readTreeFile, sizeOfTreeFile, type TreeFile } from "./skill-tree.js";

/** The limits of a folder of skills. Skills beyond them are reported and left out. */
export interface SkillFolderLimits extends SkillLimits {
  /** Skills of the folder. @defaultValue 256 */
  readonly maxSkills?: number | undefined;
  /** Bytes of all skills together, which are kept in memory. @defaultValue 67_108_864 */
  readonly maxBytes?: number | undefined;
}

export interface SkillFolder {
  readonly skills: readonly Skill[];
  /** The absolute paths of all directories that were read. */
  readonly directories: readonly string[];
  /** Why skills are not served. A key stays the same until the reason or the `SKILL.md` changes. */
  readonly problems: ReadonlyMap<string, SdkError>;
}

const DEFAULT_MAX_SKILLS = 256;
const DEFAULT_MAX_BYTES = 67_108_864;

/**
 * Reads a folder.
 * @throws {SdkError} `invalid-argument` for a folder that cannot be read, or a limit that is no number from 1.
 */
export async function readSkillFolder(folder: string, limits: SkillFolderLimits): Promise<SkillFolder> {
  const { maxSkills = DEFAULT_MAX_SKILLS, maxBytes = DEFAULT_MAX_BYTES } = limits;
  checkLimit("maxSkills", maxSkills);
  checkLimit("maxBytes", maxBytes);
  skillLimits(limits);
  const tree = await listTree(folder);
  const divided = divideTree(tree);
  const strays = divided.strays.map(({ path, reason }) => notServed(`${path}: ${reason}`));
  const problems = new Map(strays.map((problem) => [problem.message, problem]));
  const contents = new FolderContents(tree.root, maxBytes);
  const skills: Skill[] = [];
  for (const [path, parts] of [...divided.skills].sort(([a], [b]) => (a < b ? -1 : 1))) {
    try {
      if (skills.length >= maxSkills) throw refused(path, `maxSkills allows ${maxSkills}`);
      skills.push(await readSkill(path, parts, contents, limits));
    } catch (cause) {
      const problem = notServed((cause as Error).message, cause);
      problems.set(`${problem.message} ${await stateOf(join(tree.root, path, SKILL_FILE))}`, problem);
    }
  }
  return { skills, directories: tree.directories, problems };
}

async function readSkill(
  path: string,
  { files, fault }: SkillParts,
  contents: FolderContents,
  limits: SkillLimits,
): Promise<Skill> {
  if (path === "")
    throw refused(path, `${SKILL_FILE} is in the folder itself; move it to a folder named after the skill`);
  if (fault !== undefined) throw refused(path, `${fault.path}: ${fault.reason}`);
  const { maxFiles, maxBytes } = skillLimits(limits);
  // Both limits are checked before any file is read.
  if (files.length > maxFiles) throw refused(path, `${files.length} files; maxSkillFiles allows ${maxFiles}`);
  const sized = await Promise.all(files.map(async (file) => ({ file, size: await contents.sizeOf(file) })));
  const total = sized.reduce((sum, { size }) => sum + size, 0);
  if (total > maxBytes) throw refused(path, `${total} bytes; maxSkillBytes allows ${maxBytes}`);
  const read: [string, Uint8Array][] = [];
  for (const { file, size } of sized) {
    read.push([file.path.slice(path.length + 1), await contents.of(file, size)]);
  }
  return makeSkill({ path, files: Object.fromEntries(read) }, limits);
}

function notServed(complaint: string, cause?: unknown): SdkError {
  return new SdkError("invalid-argument", `skill folder: ${complaint}; it is not served`, { cause });
}

/** Differs between two versions of a file, without reading it. */
function stateOf(path: string): Promise<string> {
  return lstat(path).then(
    ({ size, mtimeMs }) => `${size} ${mtimeMs}`,
    () => "missing",
  );
}

/** Reads each file once: a nested skill has its files in common with the skill around it. */
class FolderContents {
  readonly #root: string;
  readonly #maxBytes: number;
  readonly #read = new Map<TreeFile, Uint8Array>();
  #bytes = 0;

  constructor(root: string, maxBytes: number) {
    this.#root = root;
    this.#maxBytes = maxBytes;
  }

  sizeOf(file: TreeFile): Promise<number> {
    return sizeOfTreeFile(this.#root, file);
  }

  async of(file: TreeFile, size: number): Promise<Uint8Array> {
    const known = this.#read.get(file);
    if (known !== undefined) return known;
    if (this.#bytes + size > this.#maxBytes) {
      throw refused(file.path, `the folder has more than the ${this.#maxBytes} bytes of maxBytes`);
    }
    const bytes = await readTreeFile(this.#root, file, size);
    this.#bytes += bytes.length;
    this.#read.set(file, bytes);
    return bytes;
  }
}

function refused(path: string, complaint: string): SdkError {
  return new SdkError("invalid-argument", path === "" ? complaint : `${path}: ${complaint}`);
}
