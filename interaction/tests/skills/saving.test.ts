import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { McpServer } from "parley-mcp/server";
import { type ListedSkill, SkillsClient, serveSkills } from "parley-mcp/skills";
import { saveSkill } from "parley-mcp/skills/node";
import { connectInProcess } from "parley-mcp/testing";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";
import { openLog } from "../../src/wire-log.js";

const MANIFEST = "---\nname: pdf\ndescription: About pdf\n---\n";
const files = { "SKILL.md": MANIFEST, "scripts/deep/run.sh": "#!/bin/sh\n", "page.bin": Uint8Array.of(0xff, 0) };

/** A skill at a client, and an empty folder. Both are gone at the end of the test. */
async function setUp() {
  const folder = await mkdtemp(join(tmpdir(), "parley-saved-"));
  const server = new McpServer({ name: "skilled", version: "1.0.0" });
  const served = await serveSkills(server, [{ path: "acme/pdf", files }]);
  const { entries } = openLog("server");
  const client = await connectInProcess(server, {
    name: "cli",
    version: "1.0.0",
    record: (entry) => void entries.push(entry),
  });
  const reader = new SkillsClient(client);
  const close = async () => {
    await client.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { folder, served, reader, skill: await reader.get("skill://acme/pdf/SKILL.md"), [Symbol.asyncDispose]: close };
}

verifies(
  "skills:save:files",
  "saveSkill writes every file into a folder that did not exist, and makes none executable",
  async () => {
    await using at = await setUp();

    const path = await saveSkill(at.reader, at.skill, join(at.folder, "new"));

    expect(path.endsWith(join("new", "pdf"))).toBe(true);
    for (const [name, content] of Object.entries(files)) {
      expect(await readFile(join(path, name))).toEqual(Buffer.from(content as string));
    }
    expect((await stat(join(path, "scripts/deep/run.sh"))).mode & 0o777).toBe(0o600);
    expect(await readdir(join(at.folder, "new"))).toEqual(["pdf"]);
  },
);

verifies(
  "skills:save:whole",
  "saveSkill writes nothing for a skill with a file that fails verification, nor for one over the limits",
  async () => {
    await using at = await setUp();

    await expect(saveSkill(at.reader, at.skill, at.folder, { maxSkillBytes: 50 })).rejects.toThrow("maxSkillBytes");
    await expect(saveSkill(at.reader, at.skill, at.folder, { maxSkillFiles: 2 })).rejects.toThrow("maxSkillFiles");
    await expect(saveSkill(at.reader, { ...at.skill, files: undefined }, at.folder)).rejects.toThrow("no digests");
    await at.served.update([{ path: "acme/pdf", files: { ...files, "scripts/deep/run.sh": "rm -rf /\n\n" } }]);
    await expect(saveSkill(at.reader, at.skill, at.folder)).rejects.toMatchObject({ code: "invalid-result" });
    await at.served.update([{ path: "acme/pdf", files: { "SKILL.md": MANIFEST, a: "a file", "a/b": "below it" } }]);
    const impossible = await at.reader.get(at.skill.uri);
    await expect(saveSkill(at.reader, impossible, at.folder)).rejects.toThrow('"a/b" cannot be written');

    expect(await readdir(at.folder)).toEqual([]);
  },
);

verifies(
  "skills:save:existing",
  "saveSkill neither overwrites a file of the skill's name nor follows a link of that name",
  async () => {
    await using at = await setUp();
    const elsewhere = join(at.folder, "elsewhere");
    await mkdir(elsewhere);
    const place = join(at.folder, "pdf");
    const refused = () =>
      expect(saveSkill(at.reader, at.skill, at.folder)).rejects.toThrow('"pdf" exists in the folder');

    await symlink(elsewhere, place);
    await refused();
    await rm(place);
    await symlink(join(at.folder, "nowhere"), place);
    await refused();
    await rm(place);
    await writeFile(place, "own");
    await refused();

    expect(await readFile(place, "utf8")).toBe("own");
    expect(await readdir(elsewhere)).toEqual([]);
    expect((await readdir(at.folder)).sort()).toEqual(["elsewhere", "pdf"]);
  },
);

verifies(
  "skills:save:paths",
  "saveSkill refuses a path that leaves the directory, names a device or is too deep, although the entry lists it",
  async () => {
    await using at = await setUp();
    const [first] = at.skill.files ?? [];
    const saving = (path: string, more: Partial<ListedSkill> = {}) =>
      saveSkill(at.reader, { ...at.skill, ...more, files: first ? [{ ...first, path }] : [] }, at.folder);

    for (const path of [
      "../x",
      "/etc/x",
      "a/../../x",
      "..\\x",
      "C:\\x",
      "NUL",
      "con.txt",
      "a./b",
      "a ",
      "a\0b",
      "a//b",
    ]) {
      await expect(saving(path), path).rejects.toThrow("is unsafe as a file");
    }
    await expect(saving(`${"a/".repeat(17)}b`)).rejects.toThrow("is deeper than 16 directories");
    await expect(saving("SKILL.md", { name: "../up" })).rejects.toThrow("its name is against the rules");
    await expect(saving("SKILL.md", { name: "nul" })).rejects.toThrow('Windows reads "nul" as a device');
    expect(await readdir(at.folder)).toEqual([]);
  },
);
