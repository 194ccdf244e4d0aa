import { expect, test } from "vitest";
import { Client } from "../client/client.js";
import { McpServer } from "../server/mcp-server.js";
import { serveSkills } from "./serve-skills.js";
import { listSkills, readDirectory, skills } from "./skills-extension.js";

const skill = (path: string, files = {}) => ({
  path,
  files: { "SKILL.md": `---\nname: ${path.split("/").at(-1)}\ndescription: About\n---\n`, ...files },
});
const makeServer = () => new McpServer({ name: "s", version: "1.0.0" });

test("an update with the URI of another resource leaves the skills as they were", async () => {
  const server = makeServer();
  const served = await serveSkills(server, [skill("a"), skill("b", { "x.md": "old" })]);
  server.resource("skill://c/SKILL.md", { name: "own" }, () => "own");

  await expect(served.update([skill("b", { "x.md": "newer" }), skill("c")])).rejects.toMatchObject({
    code: "duplicate-name",
  });

  expect(served.uris).toEqual(["skill://a/SKILL.md", "skill://b/SKILL.md"]);
  const client = await Client.connect(server, { name: "c", version: "1.0.0" });
  expect((await client.readResource("skill://b/x.md")).contents[0]).toMatchObject({ text: "old" });
  expect((await client.readResource("skill://a/SKILL.md")).contents).toHaveLength(1);
  await client.close();
});

test("files that are UTF-8 are read as text with all of their bytes, and others as bytes", async () => {
  const server = makeServer();
  const files = { "mark.md": "\uFEFFtext", "page.bin": Uint8Array.of(0x61, 0xff) };
  await serveSkills(server, [skill("a", files)]);
  const client = await Client.connect(server, { name: "c", version: "1.0.0" });

  expect((await client.readResource("skill://a/mark.md")).contents[0]).toMatchObject({ text: "\uFEFFtext" });
  expect((await client.readResource("skill://a/page.bin")).contents[0]).toMatchObject({ blob: "Yf8=" });
  await client.close();
});

test("two skills with one path, or with two contents of one file, are refused", async () => {
  await expect(serveSkills(makeServer(), [skill("a"), skill("a")])).rejects.toThrow("two skills have the same path");
  const outer = skill("outer", { "inner/SKILL.md": "---\nname: inner\ndescription: Other\n---\n" });
  await expect(serveSkills(makeServer(), [outer, skill("outer/inner")])).rejects.toThrow(
    "two skills have different contents of skill://outer/inner/SKILL.md",
  );
});

test("a page lists at most 2,048 files, or one skill", async () => {
  const many = Object.fromEntries(Array.from({ length: 999 }, (_, index) => [`${index}.md`, ""]));
  const server = makeServer();
  await serveSkills(
    server,
    ["a", "b", "c"].map((path) => skill(path, many)),
    { maxSkillFiles: 3_000 },
  );
  const client = await Client.connect(server, { name: "c", version: "1.0.0" });
  expect((await client.request(listSkills, {})).skills).toHaveLength(2);
  await client.close();
});

test("options and files of a wrong type are refused", async () => {
  await expect(serveSkills(makeServer(), [], { pageSize: 0 })).rejects.toThrow(
    "pageSize: expected a whole number from 1",
  );
  await expect(serveSkills(makeServer(), [skill("a")], { maxSkillBytes: 0 })).rejects.toThrow(
    "maxSkillBytes: expected",
  );
  await expect(serveSkills(makeServer(), [skill("a", { "x.md": 7 })])).rejects.toThrow(
    'files: "x.md": expected text or bytes, got number',
  );
});

test("another scheme is served by the URI of its SKILL.md", async () => {
  const uri = "github://acme/repo/skills/refunds/SKILL.md";
  const files = { "SKILL.md": "---\nname: refunds\ndescription: About\n---\n", "a b.md": "" };
  const server = makeServer();
  const served = await serveSkills(server, [{ path: uri, files }]);
  expect(served.uris).toEqual([uri]);
  const client = await Client.connect(server, { name: "c", version: "1.0.0" });
  expect((await client.readResource("github://acme/repo/skills/refunds/a%20b.md")).contents).toHaveLength(1);
  await client.close();
  for (const path of ["github://acme/%E0%A4%A/refunds/SKILL.md", "x://SKILL.md", "x://a?b/refunds/SKILL.md"]) {
    await expect(serveSkills(makeServer(), [{ path, files }]), path).rejects.toThrow("path: expected segments");
  }
});

test("the entries of a directory come in the order of their URIs", async () => {
  const server = makeServer();
  await serveSkills(server, [skill("s", { "a.md": "", "a/x.md": "", "b.md": "" })]);
  const client = await Client.connect(server, { name: "c", version: "1.0.0", extensions: [skills] });
  const { resources } = await client.request(readDirectory, { uri: "skill://s" });
  expect(resources.map(({ uri }) => uri)).toEqual([
    "skill://s/SKILL.md",
    "skill://s/a",
    "skill://s/a.md",
    "skill://s/b.md",
  ]);
  await client.close();
});
