import { expect, it } from "vitest";
import { parseEntry } from "./listed-skill.js";

const URI = "skill://refunds/SKILL.md";
const FRONTMATTER = { name: "refunds", description: "About" };
const parse = (entry: unknown) => () => parseEntry(entry, {});

it("refuses an entry, and a file of an entry, that is no object", () => {
  expect(parse("refunds")).toThrow("its URI does not end in /<name>/SKILL.md");
  expect(parse({ uri: URI, frontmatter: FRONTMATTER, resources: ["a.md"] })).toThrow("is not a file in its directory");
});

it("takes as many files as the limit says, and no more", () => {
  const resources = ["SKILL.md", "a.md"].map((name) => ({ uri: `skill://refunds/${name}` }));
  const limited = (maxSkillFiles: number) => () =>
    parseEntry({ uri: URI, frontmatter: FRONTMATTER, resources }, { maxSkillFiles });
  expect(limited(1)).toThrow("2 files; maxSkillFiles allows 1");
  expect(limited(2)).not.toThrow("maxSkillFiles");
});
