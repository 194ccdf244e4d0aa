/** The frontmatter of any `SKILL.md`: refused with a reason, or an object that JSON can express, with a name by the rules. */
import { SdkError } from "../../../packages/sdk/src/errors/sdk-error.js";
import { parseFrontmatter } from "../../../packages/sdk/src/skills/frontmatter.js";
import { AWKWARD, mutateText } from "../mutate-text.js";
import { demand, demandEqual, field, type Target } from "../target.js";

const FILES: readonly string[] = [
  "---\nname: git-flow\ndescription: Branches and commits\n---\n# Git flow\n",
  '---\nname: "pdf"\ndescription: >-\n  Reads\n  files\nlicense: MIT\nmetadata: {version: "1.0", tags: [a, b]}\n---\n',
  "---\r\nname: refunds\r\ndescription: |\r\n  Money back\r\nallowed-tools: Read Write\r\n---\r\n",
  "---\nname: a\ndescription: b\nx: &x [1, 2.5, .inf, null, ~, true, 0x1f]\ny: *x\n? [complex]\n: key\n---\n",
];

const TOKENS: readonly string[] = [
  ...AWKWARD,
  "---\n",
  "...\n",
  "\n  ",
  ": ",
  "- ",
  "[",
  "{",
  "}",
  "&a ",
  "*a",
  "!!binary ",
  "!!float ",
  "<<: ",
  "| ",
  "# ",
  "%YAML 1.1\n",
  "__proto__: ",
  "name: ",
];

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export const frontmatter: Target = {
  name: "frontmatter",
  share: 40,
  maxMs: 100,
  outcomes: ["read", "refused"],
  generate(random) {
    return {
      file: random.oneIn(8) ? random.text(TOKENS, 0, 300) : mutateText(random, random.pick(FILES), TOKENS, FILES),
    };
  },
  check(input) {
    try {
      const read = parseFrontmatter(field(input, "file"));
      demandEqual(JSON.parse(JSON.stringify(read)), read, "reads what JSON can express");
      demand(NAME.test(read.name) && read.name.length <= 64, "reads names by the rules", () =>
        JSON.stringify(read.name),
      );
      demand(typeof read.description === "string", "reads a description", () => JSON.stringify(read.description));
      return "read";
    } catch (error) {
      if (!(error instanceof SdkError)) throw error;
      demand(error.code === "invalid-argument", "refuses with invalid-argument", () => error.code);
      return "refused";
    }
  },
};
