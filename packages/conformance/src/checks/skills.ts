/** The skills extension of SEP-2640: the entries of skills, their files, and directories. */
import type { ActiveCheck, CheckArea } from "../judge/check.js";
import {
  ExpectationFailed,
  notApplicable,
  notObserved,
  repeatedIn,
  show,
  want,
  wantError,
  wantResult,
} from "../judge/expectations.js";
import { canonical } from "../judge/json-schema.js";
import { walkPages } from "../judge/offer.js";
import type { Probe } from "../judge/probe.js";
import { describeAnswer, resultOf } from "../target/answer.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import { sha256 } from "../wire/sha256.js";

const EXTENSION = "io.modelcontextprotocol/skills";
const NO_SKILL = "skill://parley-check-no-such-skill/SKILL.md";
const NO_DIRECTORY = "skill://parley-check-no-such-skill";
const DIRECTORY_TYPE = "inode/directory";
const MAX_FILES = 512;
const MAX_BYTES = 16 * 1024 * 1024;

/** An entry whose `resources` are listed. */
interface ListedSkill {
  readonly entry: JsonObject;
  readonly uri: string;
  readonly files: readonly JsonObject[];
}

type Facts = Pick<ActiveCheck, "id" | "requirement" | "title" | "mend" | "atMost" | "since">;

function settingsOf(probe: Probe): unknown {
  const { extensions } = probe.offer.capabilities;
  return isObject(extensions) && EXTENSION in extensions
    ? extensions[EXTENSION]
    : notApplicable("the server declares no skills");
}

function skillCheck(facts: Facts, run: ActiveCheck["run"]): ActiveCheck {
  return {
    ...facts,
    async run(probe) {
      settingsOf(probe);
      await run(probe);
    },
  };
}

/** The entries on all pages. */
async function entriesOf(probe: Probe): Promise<readonly JsonObject[]> {
  const { pages, items } = await walkPages((params) => probe.askOnce("skills/list", params), "skills");
  for (const page of pages) wantResult(page);
  return items.length > 0 ? items : notObserved("the server lists no skill");
}

/** A check of every entry. */
function entryCheck(facts: Facts, faultOf: (entry: JsonObject) => unknown): ActiveCheck {
  return skillCheck(facts, async (probe) => {
    for (const entry of await entriesOf(probe)) {
      const fault = faultOf(entry);
      want(fault === undefined, facts.title, `${show(fault)} in ${show(entry.uri)}`);
    }
  });
}

/** A check of every file of every entry. */
function fileCheck(facts: Facts, faultOf: (file: JsonObject, skill: ListedSkill) => unknown): ActiveCheck {
  return skillCheck(facts, async (probe) => {
    for (const skill of await listedSkills(probe)) {
      for (const file of skill.files) {
        const fault = faultOf(file, skill);
        want(fault === undefined, facts.title, `${show(fault)} of ${show(file.uri)}`);
      }
    }
  });
}

async function listedSkills(probe: Probe): Promise<[ListedSkill, ...ListedSkill[]]> {
  const [first, ...others] = (await entriesOf(probe)).flatMap((entry) =>
    typeof entry.uri === "string" && Array.isArray(entry.resources)
      ? [{ entry, uri: entry.uri, files: entry.resources.filter(isObject) }]
      : [],
  );
  return first ? [first, ...others] : notObserved("no listed skill has its files in its entry");
}

/** A file of a skill other than its SKILL.md. */
async function supportingFile(probe: Probe): Promise<string> {
  const files = (await listedSkills(probe)).flatMap((skill) => skill.files);
  const found = files.find(({ uri }) => typeof uri === "string" && !uri.endsWith("/SKILL.md"));
  return found ? String(found.uri) : notObserved("no listed skill has a file beside its SKILL.md");
}

function directoryOf(uri: string): string {
  return uri.replace(/\/[^/]*$/, "");
}

/** The SKILL.md of a skill as resources/read has it. */
async function readManifest(probe: Probe, uri: string): Promise<{ contents: JsonObject; bytes: Buffer }> {
  const answer = await probe.askOnce("resources/read", { uri });
  const { contents } = wantResult(answer);
  const [first] = Array.isArray(contents) ? contents.filter(isObject) : [];
  const isWhole = first !== undefined && (typeof first.text === "string" || typeof first.blob === "string");
  want(isWhole, "the contents of the file", describeAnswer(answer));
  const bytes = typeof first.text === "string" ? Buffer.from(first.text) : Buffer.from(String(first.blob), "base64");
  return { contents: first, bytes };
}

function assertDirectories(probe: Probe): void {
  const settings = settingsOf(probe);
  if (!isObject(settings) || settings.directoryRead !== true)
    notApplicable("the server does not declare directoryRead");
}

