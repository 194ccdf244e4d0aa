/** The YAML frontmatter of a `SKILL.md`, read as JSON. A peer's frontmatter is not trusted: length, depth and aliases are bounded. */
import { Composer, type CST, Parser } from "yaml";
import { SdkError } from "../errors/sdk-error.js";
import { isJsonObject } from "../runtime/json.js";
import { isSkillName } from "./skill-uri.js";
import type { SkillFrontmatter } from "./skills-extension.js";

/** The parser takes 100 ms for this many characters at worst. */
const MAX_CHARACTERS = 16_384;
const MAX_DEPTH = 32;
/** Keys and values. The parser compares the keys of a mapping with each other. */
const MAX_NODES = 2_048;
/** Agent Skills limits a description to 1,024 characters. */
const MAX_DESCRIPTION = 1_024;

/** Errors of values that are right in quotes. */
const QUOTABLE: ReadonlySet<string> = new Set(["BLOCK_AS_IMPLICIT_KEY", "BAD_SCALAR_START", "UNEXPECTED_TOKEN"]);

const BLOCK = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?\n)---[ \t]*(?:\r?\n|$)/;

/**
 * Reads the frontmatter of a `SKILL.md`.
 * @throws {SdkError} `invalid-argument` if the text has none, or breaks the rules of Agent Skills.
 *
 * @example
 * const { name, description } = parseFrontmatter("---\nname: git-flow\ndescription: Branches and commits\n---\n# Git flow");
 */
export function parseFrontmatter(text: string): SkillFrontmatter {
  const [, yaml] = BLOCK.exec(text.slice(0, MAX_CHARACTERS)) ?? [];
  if (yaml === undefined) {
    throw refused(`expected YAML between two lines "---" in the first ${MAX_CHARACTERS} characters`);
  }
  const value = parseYaml(yaml);
  if (!isJsonObject(value)) throw refused("expected a YAML mapping with name and description");
  checkJson(value);
  const { name, description } = value;
  if (!isSkillName(name)) {
    throw refused("name: expected up to 64 lower-case letters, digits and single hyphens between them");
  }
  if (typeof description !== "string" || description.trim() === "" || description.length > MAX_DESCRIPTION) {
    throw refused(`description: expected text of 1 to ${MAX_DESCRIPTION} characters`);
  }
  return { ...value, name, description };
}

function parseYaml(yaml: string): unknown {
  const tokens = [...new Parser().parse(yaml)];
  // The composer recurses. Node ends the process if it runs out of stack while it compiles a pattern.
  checkSize(tokens);
  const [document, ...others] = new Composer({ logLevel: "silent", stringKeys: true, prettyErrors: false }).compose(
    tokens,
    true,
    yaml.length,
  );
  const fault = document?.errors[0];
  if (fault !== undefined) {
    const fix = QUOTABLE.has(fault.code) ? '; put the value in quotes, such as description: "Refunds: how"' : "";
    throw refused(`invalid YAML in line ${lineAt(yaml, fault.pos[0])} of the file: ${fault.message}${fix}`);
  }
  if (others.length > 0) throw refused("invalid YAML: expected one document");
  try {
    // 0 refuses aliases, which could expand a few bytes to gigabytes.
    return document?.toJS({ maxAliasCount: 0 });
  } catch (cause) {
    throw refused("YAML aliases are not accepted; repeat the value", cause);
  }
}

/** The line of the `SKILL.md`, counted from 1. The line "---" precedes the YAML. */
function lineAt(yaml: string, position: number): number {
  return yaml.slice(0, position).split("\n").length + 1;
}

/** @throws {SdkError} `invalid-argument` for too many levels, or too many keys and values. */
function checkSize(tokens: readonly CST.Token[]): void {
  const open: { readonly token: CST.Token; readonly depth: number }[] = tokens.map((token) => ({ token, depth: 0 }));
  let nodes = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    nodes += 1;
    if (depth > MAX_DEPTH) throw refused(`expected at most ${MAX_DEPTH} levels`);
    if (nodes > MAX_NODES) throw refused(`expected at most ${MAX_NODES} keys and values`);
    if (token.type === "document" && token.value) open.push({ token: token.value, depth });
    if (!("items" in token)) continue;
    for (const { key, value } of token.items) {
      for (const inner of [key, value]) if (inner) open.push({ token: inner, depth: depth + 1 });
    }
  }
}

/** Refuses values of YAML that JSON does not have: NaN, infinities, binary data, sets and ordered maps. The depth is bounded already. */
function checkJson(value: unknown): void {
  if (typeof value === "number" && !Number.isFinite(value)) throw refused(`${value} is not a number in JSON`);
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) {
    throw refused("values that JSON lacks are not accepted; remove tags such as !!binary and !!set");
  }
  for (const member of Object.values(value)) checkJson(member);
}

function refused(complaint: string, cause?: unknown): SdkError {
  return new SdkError("invalid-argument", `SKILL.md frontmatter: ${complaint}`, { cause });
}
