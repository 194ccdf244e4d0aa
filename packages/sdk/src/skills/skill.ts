/** A skill as a server holds it: its frontmatter, and every file with its digest. Files are in memory, so no request reads a disk. */
import { checkLimit } from "../errors/option-checks.js";
import { describeKind, type OptionTable } from "../errors/option-table.js";
import { SdkError, withErrorPrefix } from "../errors/sdk-error.js";
import { toHex } from "../runtime/hexadecimal.js";
import { isJsonObject } from "../runtime/json.js";
import { parseFrontmatter } from "./frontmatter.js";
import { mimeTypeOf } from "./mime-type.js";
import { isSafeSegment, nameIn, rootOf, SKILL_FILE, uriWithin } from "./skill-uri.js";
import type { SkillEntry, SkillFrontmatter } from "./skills-extension.js";

/** A file of a skill: text, bytes, or a function that computes them. */
export type SkillFileContent = string | Uint8Array | (() => string | Uint8Array | Promise<string | Uint8Array>);

/** A skill to serve. */
export interface SkillDefinition {
  /**
   * The path of the skill in the `skill://` scheme, such as `acme/billing/refunds`, or the full URI of its `SKILL.md` in another
   * scheme. The last segment is the skill's name.
   */
  readonly path: string;
  /**
   * The files by their path in the skill, such as `references/GUIDE.md`. `SKILL.md` is required. Functions are called when the skill is
   * served, and by `refresh`: clients see one content until then, with its digest.
   */
  readonly files: { readonly [path: string]: SkillFileContent };
}

/** The limits of a skill. The defaults are those of the extension. */
export interface SkillLimits {
  /** Files of one skill. @defaultValue 512 */
  readonly maxSkillFiles?: number | undefined;
  /** Bytes of one skill, all files together. @defaultValue 16_777_216 */
  readonly maxSkillBytes?: number | undefined;
}

export interface ServedFile {
  readonly uri: string;
  readonly path: string;
  /** Text if the bytes are UTF-8. */
  readonly content: string | Uint8Array;
  readonly mimeType: string;
  readonly digest: string;
  readonly size: number;
}

export interface Skill {
  readonly uri: string;
  readonly root: string;
  readonly frontmatter: SkillFrontmatter;
  /** In order of their URIs. */
  readonly files: readonly ServedFile[];
}

export const LIMIT_OPTIONS: OptionTable<SkillLimits> = { maxSkillFiles: true, maxSkillBytes: true };
const DEFAULT_MAX_FILES = 512;
const DEFAULT_MAX_BYTES = 16_777_216;

/** @throws {SdkError} `invalid-argument` */
export function skillLimits(limits: SkillLimits): { readonly maxFiles: number; readonly maxBytes: number } {
  const { maxSkillFiles: maxFiles = DEFAULT_MAX_FILES, maxSkillBytes: maxBytes = DEFAULT_MAX_BYTES } = limits;
  checkLimit("maxSkillFiles", maxFiles);
  checkLimit("maxSkillBytes", maxBytes);
  return { maxFiles, maxBytes };
}

