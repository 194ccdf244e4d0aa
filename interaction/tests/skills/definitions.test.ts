import { McpServer } from "parley-mcp/server";
import { parseFrontmatter, type SkillDefinition, serveSkills } from "parley-mcp/skills";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const manifest = (name: string) => `---\nname: ${name}\ndescription: About ${name}\n---\n`;
const serving = (definition: SkillDefinition, options = {}) =>
  serveSkills(new McpServer({ name: "skilled", version: "1.0.0" }), [definition], options);

verifies("skills:definition:refused", "each malformed skill definition is refused with its reason", async () => {
  const cases: [path: string, files: SkillDefinition["files"], reason: string][] = [
    ["empty", {}, "expected SKILL.md"],
    ["bytes", { "SKILL.md": Uint8Array.of(0xff) }, "expected SKILL.md, as UTF-8 text"],
    ["plain", { "SKILL.md": "# No frontmatter" }, 'expected YAML between two lines "---"'],
    ["one", { "SKILL.md": manifest("other") }, 'the last segment is not the name "other"'],
    ["Upper", { "SKILL.md": manifest("Upper") }, "name: expected up to 64 lower-case letters"],
    ["a--b", { "SKILL.md": manifest("a--b") }, "name: expected"],
    ["long", { "SKILL.md": manifest("a".repeat(65)) }, "name: expected"],
    ["mute", { "SKILL.md": "---\nname: mute\n---\n" }, "description: expected text"],
    [
      "wordy",
      { "SKILL.md": `---\nname: wordy\ndescription: ${"a".repeat(1_025)}\n---\n` },
      "description: expected text",
    ],
    ["../up", { "SKILL.md": manifest("up") }, "path: expected segments"],
    ["a//up", { "SKILL.md": manifest("up") }, "path: expected segments"],
    ["https://acme.example/up", { "SKILL.md": manifest("up") }, "path: expected segments"],
    ["up", { "SKILL.md": manifest("up"), "../up.md": "" }, '"../up.md" is not a relative path'],
    ["up", { "SKILL.md": manifest("up"), "/etc/passwd": "" }, '"/etc/passwd" is not a relative path'],
    ["up", { "SKILL.md": manifest("up"), "C:\\x": "" }, "is not a relative path"],
  ];

  for (const [path, files, reason] of cases) {
    const refused = await serving({ path, files }).catch((error: unknown) => error);
    expect(refused, path).toMatchObject({ code: "invalid-argument", message: expect.stringContaining(reason) });
  }
});

verifies(
  "skills:definition:limits",
  "a skill over the limit of files or of bytes is refused, and the limits can be set",
  async () => {
    const files = (count: number, size = 0): SkillDefinition["files"] => ({
      "SKILL.md": manifest("big"),
      ...Object.fromEntries(Array.from({ length: count - 1 }, (_, index) => [`${index}.bin`, new Uint8Array(size)])),
    });

    expect((await serving({ path: "big", files: files(512) })).uris).toHaveLength(1);
    await expect(serving({ path: "big", files: files(513) })).rejects.toThrow("maxSkillFiles allows 512");
    await expect(serving({ path: "big", files: files(2, 16_777_216) })).rejects.toThrow(
      "maxSkillBytes allows 16777216",
    );
    await expect(serving({ path: "big", files: files(3) }, { maxSkillFiles: 2 })).rejects.toThrow("allows 2");
  },
);

verifies(
  "skills:frontmatter:hostile",
  "frontmatter with aliases, too many levels, too many characters or values that JSON lacks is refused with the reason",
  () => {
    const bomb = [
      "a: &a [x, x]",
      ...[..."bcdefgh"].map((key, i) => `${key}: &${key} [*${"abcdefg"[i]}, *${"abcdefg"[i]}]`),
    ];
    const cases: [yaml: string, reason: string][] = [
      [bomb.join("\n"), "YAML aliases are not accepted"],
      ["a: &a x\nb: *a", "YAML aliases are not accepted"],
      [`a: ${"[".repeat(8_000)}`, "at most 32 levels"],
      [`${"- ".repeat(8_000)}x`, "at most 32 levels"],
      [`${"? ".repeat(8_000)}x`, "at most 32 levels"],
      [`a: ${"{a: ".repeat(3_000)}`, "at most 32 levels"],
      [`a: ${"x".repeat(16_384)}`, "in the first 16384 characters"],
      ["a: 1\na: 2", "invalid YAML"],
      ["a: 1\n---\nb: 2", "SKILL.md frontmatter"],
      ["a: 1\n...\nb: 2", "expected one document"],
      ["a: .nan", "not a number in JSON"],
      ["a: !!binary aGk=", "values that JSON lacks"],
      ["a: [!!set {b, c}]", "values that JSON lacks"],
      ["a: !!omap [b: 1]", "values that JSON lacks"],
      ["- a", "expected a YAML mapping"],
    ];

    for (const [yaml, reason] of cases)
      expect(() => parseFrontmatter(`---\n${yaml}\n---\n`), yaml.slice(0, 30)).toThrow(reason);
  },
);

verifies(
  "skills:computed:refused",
  "a function of a file that fails or returns too much is reported with its file, and no function after it is called",
  async () => {
    const server = new McpServer({ name: "skilled", version: "1.0.0" });
    let content: () => unknown = () => "fine";
    const called: string[] = [];
    const files = {
      "SKILL.md": manifest("late"),
      "a.md": () => content() as string,
      "b.md": () => {
        called.push("b.md");
        return "";
      },
    };
    const served = await serveSkills(server, [{ path: "late", files }], { maxSkillBytes: 1_000 });
    const failure = new Error("no database");
    const cases: [content: () => unknown, complaint: string, cause?: Error][] = [
      [() => Promise.reject(failure), 'skill "late": files: "a.md": its function failed', failure],
      [() => 7, 'files: "a.md": expected text or bytes, got number'],
      [() => new Uint8Array(new SharedArrayBuffer(8)), 'files: "a.md": expected bytes that no other thread can change'],
      [() => "x".repeat(1_001), "maxSkillBytes allows 1000"],
    ];
    called.length = 0;

    for (const [given, complaint, cause] of cases) {
      content = given;
      await expect(served.refresh()).rejects.toMatchObject({
        message: expect.stringContaining(complaint),
        ...(cause && { cause }),
      });
    }

    expect(called).toEqual([]);
    expect(served.uris).toEqual(["skill://late/SKILL.md"]);
  },
);
