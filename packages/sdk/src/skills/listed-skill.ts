/** A skill as a client may use it: an entry of a server whose structure was checked. Nothing of its content was read. */
import { describeKind } from "../errors/option-table.js";
import { SdkError } from "../errors/sdk-error.js";
import { isJsonObject } from "../runtime/json.js";
import { type SkillLimits, skillLimits } from "./skill.js";
import { isSkillName, nameIn, pathWithin, rootOf, SKILL_FILE } from "./skill-uri.js";
import type { SkillFrontmatter } from "./skills-extension.js";

/** A file that the entry of a skill lists. */
export interface ListedSkillFile {
  readonly uri: string;
  /** The path below the skill's directory, decoded. */
  readonly path: string;
  readonly digest: string;
  readonly size: number | undefined;
}

/** A skill of a server. The name is a label: two skills may have the same one. The URI identifies the skill. */
export interface ListedSkill {
  readonly uri: string;
  readonly name: string;
  /** The name, or the whole path if another skill of the listing has the same name. */
  readonly label: string;
  readonly description: string;
  readonly frontmatter: SkillFrontmatter;
  /** Every file of the skill. Undefined for a skill whose content has no digests. */
  readonly files: readonly ListedSkillFile[] | undefined;
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Checks an entry. @throws {SdkError} `invalid-result` with the reason. */
export function parseEntry(entry: unknown, limits: SkillLimits): ListedSkill {
  const { uri, frontmatter, resources } = isJsonObject(entry) ? entry : {};
  const root = typeof uri === "string" ? rootOf(uri) : undefined;
  if (typeof uri !== "string" || root === undefined) throw refused(uri, "its URI does not end in /<name>/SKILL.md");
  if (!isJsonObject(frontmatter)) throw refused(uri, "it has no frontmatter");
  const { name, description } = frontmatter;
  if (!isSkillName(name) || name !== nameIn(root)) throw refused(uri, "its name is not the last segment of its path");
  if (typeof description !== "string" || description === "") throw refused(uri, "it has no description");
  const isDynamic = resources === undefined || resources === "dynamic";
  const files = isDynamic ? undefined : parseFiles(uri, root, resources, limits);
  return { uri, name, label: name, description, frontmatter: { ...frontmatter, name, description }, files };
}

/** Checks the argument of a call, which may be a URI by mistake. @throws {SdkError} `invalid-argument` */
export function checkListedSkill(call: string, skill: unknown): void {
  if (isJsonObject(skill) && typeof skill.uri === "string" && typeof skill.name === "string") return;
  const got = skill instanceof Promise ? "a promise; await it" : describeKind(skill);
  throw new SdkError("invalid-argument", `${call}: expected a skill that get() or list() returned, got ${got}`);
}

/** Gives skills with the same name their path as a label. */
export function withLabels(skills: readonly ListedSkill[]): ListedSkill[] {
  const counts = new Map<string, number>();
  for (const { name } of skills) counts.set(name, (counts.get(name) ?? 0) + 1);
  return skills.map((skill) => (counts.get(skill.name) === 1 ? skill : { ...skill, label: labelOf(skill.uri) }));
}

/** The path of a skill. With its scheme, unless that is `skill`: two schemes may have the same path. */
function labelOf(uri: string): string {
  const root = uri.slice(0, -SKILL_FILE.length - 1);
  return root.startsWith("skill://") ? root.slice("skill://".length) : root;
}

function parseFiles(uri: string, root: string, resources: unknown, limits: SkillLimits): ListedSkillFile[] {
  const { maxFiles, maxBytes } = skillLimits(limits);
  if (!Array.isArray(resources)) throw refused(uri, "its resources are no list");
  if (resources.length > maxFiles) throw refused(uri, `${resources.length} files; maxSkillFiles allows ${maxFiles}`);
  const files = resources.map((resource) => parseFile(uri, root, resource));
  const total = files.reduce((sum, { size = 0 }) => sum + size, 0);
  if (total > maxBytes) throw refused(uri, `${total} bytes; maxSkillBytes allows ${maxBytes}`);
  // Lower case: some file systems do not tell cases apart.
  const paths = new Set(files.map(({ path }) => path.normalize().toLowerCase()));
  if (paths.size < files.length) throw refused(uri, "it lists a file twice");
  if (!files.some((file) => file.uri === uri)) throw refused(uri, "it does not list its SKILL.md");
  return files;
}

function parseFile(owner: string, root: string, resource: unknown): ListedSkillFile {
  const { uri, digest, size } = isJsonObject(resource) ? resource : {};
  const path = typeof uri === "string" ? pathWithin(root, uri) : undefined;
  if (typeof uri !== "string" || path === undefined) {
    throw refused(owner, `${JSON.stringify(uri)} is not a file in its directory`);
  }
  if (typeof digest !== "string" || !DIGEST.test(digest)) throw refused(owner, `${path} has no SHA-256 digest`);
  if (size !== undefined && (!Number.isSafeInteger(size) || Number(size) < 0)) {
    throw refused(owner, `${path} has no valid size`);
  }
  return { uri, path, digest, size: size === undefined ? undefined : Number(size) };
}

function refused(uri: unknown, complaint: string): SdkError {
  return new SdkError("invalid-result", `skill ${JSON.stringify(uri)}: ${complaint}; it cannot be used`);
}