/** Checks a skill and computes its digests. @throws {SdkError} `invalid-argument` */
export async function makeSkill(definition: SkillDefinition, limits: SkillLimits): Promise<Skill> {
  checkDefinition(definition);
  const { path, files } = definition;
  const owner = `skill "${path}"`;
  const { maxFiles, maxBytes } = skillLimits(limits);
  const uri = path.includes("://") ? path : uriWithin(uriWithin("skill:/", path), SKILL_FILE);
  const root = rootOf(uri);
  if (root === undefined) {
    throw refused(owner, 'path: expected segments such as "acme/refunds", or a URI that ends in /<name>/SKILL.md');
  }
  const given = Object.entries(files);
  if (given.length > maxFiles) throw refused(owner, `${given.length} files; maxSkillFiles allows ${maxFiles}`);
  const contents: { readonly name: string; readonly bytes: Uint8Array }[] = [];
  let total = 0;
  // One after the other, so that no function is called beyond the limit.
  for (const [name, content] of given) {
    const bytes = toBytes(owner, name, await computed(owner, name, content));
    total += bytes.length;
    if (total > maxBytes) throw refused(owner, `${total} bytes; maxSkillBytes allows ${maxBytes}`);
    contents.push({ name, bytes });
  }
  const served = await Promise.all(contents.map(({ name, bytes }) => serveFile(root, name, bytes)));
  const manifest = served.find((file) => file.uri === uri);
  if (typeof manifest?.content !== "string") throw refused(owner, `files: expected ${SKILL_FILE}, as UTF-8 text`);
  const { content } = manifest;
  const frontmatter = withErrorPrefix(owner, () => parseFrontmatter(content));
  if (frontmatter.name !== nameIn(root)) {
    throw refused(owner, `the last segment is not the name "${frontmatter.name}" of its ${SKILL_FILE}; rename one`);
  }
  return { uri, root, frontmatter, files: served.sort((one, other) => (one.uri < other.uri ? -1 : 1)) };
}

/** The entry of a skill in `skills/list` and `skills/get`. */
export function entryOf({ uri, frontmatter, files }: Skill): SkillEntry {
  return { uri, frontmatter, resources: files.map(({ uri, digest, size }) => ({ uri, digest, size })) };
}

function checkDefinition(definition: unknown): void {
  if (isJsonObject(definition) && typeof definition.path === "string" && isJsonObject(definition.files)) return;
  const got = isJsonObject(definition)
    ? `path: ${describeKind(definition.path)}, files: ${describeKind(definition.files)}`
    : describeKind(definition);
  throw refused("skill", `expected { path: "git-flow", files: { "SKILL.md": text } }, got ${got}`);
}

async function computed(owner: string, path: string, content: SkillFileContent): Promise<unknown> {
  if (typeof content !== "function") return content;
  try {
    return await content();
  } catch (cause) {
    throw new SdkError("invalid-argument", `${owner}: files: "${path}": its function failed`, { cause });
  }
}

function toBytes(owner: string, path: string, content: unknown): Uint8Array {
  if (!path.split("/").every(isSafeSegment) || !path.isWellFormed()) {
    throw refused(owner, `files: "${path}" is not a relative path such as "references/GUIDE.md"`);
  }
  if (typeof content === "string") return new TextEncoder().encode(content);
  if (isShared(content)) {
    throw refused(owner, `files: "${path}": expected bytes that no other thread can change; copy them: bytes.slice()`);
  }
  if (content instanceof Uint8Array) return content;
  throw refused(owner, `files: "${path}": expected text or bytes, got ${typeof content}`);
}

/** By the tag: browsers without cross-origin isolation have no `SharedArrayBuffer` to compare with. */
function isShared(content: unknown): boolean {
  return ArrayBuffer.isView(content) && Object.prototype.toString.call(content.buffer) === "[object SharedArrayBuffer]";
}

async function serveFile(root: string, path: string, bytes: Uint8Array): Promise<ServedFile> {
  const text = asText(bytes);
  return {
    uri: uriWithin(root, path),
    path,
    content: text ?? bytes,
    mimeType: mimeTypeOf(path, text !== undefined),
    digest: await contentDigest(bytes),
    size: bytes.length,
  };
}

/** The text of UTF-8 bytes, whose encoding gives the same bytes back. Undefined for other bytes. */
function asText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function refused(owner: string, complaint: string): SdkError {
  return new SdkError("invalid-argument", `${owner}: ${complaint}`);
}

/** The digest of a file's raw bytes: `sha256:` and 64 lower-case hexadecimal digits. */
export async function contentDigest(bytes: Uint8Array): Promise<string> {
  // The type of `digest` excludes shared memory, which `toBytes` refuses.
  const hash = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return `sha256:${toHex(new Uint8Array(hash))}`;
}
