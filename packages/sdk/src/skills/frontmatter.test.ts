import { expect, it } from "vitest";
import { parseFrontmatter } from "./frontmatter.js";

it.each([
  ["name: a\ndescription: Refunds: how", 3, "compact mappings; put the value in quotes"],
  ["name: a\n\ndescription: @team knows", 4, 'put the value in quotes, such as description: "Refunds: how"'],
  ['name: a\r\ndescription: "a" b', 3, "put the value in quotes"],
  ["name: a\nname: b", 3, "Map keys must be unique"],
])("names the line of invalid YAML in %j", (yaml, line, complaint) => {
  const parse = () => parseFrontmatter(`---\n${yaml}\n---\n`);
  expect(parse).toThrow(`SKILL.md frontmatter: invalid YAML in line ${line} of the file: `);
  expect(parse).toThrow(complaint);
});

it("advises quotes for no other error", () => {
  expect(() => parseFrontmatter("---\nname: a\nname: b\n---\n")).toThrow(/unique$/);
});

it("refuses more keys and values than 2,048, before it compares them", () => {
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`).join(",");
  const text = (count: number) => `---\nname: a\ndescription: b\nx: {${keys(count)}}\n---\n`;
  // The document, its mapping, and three keys with their values count as well.
  expect(() => parseFrontmatter(text(2_041))).toThrow("expected at most 2048 keys and values");
  expect(Object.keys(parseFrontmatter(text(2_040)).x as object)).toHaveLength(2_040);
});