async function childrenOf(probe: Probe, uri: string): Promise<readonly JsonObject[]> {
  const { pages, items } = await walkPages(
    (params) => probe.askOnce("resources/directory/read", { uri, ...params }),
    "resources",
  );
  for (const page of pages) {
    const { resources } = wantResult(page);
    want(Array.isArray(resources) && resources.every(isObject), "an array of resources", describeAnswer(page));
  }
  return items;
}

function directoryCheck(facts: Facts, run: ActiveCheck["run"]): ActiveCheck {
  return skillCheck(facts, async (probe) => {
    assertDirectories(probe);
    await run(probe);
  });
}

export const skills: CheckArea = {
  area: "skills",
  checks: [
    skillCheck(
      {
        id: "skills-settings",
        requirement: "skills:declaration",
        atMost: "warning",
        title: "The settings of the skills extension are an object, and directoryRead in it is true or false.",
        mend: `Declare capabilities.extensions["${EXTENSION}"] as {} or {"directoryRead": true}.`,
      },
      async (probe) => {
        const settings = settingsOf(probe);
        const isRight = isObject(settings) && ["boolean", "undefined"].includes(typeof settings.directoryRead);
        want(isRight, "an object of settings", settings);
      },
    ),
    skillCheck(
      {
        id: "skills-resources-declared",
        requirement: "skills:declaration",
        title: "A server with skills declares resources, which serve their files.",
        mend: "Declare capabilities.resources.",
      },
      async (probe) => {
        const { resources } = probe.offer.capabilities;
        want(isObject(resources), "capabilities.resources", resources);
      },
    ),
    skillCheck(
      {
        id: "skills-list-shape",
        requirement: "skills:list:entries",
        title: "skills/list returns a list of objects under skills.",
        mend: "Implement skills/list, and return skills as an array, which may be empty.",
      },
      async (probe) => {
        const answer = await probe.askOnce("skills/list");
        const found = wantResult(answer).skills;
        want(Array.isArray(found) && found.every(isObject), "an array of objects as skills", describeAnswer(answer));
      },
    ),
    skillCheck(
      {
        id: "skills-list-once",
        requirement: "skills:list:pages",
        title: "The pages of skills/list have each skill once.",
        mend: "Put each entry on one page, as a whole.",
      },
      async (probe) => {
        const uris = (await entriesOf(probe)).map(({ uri }) => uri);
        const twice = repeatedIn(uris);
        want(twice === undefined, "each URI once", `${show(twice)} twice`);
      },
    ),
    ...["skills/list", "skills/get"].map((method) =>
      skillCheck(
        {
          id: `${method.replace("/", "-")}-cache-hints`,
          requirement: "skills:list:cache-hints",
          title: `${method} carries ttlMs and cacheScope.`,
          mend: `Send ttlMs and cacheScope with the result of ${method}.`,
          since: "2026-07-28",
        },
        async (probe) => {
          const params = method === "skills/get" ? { uri: (await entriesOf(probe))[0]?.uri } : {};
          const { ttlMs, cacheScope } = wantResult(await probe.askOnce(method, params));
          const isRight = typeof ttlMs === "number" && ["public", "private"].includes(String(cacheScope));
          want(isRight, "ttlMs and cacheScope", { ttlMs, cacheScope });
        },
      ),
    ),
    entryCheck(
      {
        id: "skills-entry-frontmatter",
        requirement: "skills:list:frontmatter",
        title: "Every entry has the URI of its SKILL.md, and a frontmatter with name and description.",
        mend: "Send uri, and the YAML of SKILL.md as JSON under frontmatter.",
      },
      ({ uri, frontmatter }) => {
        if (typeof uri !== "string" || !uri.endsWith("/SKILL.md")) return { uri };
        const { name, description } = isObject(frontmatter) ? frontmatter : {};
        return typeof name === "string" && typeof description === "string" ? undefined : { frontmatter };
      },
    ),
    entryCheck(
      {
        id: "skills-entry-name",
        requirement: "skills:list:frontmatter",
        title: "The last segment of a skill's path is the name of its frontmatter.",
        mend: "Serve a skill at a path that ends with its name: skill://prefix/name/SKILL.md.",
      },
      ({ uri, frontmatter }) => {
        if (typeof uri !== "string" || !isObject(frontmatter) || typeof frontmatter.name !== "string") return undefined;
        const { name } = frontmatter;
        return directoryOf(uri).endsWith(`/${name}`) ? undefined : { name };
      },
    ),
    entryCheck(
      {
        id: "skills-entry-resources",
        requirement: "skills:list:entries",
        title: 'Every entry has its files as an array under resources, or the text "dynamic".',
        mend: 'Send resources with every entry: the files, or "dynamic" if they have no stable digests.',
      },
      ({ resources }) =>
        resources === "dynamic" || (Array.isArray(resources) && resources.every(isObject)) ? undefined : { resources },
    ),
    skillCheck(
      {
        id: "skills-files-complete",
        requirement: "skills:list:entries",
        title: "The files of an entry are in the directory of the skill, each once, and SKILL.md is one of them.",
        mend: "List every file of the skill's directory once, SKILL.md included.",
      },
      async (probe) => {
        for (const { uri, files } of await listedSkills(probe)) {
          const root = directoryOf(uri);
          const stray = files.find((file) => typeof file.uri !== "string" || !file.uri.startsWith(`${root}/`));
          want(stray === undefined, "files of the skill's directory", stray);
          const uris = files.map((file) => file.uri);
          want(uris.includes(uri), uri, "an entry without its SKILL.md");
          want(new Set(uris).size === uris.length, "each file once", uris);
        }
      },
    ),
    fileCheck(
      {
        id: "skills-file-digests",
        requirement: "skills:list:entries",
        atMost: "warning",
        title: "Each file has a digest: sha256: and 64 hexadecimal digits in lower case.",
        mend: "Send the SHA-256 of the bytes of the file as sha256:{hex}.",
      },
      ({ digest }) => (/^sha256:[0-9a-f]{64}$/.test(String(digest)) ? undefined : { digest }),
    ),
    fileCheck(
      {
        id: "skills-file-sizes",
        requirement: "skills:list:sizes",
        title: "Each file has its size in bytes.",
        mend: "Send the length of the bytes of the file as size.",
      },
      ({ size }) => (Number.isInteger(size) && Number(size) >= 0 ? undefined : { size }),
    ),
    skillCheck(
      {
        id: "skills-limits",
        requirement: "skills:definition:limits",
        title: "No skill has more than 512 files or 16 MiB.",
        mend: "Split the skill: hosts need not load more.",
      },
      async (probe) => {
        for (const { uri, files } of await listedSkills(probe)) {
          const bytes = files.reduce((sum, { size }) => sum + (Number(size) || 0), 0);
          const isSmall = files.length <= MAX_FILES && bytes <= MAX_BYTES;
          want(isSmall, "512 files and 16 MiB", `${files.length} files of ${bytes} bytes in ${uri}`);
        }
      },
    ),
    skillCheck(
      {
        id: "skills-manifest-digest",
        requirement: "skills:resources:read",
        title: "A SKILL.md has the size and the digest of its entry.",
        mend: "Compute size and digest of the bytes that resources/read returns.",
      },
      async (probe) => {
        const [{ uri, files }] = await listedSkills(probe);
        const { size, digest } = files.find((file) => file.uri === uri) ?? {};
        const { bytes } = await readManifest(probe, uri);
        const found = { size: bytes.length, digest: `sha256:${sha256(bytes).toString("hex")}` };
        const isSame = found.digest === digest && (size === undefined || found.size === size);
        want(isSame, show({ size, digest }), show(found));
      },
    ),
    skillCheck(
      {
        id: "skills-manifest-name",
        requirement: "skills:list:frontmatter",
        title: "The frontmatter of a SKILL.md has the name of its entry.",
        mend: "Build the entry out of the frontmatter of SKILL.md.",
      },
      async (probe) => {
        const [{ entry, uri }] = await listedSkills(probe);
        const text = (await readManifest(probe, uri)).bytes.toString();
        const [, yaml] = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(text) ?? [];
        want(yaml !== undefined, "YAML between two lines of ---", text.slice(0, 80));
        const name = /^name:[ \t]*(["']?)([a-z0-9-]+)\1[ \t]*\r?$/m.exec(yaml)?.[2];
        if (name === undefined) notObserved("the checker reads plain names alone");
        const listed = isObject(entry.frontmatter) ? entry.frontmatter.name : undefined;
        want(name === listed, show(listed), name);
      },
    ),
    skillCheck(
      {
        id: "skills-manifest-type",
        requirement: "skills:resources:metadata",
        title: "A SKILL.md has the MIME type text/markdown.",
        mend: "Serve SKILL.md as text/markdown.",
      },
      async (probe) => {
        const [{ uri }] = await listedSkills(probe);
        const { mimeType } = (await readManifest(probe, uri)).contents;
        want(mimeType === "text/markdown", "text/markdown", mimeType);
      },
    ),
    skillCheck(
      {
        id: "skills-resource-names",
        requirement: "skills:resources:metadata",
        title: "A SKILL.md in resources/list has the name and the description of its frontmatter.",
        mend: "Name the resource after the frontmatter of SKILL.md.",
      },
      async (probe) => {
        let seen = 0;
        const resources = new Map(probe.offer.resources.toReversed().map((resource) => [resource.uri, resource]));
        for (const { uri, frontmatter } of await entriesOf(probe)) {
          const resource = resources.get(uri);
          if (!resource || !isObject(frontmatter)) continue;
          seen += 1;
          const isSame = resource.name === frontmatter.name && resource.description === frontmatter.description;
          want(isSame, show(frontmatter), { name: resource.name, description: resource.description });
        }
        if (seen === 0) notObserved("no listed resource is a SKILL.md");
      },
    ),
    skillCheck(
      {
        id: "skills-get",
        requirement: "skills:get:entry",
        title: "skills/get returns the listed entry of a skill, without a cursor.",
        mend: "Return the entry of skills/list under skill.",
      },
      async (probe) => {
        const [entry] = await entriesOf(probe);
        const result = wantResult(await probe.askOnce("skills/get", { uri: entry?.uri }));
        want(canonical(result.skill) === canonical(entry), show(entry), result.skill);
        want(!("nextCursor" in result), "no cursor", result.nextCursor);
      },
    ),
    skillCheck(
      {
        id: "skills-get-unknown",
        requirement: "skills:get:unknown",
        title: "skills/get answers the URI of no skill with -32602.",
        mend: "Answer URIs of no skill with error -32602.",
      },
      async (probe) => {
        wantError(await probe.ask("skills/get", { uri: NO_SKILL }), -32602);
      },
    ),
    skillCheck(
      {
        id: "skills-get-file",
        requirement: "skills:get:unknown",
        title: "skills/get answers the URI of a file beside SKILL.md with -32602.",
        mend: "Serve the URIs of SKILL.md alone.",
      },
      async (probe) => {
        wantError(await probe.ask("skills/get", { uri: await supportingFile(probe) }), -32602);
      },
    ),
    directoryCheck(
      {
        id: "skills-directory",
        requirement: "skills:directory:children",
        title: "resources/directory/read lists the files of a skill's directory, and nothing below them.",
        mend: "Serve the directory of every skill, with its direct children.",
      },
      async (probe) => {
        const [{ uri }] = await listedSkills(probe);
        const root = directoryOf(uri);
        const children = await childrenOf(probe, root);
        const uris = children.map((child) => child.uri);
        want(uris.includes(uri), uri, uris);
        const stray = children.find((child) => typeof child.uri !== "string" || directoryOf(child.uri) !== root);
        if (stray !== undefined) throw new ExpectationFailed("direct children", show(stray), "warning");
      },
    ),
    directoryCheck(
      {
        id: "skills-directory-type",
        requirement: "skills:directory:children",
        atMost: "warning",
        title: "A directory in a directory has the MIME type inode/directory.",
        mend: `List directories with mimeType "${DIRECTORY_TYPE}".`,
      },
      async (probe) => {
        const nested = (await listedSkills(probe)).flatMap(({ uri, files }) => {
          const root = directoryOf(uri);
          const below = files.map((file) => String(file.uri).slice(root.length + 1)).find((path) => path.includes("/"));
          return below === undefined ? [] : [{ root, directory: `${root}/${below.split("/")[0]}` }];
        });
        const [first] = nested;
        if (!first) notObserved("no listed skill has a directory");
        const child = (await childrenOf(probe, first.root)).find(({ uri }) => uri === first.directory);
        want(child?.mimeType === DIRECTORY_TYPE, `${first.directory} as ${DIRECTORY_TYPE}`, child ?? "no such child");
      },
    ),
    directoryCheck(
      {
        id: "skills-directory-unknown",
        requirement: "skills:directory:unknown",
        title: "resources/directory/read answers the URI of nothing with -32602.",
        mend: "Answer URIs of no directory with error -32602.",
      },
      async (probe) => {
        wantError(await probe.ask("resources/directory/read", { uri: NO_DIRECTORY }), -32602);
      },
    ),
    directoryCheck(
      {
        id: "skills-directory-file",
        requirement: "skills:directory:unknown",
        title: "resources/directory/read answers the URI of a file with -32602.",
        mend: "Answer URIs of no directory with error -32602.",
      },
      async (probe) => {
        const [{ uri }] = await listedSkills(probe);
        const answer = await probe.ask("resources/directory/read", { uri });
        want(resultOf(answer) === undefined, "error -32602", describeAnswer(answer));
        wantError(answer, -32602);
      },
    ),
  ],
};
