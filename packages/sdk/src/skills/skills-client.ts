/** Skills at a client: lists them, and reads their files with everything verified that the entry promises. Nothing is read ahead. */
import type { CallOptions } from "../client/call-options.js";
import type { Client } from "../client/client.js";
import { checkLimit, checkMethods } from "../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { SdkError } from "../errors/sdk-error.js";
import type { Resource } from "../protocol/resources.js";
import { decodeBase64 } from "../runtime/base64.js";
import { canonicalJson } from "../runtime/canonical-json.js";
import { createErrorCallback, type ErrorCallback } from "../runtime/error-callback.js";
import { parseFrontmatter } from "./frontmatter.js";
import { checkListedSkill, type ListedSkill, type ListedSkillFile, parseEntry, withLabels } from "./listed-skill.js";
import { contentDigest, LIMIT_OPTIONS, type SkillLimits, skillLimits } from "./skill.js";
import { pathWithin, SKILL_FILE, uriWithin } from "./skill-uri.js";
import { skills as extension, getSkill, listSkills, readDirectory } from "./skills-extension.js";

/** Limits of the skills that a client uses, and what it accepts. */
export interface SkillsClientOptions extends SkillLimits {
  /** Skills of one listing. @defaultValue 1_000 */
  readonly maxSkills?: number | undefined;
  /** Reads skills without digests, whose content nobody can verify. @defaultValue false */
  readonly acceptsUnverified?: boolean | undefined;
  /** Called with every listed skill that cannot be used. @defaultValue console.error */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A file of a skill, after its verification. */
export interface SkillContent {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The bytes as text. @throws TypeError for bytes that are not UTF-8. */
  text(): string;
}

/** A file to read. Without digest and size it cannot be verified. */
type ExpectedFile = Pick<ListedSkillFile, "uri" | "path"> & Partial<ListedSkillFile>;

const DEFAULT_MAX_SKILLS = 1_000;
const OPTIONS: OptionTable<SkillsClientOptions> = {
  ...LIMIT_OPTIONS,
  ...{ maxSkills: true, acceptsUnverified: "boolean", onError: "function" },
};

/**
 * The skills of a connected server.
 *
 * @example
 * const skills = new SkillsClient(client);
 * for (const skill of await skills.list()) console.log(skill.label, skill.description);
 */
export class SkillsClient {
  readonly #client: Client;
  readonly #options: SkillsClientOptions;
  readonly #maxSkills: number;
  readonly #limits: { readonly maxFiles: number; readonly maxBytes: number };
  readonly #report: ErrorCallback;

  /** @throws {SdkError} `invalid-argument` for a value that is no client, an unknown option, or a limit that is no number from 1. */
  constructor(client: Client, options: SkillsClientOptions = {}) {
    checkMethods("SkillsClient", client, "a connected Client", ["request", "listAll", "readResource"]);
    checkOptions("SkillsClient", options, OPTIONS);
    const { maxSkills = DEFAULT_MAX_SKILLS, onError = console.error } = options;
    checkLimit("maxSkills", maxSkills);
    this.#client = client;
    this.#options = options;
    this.#maxSkills = maxSkills;
    this.#limits = skillLimits(options);
    this.#report = createErrorCallback(onError);
  }

