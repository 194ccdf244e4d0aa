/** Faults of the skills extension. */
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import { type Mutant, onItem, onMethod, onResult, resultsOf, without } from "./fault-makers.fixture.js";
import { SKILLS } from "./scripted-skills.fixture.js";

/** A change of the first entry of skills/list. */
function onEntry(check: string, change: (entry: JsonObject) => void, also: readonly string[] = []): Mutant {
  return { ...onItem(check, "skills/list", "skills", change), also: ["skills-get", ...also] };
}

/** A change of the files of the first entry. */
function onFiles(check: string, change: (files: JsonObject[]) => void, also: readonly string[] = []): Mutant {
  const changeAll = (entry: JsonObject) => {
    if (Array.isArray(entry.resources)) change(entry.resources);
  };
  return onEntry(check, changeAll, also);
}

/** A change of a SKILL.md that is read. */
function onManifest(check: string, change: (contents: JsonObject) => void, also: readonly string[] = []): Mutant {
  const mutant = onResult(check, "resources/read", ({ contents }) => {
    for (const item of Array.isArray(contents) ? contents.filter(isObject) : []) {
      if (item.uri === "skill://brief/SKILL.md") change(item);
    }
  });
  return { ...mutant, also };
}

export const SKILL_MUTANTS: readonly Mutant[] = [
  onResult("skills-settings", "server/discover", ({ capabilities }) => {
    const extensions = isObject(capabilities) ? capabilities.extensions : undefined;
    if (isObject(extensions)) extensions[SKILLS] = { directoryRead: "yes" };
  }),
  {
    ...onResult("skills-resources-declared", "server/discover", ({ capabilities }) => {
      if (isObject(capabilities)) delete capabilities.resources;
    }),
    also: ["resources-declared", "listen-filter-announced"],
  },
  onResult("skills-list-shape", "skills/list", (result) => {
    result.skills = {};
  }),
  onMethod("skills-list-once", "skills/list", (reply) => {
    for (const result of resultsOf(reply)) {
      const [first] = Array.isArray(result.skills) ? result.skills : [];
      if (Array.isArray(result.skills)) result.skills.push(first);
    }
  }),
  onResult("skills-list-cache-hints", "skills/list", (result) => {
    delete result.ttlMs;
  }),
  onResult("skills-get-cache-hints", "skills/get", (result) => {
    delete result.ttlMs;
  }),
  onEntry(
    "skills-entry-frontmatter",
    ({ frontmatter }) => {
      if (isObject(frontmatter)) delete frontmatter.description;
    },
    ["skills-resource-names"],
  ),
  onEntry(
    "skills-entry-name",
    (entry) => {
      if (isObject(entry.frontmatter)) entry.frontmatter.name = "other";
    },
    ["skills-manifest-name", "skills-resource-names"],
  ),
  onEntry("skills-entry-resources", (entry) => {
    entry.resources = "many";
  }),
  onFiles("skills-files-complete", (files) => {
    files.push({ ...files[0] });
  }),
  onFiles("skills-files-complete", ([, letter]) => {
    if (letter) delete letter.uri;
  }),
  onFiles("skills-file-digests", ([, letter]) => {
    if (letter) letter.digest = String(letter.digest).toUpperCase();
  }),
  onFiles("skills-file-sizes", ([, letter]) => {
    if (letter) delete letter.size;
  }),
  onFiles("skills-limits", ([, letter]) => {
    if (letter) letter.size = 16 * 1024 * 1024;
  }),
  onManifest("skills-manifest-digest", (contents) => {
    contents.text = `${contents.text} `;
  }),
  onManifest(
    "skills-manifest-name",
    (contents) => {
      contents.text = String(contents.text).replace("name: brief", "name: grief");
    },
    ["skills-manifest-digest"],
  ),
  onManifest("skills-manifest-type", (contents) => {
    contents.mimeType = "text/plain";
  }),
  onResult("skills-resource-names", "resources/list", ({ resources }) => {
    for (const item of Array.isArray(resources) ? resources.filter(isObject) : []) {
      if (item.uri === "skill://brief/SKILL.md") item.name = "SKILL.md";
    }
  }),
  onResult("skills-get", "skills/get", ({ skill }) => {
    if (isObject(skill)) skill.uri = "skill://team/guide/SKILL.md";
  }),
  without("skills-get-unknown", "skill uri"),
  without("skills-get-file", "skill file"),
  {
    ...onResult("skills-directory", "resources/directory/read", (result) => {
      result.resources = [];
    }),
    also: ["skills-directory-type"],
  },
  onResult("skills-directory", "resources/directory/read", ({ resources }) => {
    if (Array.isArray(resources)) resources.push({ name: "letter.md", mimeType: "text/markdown" });
  }),
  onResult("skills-directory-type", "resources/directory/read", ({ resources }) => {
    for (const item of Array.isArray(resources) ? resources.filter(isObject) : []) {
      if (item.mimeType === "inode/directory") item.mimeType = "text/directory";
    }
  }),
  without("skills-directory-unknown", "directory uri"),
  without("skills-directory-file", "directory file"),
];
