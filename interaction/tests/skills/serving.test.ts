import { createHash } from "node:crypto";
import type { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { getSkill, listSkills, readDirectory, type SkillDefinition, serveSkills, skills } from "parley-mcp/skills";
import { expect, vi } from "vitest";
import { verifies } from "../../src/verifies.js";

const identity = { name: "skilled", version: "1.0.0" };
const manifest = (name: string, more = "") => `---\nname: ${name}\ndescription: About ${name}\n${more}---\n# ${name}\n`;
const pdf: SkillDefinition = {
  path: "pdf-processing",
  files: {
    "SKILL.md": manifest("pdf-processing", "license: MIT\nmetadata:\n  version: 2.1.0\n  tags: [a, b]\n"),
    "references/FORMS.md": "# Forms\n",
    "references/deep/über uns.txt": "\uFEFFHello",
    "assets/page.bin": Uint8Array.of(0xff, 0x00, 0xfe),
  },
};
const refunds: SkillDefinition = { path: "acme/billing/refunds", files: { "SKILL.md": manifest("refunds") } };

async function serving(definitions: readonly SkillDefinition[], options = {}, serverOptions = {}): Promise<McpServer> {
  const server = new McpServer({ ...identity, ...serverOptions });
  await serveSkills(server, definitions, options);
  return server;
}

/** The bytes of a resource, as the wire carries them. */
async function bytesOf(client: Client, uri: string): Promise<Buffer> {
  const [content] = (await client.readResource(uri)).contents;
  if (content === undefined) throw new Error(`${uri} has no content`);
  return "text" in content ? Buffer.from(content.text) : Buffer.from(content.blob, "base64");
}

verifies(
  "skills:declaration",
  "a server without a skill declares the extension and resources, and lists no skills",
  async ({ connect }) => {
    const client = await connect(await serving([]));

    expect(client.serverCapabilities?.extensions).toEqual({
      "io.modelcontextprotocol/skills": { directoryRead: true },
    });
    expect(client.serverCapabilities?.resources).toBeDefined();
    expect(await client.request(listSkills, {})).toEqual({ skills: [] });
  },
);

verifies(
  "skills:any-client",
  "clients with and without the extension get the skills of a server",
  async ({ connect }) => {
    const server = await serving([refunds]);

    for (const extensions of [[], [skills]]) {
      const client = await connect(server, { extensions });
      expect((await client.request(listSkills, {})).skills).toHaveLength(1);
    }
  },
);

verifies(
  ["skills:list:entries", "skills:list:sizes"],
  "skills/list has every skill in the order of their URIs, and every file with its digest and size",
  async ({ connect }) => {
    const client = await connect(await serving([pdf, refunds]));

    const { skills: entries } = await client.request(listSkills, {});

    expect(entries.map(({ uri }) => uri)).toEqual([
      "skill://acme/billing/refunds/SKILL.md",
      "skill://pdf-processing/SKILL.md",
    ]);
    const digest = createHash("sha256")
      .update(Uint8Array.of(0xff, 0x00, 0xfe))
      .digest("hex");
    expect(entries[1]?.resources).toHaveLength(4);
    expect(entries[1]?.resources).toContainEqual({
      uri: "skill://pdf-processing/assets/page.bin",
      digest: `sha256:${digest}`,
      size: 3,
    });
  },
);

verifies(
  "skills:list:pages",
  "skills/list comes in pages that split no entry, and refuses a cursor that it did not give",
  async ({ connect }) => {
    const definitions = ["a", "b", "c"].map((path) => ({ path, files: { "SKILL.md": manifest(path) } }));
    const client = await connect(await serving(definitions, { pageSize: 2 }));

    const first = await client.request(listSkills, {});
    expect(first.skills.map(({ frontmatter }) => frontmatter.name)).toEqual(["a", "b"]);
    const second = await client.request(listSkills, { cursor: first.nextCursor });
    expect(second).toMatchObject({ skills: [{ frontmatter: { name: "c" } }] });
    expect(second.nextCursor).toBeUndefined();
    await expect(client.request(listSkills, { cursor: "2" })).rejects.toMatchObject({ code: -32602 });
  },
);

verifies(
  "skills:list:cache-hints",
  "results of skills/list and skills/get carry the cache hint of the server",
  async ({ connect }) => {
    const cache = { ttlMs: 5_000, cacheScope: "public" };
    const client = await connect(await serving([refunds], {}, { cache }));

    expect(await client.request("skills/list")).toMatchObject(cache);
    expect(await client.request("skills/get", { uri: "skill://acme/billing/refunds/SKILL.md" })).toMatchObject(cache);
  },
);

verifies(
  "skills:list:frontmatter",
  "an entry has all frontmatter fields of its SKILL.md as JSON, nested ones too",
  async ({ connect }) => {
    const client = await connect(await serving([pdf]));

    const { skill } = await client.request(getSkill, { uri: "skill://pdf-processing/SKILL.md" });

    expect(skill.frontmatter).toEqual({
      name: "pdf-processing",
      description: "About pdf-processing",
      license: "MIT",
      metadata: { version: "2.1.0", tags: ["a", "b"] },
    });
  },
);

verifies(
  "skills:get:entry",
  "skills/get returns the entry that skills/list has for each skill",
  async ({ connect }) => {
    const client = await connect(await serving([pdf, refunds]));

    for (const entry of (await client.request(listSkills, {})).skills) {
      const answer = await client.request(getSkill, { uri: entry.uri });
      expect(answer.skill).toEqual(entry);
      expect(answer).not.toHaveProperty("nextCursor");
    }
  },
);

verifies("skills:get:unknown", "skills/get answers -32602 with the URI for a URI of no skill", async ({ connect }) => {
  const client = await connect(await serving([pdf]));

  for (const uri of [
    "skill://nothing/SKILL.md",
    "skill://pdf-processing/references/FORMS.md",
    "skill://pdf-processing",
  ]) {
    await expect(client.request(getSkill, { uri })).rejects.toMatchObject({ code: -32602, data: { uri } });
  }
});

verifies(
  "skills:resources:metadata",
  "resources/list has the SKILL.md of a skill, and none of its other files",
  async ({ connect }) => {
    const client = await connect(await serving([pdf]));

    const { resources } = await client.listResources();

    expect(resources).toHaveLength(1);
    expect(resources[0]).toMatchObject({
      uri: "skill://pdf-processing/SKILL.md",
      name: "pdf-processing",
      description: "About pdf-processing",
      mimeType: "text/markdown",
    });
  },
);

verifies(
  "skills:resources:read",
  "resources/read returns each file with the bytes of its digest, and keeps a byte order mark",
  async ({ connect }) => {
    const client = await connect(await serving([pdf]));
    const { skill } = await client.request(getSkill, { uri: "skill://pdf-processing/SKILL.md" });

    for (const { uri, digest, size } of Array.isArray(skill.resources) ? skill.resources : []) {
      const bytes = await bytesOf(client, uri);
      expect(bytes.length).toBe(size);
      expect(`sha256:${createHash("sha256").update(bytes).digest("hex")}`).toBe(digest);
    }
    const [binary] = (await client.readResource("skill://pdf-processing/assets/page.bin")).contents;
    expect(binary).toMatchObject({ blob: "/wD+", mimeType: "application/octet-stream" });
    const [text] = (await client.readResource("skill://pdf-processing/references/FORMS.md")).contents;
    expect(text).toMatchObject({ text: "# Forms\n", mimeType: "text/markdown" });
  },
);

verifies(
  "skills:resources:traversal",
  "a URI that leads out of a skill is not found, whether it leads to another skill or to the disk",
  async ({ connect, era }) => {
    const client = await connect(await serving([pdf, refunds]));
    const code = era === "modern" ? -32602 : -32002;

    for (const path of [
      "../acme/billing/refunds/SKILL.md",
      "%2e%2e/acme/billing/refunds/SKILL.md",
      "..%2facme%2fbilling%2frefunds%2fSKILL.md",
      "references/../SKILL.md",
      "references//FORMS.md",
      "..%5c..%5cetc%5cpasswd",
      "/etc/passwd",
      "C:%5Cwindows",
      "references%2FFORMS.md",
      "SKILL.md%00",
    ]) {
      await expect(client.readResource(`skill://pdf-processing/${path}`), path).rejects.toMatchObject({ code });
    }
  },
);

verifies(
  "skills:nested",
  "a nested skill and the skill around it are both listed, and share the files of the nested one",
  async ({ connect }) => {
    const inner = manifest("inner");
    const outer = { path: "outer", files: { "SKILL.md": manifest("outer"), "parts/inner/SKILL.md": inner } };
    const nested = { path: "outer/parts/inner", files: { "SKILL.md": inner } };
    const client = await connect(await serving([outer, nested]));

    const { skills: entries } = await client.request(listSkills, {});

    const [own] = entries.find(({ frontmatter }) => frontmatter.name === "inner")?.resources ?? [];
    expect(own).toMatchObject({ uri: "skill://outer/parts/inner/SKILL.md" });
    expect(entries.find(({ frontmatter }) => frontmatter.name === "outer")?.resources).toContainEqual(own);
  },
);

verifies(
  "skills:directory:children",
  "resources/directory/read lists the direct children of a directory under their decoded names",
  async ({ connect }) => {
    const client = await connect(await serving([pdf]));
    const root = "skill://pdf-processing";
    const childrenOf = async (uri: string) => (await client.request(readDirectory, { uri })).resources;

    expect((await childrenOf(root)).map(({ name, mimeType }) => [name, mimeType])).toEqual([
      ["pdf-processing", "text/markdown"],
      ["assets", "inode/directory"],
      ["references", "inode/directory"],
    ]);
    expect((await childrenOf(`${root}/references`)).map(({ uri }) => uri)).toEqual([
      `${root}/references/FORMS.md`,
      `${root}/references/deep`,
    ]);
    expect(await childrenOf(`${root}/references/deep`)).toMatchObject([{ name: "über uns.txt", size: 8 }]);
  },
);

verifies("skills:directory:pages", "resources/directory/read in pages lists each child once", async ({ connect }) => {
  const client = await connect(await serving([pdf], { pageSize: 1 }));

  const names: string[] = [];
  for await (const { name } of client.listAll(readDirectory, { uri: "skill://pdf-processing" })) names.push(name);

  expect(names).toEqual(["pdf-processing", "assets", "references"]);
});

verifies(
  "skills:directory:unknown",
  "resources/directory/read answers -32602 for a file, for nothing, and for a directory with a slash at its end",
  async ({ connect }) => {
    const client = await connect(await serving([pdf]));

    for (const uri of ["skill://pdf-processing/SKILL.md", "skill://pdf-processing/none", "skill://pdf-processing/"]) {
      await expect(client.request(readDirectory, { uri })).rejects.toMatchObject({ code: -32602 });
    }
  },
);

verifies(
  "skills:update",
  "update announces the changed list and the changed files, and not the unchanged files",
  async ({ connect }) => {
    const server = new McpServer(identity);
    const served = await serveSkills(server, [pdf, refunds]);
    const client = await connect(server);
    const heard: string[] = [];
    const lists = vi.fn();
    const forms = "skill://pdf-processing/references/FORMS.md";
    const changes = await client.listen({ resources: true, resource: [forms, "skill://pdf-processing/SKILL.md"] });

    await served.update([{ ...pdf, files: { ...pdf.files, "references/FORMS.md": "# New\n" } }]);
    for await (const change of changes) {
      if (change.kind === "resource") heard.push(change.uri);
      if (change.kind === "resources") lists();
      if (heard.length > 0 && lists.mock.calls.length > 0) break;
    }

    expect(heard).toEqual([forms]);
    expect(served.uris).toEqual(["skill://pdf-processing/SKILL.md"]);
    expect((await bytesOf(client, forms)).toString()).toBe("# New\n");
    expect((await client.request(listSkills, {})).skills).toHaveLength(1);
  },
);

verifies(
  "skills:computed",
  "refresh serves and announces what a computed file returns now, each time the author calls it",
  async ({ connect }) => {
    const server = new McpServer(identity);
    let duty = "Ada";
    const files = { "SKILL.md": manifest("on-call"), "today.md": async () => `${duty} is on duty` };
    const served = await serveSkills(server, [{ path: "on-call", files }]);
    const client = await connect(server);
    const today = "skill://on-call/today.md";
    const changes = await client.listen({ resource: [today] });
    const digestOf = async () => {
      const { skill } = await client.request(getSkill, { uri: "skill://on-call/SKILL.md" });
      return Array.isArray(skill.resources) && skill.resources.find(({ uri }) => uri === today)?.digest;
    };
    const sha256 = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;

    duty = "Grace";
    expect((await bytesOf(client, today)).toString()).toBe("Ada is on duty");
    expect(await digestOf()).toBe(sha256("Ada is on duty"));
    await served.refresh();
    for await (const change of changes) {
      expect(change).toMatchObject({ kind: "resource", uri: today });
      break;
    }

    expect((await bytesOf(client, today)).toString()).toBe("Grace is on duty");
    expect(await digestOf()).toBe(sha256("Grace is on duty"));
  },
);