  /**
   * Lists the skills of the server, without reading a file. The server may have more: `get` finds a skill by its URI. A skill that
   * cannot be used is reported to `onError` and left out.
   * @throws {SdkError} `capability-not-supported`, and `too-large` for more than `maxSkills`.
   */
  async list(options: CallOptions = {}): Promise<ListedSkill[]> {
    this.#requireExtension();
    const found: ListedSkill[] = [];
    let count = 0;
    for await (const entry of this.#client.listAll(listSkills, {}, options)) {
      count += 1;
      if (count > this.#maxSkills) throw new SdkError("too-large", `skills/list: more than ${this.#maxSkills} skills`);
      try {
        found.push(parseEntry(entry, this.#options));
      } catch (error) {
        this.#report(error as Error);
      }
    }
    return withLabels(found);
  }

  /**
   * The current entry of a skill, also of one that is not listed.
   * @throws {SdkError} `capability-not-supported`, and `invalid-result` for a skill that cannot be used.
   * @throws {ProtocolError} -32602 if the server has no such skill.
   */
  async get(uri: string, options: CallOptions = {}): Promise<ListedSkill> {
    this.#requireExtension();
    const { skill } = await this.#client.request(getSkill, { uri }, options);
    const parsed = parseEntry(skill, this.#options);
    if (parsed.uri !== uri) throw new SdkError("invalid-result", `skills/get: asked for ${uri}, got ${parsed.uri}`);
    return parsed;
  }

  /**
   * Reads a file of a skill, by default its `SKILL.md`. Size and digest must be those of the entry, and the frontmatter of a
   * `SKILL.md` must equal the entry's.
   * @throws {SdkError} `invalid-result` for content that does not fit the entry, `invalid-argument` for a file that it does not list,
   *   or for a value that is no skill of `get` or `list`.
   */
  async read(skill: ListedSkill, path: string = SKILL_FILE, options: CallOptions = {}): Promise<SkillContent> {
    checkListedSkill("read", skill);
    const file = this.#find(skill, path);
    const { contents } = await this.#client.readResource(file.uri, options);
    const content = contents.find(({ uri }) => uri === file.uri);
    if (content === undefined) throw mismatch(file.uri, "the answer has no content of this URI");
    const bytes = "text" in content ? new TextEncoder().encode(content.text) : bytesOf(content.blob);
    await this.#verify(file, bytes);
    const result = { path: file.path, bytes, text: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
    if (file.uri === skill.uri) verifyFrontmatter(skill, result);
    return result;
  }

  /**
   * The direct children of a directory of a skill, by default of its root.
   * @throws {SdkError} `capability-not-supported` if the server is known to lack `directoryRead`, `too-large` for more children than
   *   `maxSkillFiles`.
   */
  async directory(skill: ListedSkill, path = "", options: CallOptions = {}): Promise<Resource[]> {
    checkListedSkill("directory", skill);
    const isUnknown = this.#client.serverCapabilities === undefined;
    if (!isUnknown && this.#client.extension(extension)?.settings.directoryRead !== true) {
      const complaint = "resources/directory/read was not sent: the server did not declare directoryRead";
      throw new SdkError("capability-not-supported", complaint);
    }
    const root = directoryOf(skill.uri);
    const uri = path === "" ? root : safeUri(root, path);
    const children: Resource[] = [];
    for await (const child of this.#client.listAll(readDirectory, { uri }, options)) {
      children.push(child);
      if (children.length > this.#limits.maxFiles)
        throw new SdkError("too-large", `${uri}: more than ${this.#limits.maxFiles} children`);
    }
    return children;
  }

  #requireExtension(): void {
    // Capabilities are unknown with a pinned revision.
    if (this.#client.serverCapabilities === undefined || this.#client.extension(extension) !== undefined) return;
    throw new SdkError("capability-not-supported", `The server did not declare the extension ${extension.id}`);
  }

  /** The file to read. @throws {SdkError} `invalid-argument` for a file that the entry does not list. */
  #find({ uri, files }: ListedSkill, path: string): ExpectedFile {
    const file = files?.find((listed) => listed.path === path);
    if (file !== undefined) return file;
    if (files !== undefined) {
      throw new SdkError("invalid-argument", `skill "${uri}" lists no file ${JSON.stringify(path)}; nothing was read`);
    }
    if (this.#options.acceptsUnverified !== true) {
      const fix = "set acceptsUnverified to read it nevertheless";
      throw new SdkError(
        "invalid-argument",
        `skill "${uri}" has no digests, so its content cannot be verified; ${fix}`,
      );
    }
    return { uri: safeUri(directoryOf(uri), path), path };
  }

  async #verify(file: ExpectedFile, bytes: Uint8Array): Promise<void> {
    if (file.size !== undefined && file.size !== bytes.length) {
      throw mismatch(file.uri, `${bytes.length} bytes instead of ${file.size}`);
    }
    if (bytes.length > this.#limits.maxBytes)
      throw mismatch(file.uri, `more than the ${this.#limits.maxBytes} bytes of maxSkillBytes`);
    if (file.digest !== undefined && (await contentDigest(bytes)) !== file.digest) {
      throw mismatch(file.uri, "the digest is not the one of the entry");
    }
  }
}

/** The directory of a skill, by the URI of its `SKILL.md`. */
function directoryOf(uri: string): string {
  return uri.slice(0, -SKILL_FILE.length - 1);
}

/** @throws {SdkError} `invalid-argument` for a path that leads out of the directory. */
function safeUri(root: string, path: string): string {
  const uri = uriWithin(root, path);
  if (pathWithin(root, uri) !== undefined) return uri;
  throw new SdkError(
    "invalid-argument",
    `${JSON.stringify(path)} is not a relative path such as "references/GUIDE.md"`,
  );
}

function verifyFrontmatter(skill: ListedSkill, content: SkillContent): void {
  let found: object;
  try {
    found = parseFrontmatter(content.text());
  } catch (cause) {
    throw mismatch(skill.uri, "its frontmatter cannot be read", cause);
  }
  if (canonicalJson(found) === canonicalJson(skill.frontmatter)) return;
  throw mismatch(skill.uri, "its frontmatter is not the one of the entry");
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(decodeBase64(base64), (character) => character.charCodeAt(0));
}

function mismatch(uri: string, complaint: string, cause?: unknown): SdkError {
  const fix = "the content was not used; get the skill again, and ask its user again";
  return new SdkError("invalid-result", `${uri}: ${complaint}; ${fix}`, { cause });
}
