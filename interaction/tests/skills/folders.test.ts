import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { McpServer } from "parley-mcp/server";
import { getSkill } from "parley-mcp/skills";
import { type ServeSkillFolderOptions, serveSkillFolder } from "parley-mcp/skills/node";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const manifest = (name: string) => `---\nname: ${name}\ndescription: About ${name}\n---\n`;

/** A folder with these files, removed at the end of the test. */
async function folderWith(files: { readonly [path: string]: string | Uint8Array }) {
  const folder = await mkdtemp(join(tmpdir(), "parley-skills-"));
  const write = async (path: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  for (const [path, content] of Object.entries(files)) await write(path, content);
  return { folder, write, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

async function serving(folder: string, options: Partial<ServeSkillFolderOptions> = {}) {
  const reports: string[] = [];
  const server = new McpServer({ name: "skilled", version: "1.0.0" });
  const onError = (error: Error) => void reports.push(error.message);
  const served = await serveSkillFolder(server, { folder, onError, watch: false, ...options });
  return { server, served, reports };
}

verifies(
  "skills:folder:served",
  "each directory with a SKILL.md is served as a skill at its path, nested ones too, without hidden files",
  async () => {
    await using skillFolder = await folderWith({
      "git-flow/SKILL.md": manifest("git-flow"),
      "git-flow/.secret": "hidden",
      "git-flow/.git/SKILL.md": manifest("git"),
      "acme/billing/refunds/SKILL.md": manifest("refunds"),
      "acme/billing/refunds/parts/email/SKILL.md": manifest("email"),
      "README.md": "not a skill",
    });

    const { server, served, reports } = await serving(skillFolder.folder);

    expect(reports).toEqual([]);
    expect(served.uris).toEqual([
      "skill://acme/billing/refunds/SKILL.md",
      "skill://acme/billing/refunds/parts/email/SKILL.md",
      "skill://git-flow/SKILL.md",
    ]);
    expect(() => server.resource("skill://git-flow/.secret", { name: "free" }, () => "")).not.toThrow();
  },
);

verifies(
  "skills:folder:bad-skill",
  "a bad skill of a folder is reported with its path and left out, and the good ones are served",
  async () => {
    await using skillFolder = await folderWith({
      "good/SKILL.md": manifest("good"),
      "unlike/SKILL.md": manifest("other"),
      "broken/SKILL.md": "---\nname: [\n---\n",
      "SKILL.md": manifest("root"),
    });

    const { served, reports } = await serving(skillFolder.folder);

    expect(served.uris).toEqual(["skill://good/SKILL.md"]);
    expect(reports).toEqual([
      expect.stringContaining("SKILL.md is in the folder itself"),
      expect.stringContaining('skill "broken"'),
      expect.stringContaining('skill "unlike": the last segment is not the name "other"'),
    ]);
  },
);

verifies(
  "skills:folder:links",
  "a skill with a symbolic link is reported and not served, whether the link leads to a file or a directory, in or out",
  async () => {
    await using outside = await folderWith({ "secret.txt": "secret", "SKILL.md": manifest("linked") });
    await using skillFolder = await folderWith({
      "good/SKILL.md": manifest("good"),
      "file/SKILL.md": manifest("file"),
      "directory/SKILL.md": manifest("directory"),
      "inward/SKILL.md": manifest("inward"),
    });
    await symlink(join(outside.folder, "secret.txt"), join(skillFolder.folder, "file", "secret.txt"));
    await symlink(outside.folder, join(skillFolder.folder, "directory", "more"));
    await symlink("../good/SKILL.md", join(skillFolder.folder, "inward", "copy.md"));
    await symlink(outside.folder, join(skillFolder.folder, "linked"));

    const { served, reports } = await serving(skillFolder.folder);

    expect(served.uris).toEqual(["skill://good/SKILL.md"]);
    expect(reports).toHaveLength(4);
    for (const report of reports) expect(report).toContain("it is a symbolic link");
  },
);

verifies(
  "skills:folder:limits",
  "skills beyond a limit of the folder are reported and not served, and the first ones stay",
  async () => {
    await using skillFolder = await folderWith({
      "a/SKILL.md": manifest("a"),
      "b/SKILL.md": manifest("b"),
      "b/large.bin": new Uint8Array(1_000),
      "c/SKILL.md": manifest("c"),
      "c/1.md": "",
      "c/2.md": "",
    });
    const outcome = async (options: Partial<ServeSkillFolderOptions>) => {
      const { served, reports } = await serving(skillFolder.folder, options);
      return [served.uris.map((uri) => uri.slice("skill://".length, -"/SKILL.md".length)).join(""), reports.join()];
    };

    expect(await outcome({})).toEqual(["abc", ""]);
    expect(await outcome({ maxSkills: 2 })).toEqual(["ab", expect.stringContaining("c: maxSkills allows 2")]);
    expect(await outcome({ maxSkillFiles: 2 })).toEqual(["ab", expect.stringContaining("c: 3 files")]);
    expect(await outcome({ maxSkillBytes: 500 })).toEqual(["ac", expect.stringContaining("b: 1037 bytes")]);
    expect(await outcome({ maxBytes: 500 })).toEqual(["ac", expect.stringContaining("bytes of maxBytes")]);
  },
);

verifies(
  "skills:folder:watched",
  "a watched folder announces and serves changed files, new files and new directories",
  async ({ connect }) => {
    await using skillFolder = await folderWith({ "one/SKILL.md": manifest("one"), "one/guide.md": "old" });
    const { server, served } = await serving(skillFolder.folder, { watch: true, settleMs: 20 });
    using _watched = served;
    const client = await connect(server);
    const updated = deferred<void>();
    const listed = deferred<void>();
    const guide = "skill://one/guide.md";
    const changes = await client.listen({ resources: true, resource: [guide] });
    const hearing = (async () => {
      for await (const change of changes) {
        if (change.kind === "resource") updated.resolve();
        if (change.kind === "resources" && served.uris.length === 2) listed.resolve();
      }
    })();

    await skillFolder.write("one/guide.md", "new");
    await updated.promise;
    expect((await client.readResource(guide)).contents[0]).toMatchObject({ text: "new" });

    await skillFolder.write(".two/SKILL.md", manifest("two"));
    await rename(join(skillFolder.folder, ".two"), join(skillFolder.folder, "two"));
    await listed.promise;
    expect((await client.request(getSkill, { uri: "skill://two/SKILL.md" })).skill.frontmatter.name).toBe("two");

    served.close();
    await changes.close();
    await hearing;
  },
);
