/** Every sentence of the specification that binds an implementation has a verdict, and each verdict rests on something. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { requirements } from "parley-requirements";
import { describe, expect, test } from "vitest";
import { digestOf, prefixOf, rowsOf, sentencesIn, sentencesOf, sentencesOfSchema } from "../scripts/normative.js";
import { readSource } from "./source-files.js";

const DECISION = "decision:";

/** What a verdict needs in its last column. */
const VERDICTS: Readonly<Record<string, "requirements" | "decisions" | "a reason" | "nothing">> = {
  /** A requirement of the manifest holds it. */
  held: "requirements",
  /** A decision says why it is held in part, or in another way. */
  decided: "decisions",
  /** It asks for what other sentences ask for, one by one. */
  sum: "a reason",
  /** It obliges nobody to do anything here. */
  none: "a reason",
  /** It is about a part of the protocol that is not implemented. */
  excluded: "a reason",
  /** It binds the application: the host of a client, or the author of a server. */
  host: "nothing",
};

/** Who a sentence binds: a side of the protocol, a party of OAuth, or the application. */
const SIDES = ["server", "client", "both", "authorization-server", "identity-provider", "host"];

type Row = ReturnType<typeof rowsOf>[number];

describe("the table of sentences", () => {
  const rows = rowsOf(readSource("repository/normative.tsv").text);
  const decisions = new Set([...readSource("docs/decisions.md").text.matchAll(/^### (.+)$/gm)].map(([, name]) => name));
  const named = ({ by }: Row) => by.split(" ").filter((name) => name.includes(":"));

  test("is read", () => {
    expect(rows.length).toBeGreaterThan(1_250);
  });

  test("has each id once, with a digest, a level and a side", () => {
    const ids = rows.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const prefixes = /^(?:25|26|2503|2506|ext-auth|ext-apps|ext-skills|ext-tasks)-[\w.-]+-\d{3}$/;
    expect(ids.filter((id) => !prefixes.test(id))).toEqual([]);
    expect(rows.filter(({ digest }) => !/^[0-9a-f]{8}$/.test(digest))).toEqual([]);
    expect(rows.filter(({ level }) => !/^(?:MUST|SHOULD|REQUIRED|RECOMMENDED)/.test(level))).toEqual([]);
    expect(rows.filter(({ side }) => !SIDES.includes(side))).toEqual([]);
  });

  test("has rows of every page on authorization", () => {
    const pages = ["authorization-server-discovery", "client-registration", "index", "security-considerations"];
    const expected = [
      ...pages.map((page) => `26-basic.authorization.${page}`),
      ...["25", "2506", "2503"].map((revision) => `${revision}-basic.authorization`),
      "ext-auth-enterprise-managed-authorization",
      "ext-auth-oauth-client-credentials",
    ];
    const count = (page: string) => rows.filter(({ id }) => id.slice(0, -"-000".length) === page).length;
    expect(expected.map(count)).toEqual([16, 26, 62, 30, 105, 56, 40, 25, 9]);
  });

  test("has rows of both pages on tasks", () => {
    const count = (prefix: string) => rows.filter(({ id }) => id.startsWith(prefix)).length;
    expect(["25-basic.utilities.tasks-", "ext-tasks-tasks-"].map(count)).toEqual([83, 54]);
  });

  test("has rows of the apps and the skills extension", () => {
    const count = (prefix: string) => rows.filter(({ id }) => id.startsWith(prefix)).length;
    expect([count("ext-apps-"), count("ext-skills-")]).toEqual([58, 62]);
  });

  test("leaves nothing open", () => {
    expect(rows.filter(({ verdict }) => !Object.hasOwn(VERDICTS, verdict))).toEqual([]);
  });

  test("gives each verdict what it rests on", () => {
    const lacking = rows.filter((row) => {
      const names = named(row);
      if (VERDICTS[row.verdict] === "requirements") return names.every((name) => name.startsWith(DECISION));
      if (VERDICTS[row.verdict] === "decisions") return !names.some((name) => name.startsWith(DECISION));
      return (row.by === "") !== (VERDICTS[row.verdict] === "nothing");
    });
    expect(lacking).toEqual([]);
  });

  test("names requirements and decisions that exist", () => {
    const unknown = rows
      .filter(({ verdict }) => verdict === "held" || verdict === "decided")
      .flatMap((row) => named(row).map((name) => [row.id, name] as const))
      .filter(([, name]) =>
        name.startsWith(DECISION) ? !decisions.has(name.slice(DECISION.length)) : !Object.hasOwn(requirements, name),
      );
    expect(unknown).toEqual([]);
  });
});

describe("reading the specification", () => {
  const sentences = (page: string) => sentencesOf(page).map(({ section, sentence }) => `${section}: ${sentence}`);

  test("takes sentences with a key word, and leaves out code, front matter and what is lower case", () => {
    const page = [
      "---",
      "title: You MUST not read this",
      "---",
      "## [Ends](#ends)",
      "It must be. A server **MUST**",
      "send `x` (e.g. Once). It may rest.",
      "```json",
      "This SHOULD be left out.",
      "```",
      "> Quotes are RECOMMENDED.",
      "",
      "[MUST]: /link",
    ].join("\n");
    expect(sentences(page)).toEqual(["Ends: A server MUST send `x` (e.g. Once).", "Ends: Quotes are RECOMMENDED."]);
  });

  test("puts the sentence that leads a list in before each of its items", () => {
    const page = [
      "A server SHOULD do three things. It **MUST**:",
      "",
      "1. Stop",
      "   at once. And then rest",
      "2. Answer, which means:",
      "   - first this",
      "- Items:",
      "  - one that SHOULD count",
      "",
      "Both MUST do so:",
      "",
      "# Next",
      "- without a lead",
    ].join("\n");
    expect(sentences(page)).toEqual([
      ": A server SHOULD do three things.",
      ": It MUST: Stop at once. And then rest",
      ": It MUST: Answer, which means:",
      ": It MUST: Items:",
      ": one that SHOULD count",
      ": Both MUST do so:",
    ]);
  });

  test("takes a row of a table as one sentence", () => {
    expect(sentences("| a | b |\n|---|---|\n| x | It MUST. Or not |\n| y | z |")).toEqual([
      ": | x | It MUST. Or not |",
    ]);
  });

  test("takes the comments of a schema, with the name that follows", () => {
    const schema = [
      "/**",
      " * Keys MUST follow {@link Meta | the rules}.",
      " * @example It SHOULD be left out",
      " * {@includeCode ./MUST.json}",
      " */",
      "export interface Capabilities {",
      "  /** This SHOULD be short. */",
      "  name: string;",
      "}",
      "// This MUST be left out.",
    ].join("\n");
    expect(sentencesOfSchema(schema)).toEqual([
      { section: "Capabilities", sentence: "Keys MUST follow the rules." },
      { section: "name", sentence: "This SHOULD be short." },
    ]);
  });

  test("takes all pages of a source that are read, and of older revisions authorization alone", () => {
    const checkout = mkdtempSync(join(tmpdir(), "parley-specification-"));
    const pages = [
      "docs/specification/2026-07-28/basic/authorization/index.mdx",
      "docs/specification/2025-11-25/basic/authorization.mdx",
      "docs/specification/2025-11-25/basic/utilities/tasks.mdx",
      "docs/specification/2025-06-18/basic/authorization.mdx",
      "docs/specification/2025-06-18/basic/lifecycle.mdx",
      "specification/draft/extension.mdx",
      "specification/draft/page.md",
      "specification/2026-01-26/apps.mdx",
      "docs/sep-draft-skills-extension.md",
      "docs/other.md",
    ];
    for (const page of pages) {
      mkdirSync(dirname(join(checkout, page)), { recursive: true });
      writeFileSync(join(checkout, page), "A client MUST read.");
    }
    const idsOf = (source: string) => sentencesIn(checkout, source).map(({ page }) => `${prefixOf(source)}${page}`);
    try {
      expect(idsOf("2026-07-28")).toEqual(["26-basic/authorization/index"]);
      expect(idsOf("2025-11-25")).toEqual(["25-basic/authorization", "25-basic/utilities/tasks"]);
      expect(idsOf("2025-06-18")).toEqual(["2506-basic/authorization"]);
      expect(idsOf("ext-auth")).toEqual(["ext-auth-extension", "ext-auth-page"]);
      expect(idsOf("ext-apps")).toEqual(["ext-apps-apps"]);
      expect(idsOf("ext-skills")).toEqual(["ext-skills-sep-draft-skills-extension"]);
      expect(() => idsOf("2024-11-05")).toThrow("expected one of 2025-03-26, ");
    } finally {
      rmSync(checkout, { recursive: true });
    }
  });

  test("tells sentences apart by their words alone", () => {
    expect(digestOf("A server **MUST** send `x`.")).toBe(digestOf("a server must\nsend x"));
    expect(digestOf("A server MUST send x")).not.toBe(digestOf("A server MUST send y"));
  });
});
