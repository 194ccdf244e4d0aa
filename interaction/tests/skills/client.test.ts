import { createHash } from "node:crypto";
import { McpServer } from "parley-mcp/server";
import {
  getSkill,
  listSkills,
  type SkillDefinition,
  type SkillEntry,
  SkillsClient,
  serveSkills,
  skills,
} from "parley-mcp/skills";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const identity = { name: "skilled", version: "1.0.0" };
const manifest = (name: string) => `---\nname: ${name}\ndescription: About ${name}\n---\n# ${name}\n`;
const skill = (path: string, files = {}): SkillDefinition => ({
  path,
  files: { "SKILL.md": manifest(path.split("/").at(-1) ?? ""), ...files },
});

async function serving(...definitions: SkillDefinition[]): Promise<McpServer> {
  const server = new McpServer(identity);
  await serveSkills(server, definitions, { pageSize: 2 });
  return server;
}

const URI = "skill://pdf/SKILL.md";
const file = (uri: string, text: string) => ({
  uri,
  digest: `sha256:${createHash("sha256").update(text).digest("hex")}`,
  size: Buffer.byteLength(text),
});
const entry = (more = {}) => ({
  uri: URI,
  frontmatter: { name: "pdf", description: "About pdf" },
  resources: [file(URI, manifest("pdf")), file("skill://pdf/a.md", "aa")],
  ...more,
});

/** A server that serves whatever entries and contents it is given. */
function lying(entries: readonly object[], contents: { readonly [uri: string]: string } = {}): McpServer {
  const server = new McpServer({ ...identity, extensions: [skills.onServer({})], capabilities: { resources: {} } });
  server.handle(listSkills, () => ({ skills: entries as SkillEntry[] }));
  server.handle(getSkill, () => ({ skill: entries[0] as SkillEntry }));
  for (const [uri, text] of Object.entries(contents)) server.resource(uri, { name: uri }, () => text);
  return server;
}

verifies(
  "skills:client:list",
  "SkillsClient lists the three skills of two pages, and reads none of their files",
  async ({ connect, wire }) => {
    const client = await connect(await serving(skill("a"), skill("b", { "x.md": "" }), skill("c")));

    const listed = await new SkillsClient(client).list();

    expect(listed.map(({ name, label, description }) => [name, label, description])).toEqual(
      ["a", "b", "c"].map((name) => [name, name, `About ${name}`]),
    );
    expect(listed[1]?.files?.map(({ path }) => path)).toEqual(["SKILL.md", "x.md"]);
    expect(wire.methods("client")).not.toContain("resources/read");
  },
);

verifies(
  "skills:client:labels",
  "skills with the same name are listed with their paths as labels, and those of other schemes with their URIs",
  async ({ connect }) => {
    const other = { ...skill("refunds"), path: "github://acme/refunds/SKILL.md" };
    const client = await connect(await serving(skill("acme/refunds"), skill("shop/refunds"), skill("orders"), other));

    const listed = await new SkillsClient(client).list();

    expect(listed.map(({ label }) => label).sort()).toEqual([
      "acme/refunds",
      "github://acme/refunds",
      "orders",
      "shop/refunds",
    ]);
  },
);

verifies(
  "skills:client:get",
  "SkillsClient gets an entry by its URI, and refuses a valid entry of another skill",
  async ({ connect }) => {
    const reader = new SkillsClient(await connect(lying([entry()])));

    expect(await reader.get(URI)).toMatchObject({ uri: URI, files: [{ path: "SKILL.md" }, { path: "a.md" }] });
    const other = reader.get("skill://other/SKILL.md");
    await expect(other).rejects.toMatchObject({
      code: "invalid-result",
      message: expect.stringContaining(`got ${URI}`),
    });
  },
);

verifies(
  "skills:client:read",
  "SkillsClient reads text and bytes that fit the entry, and SKILL.md if no path is given",
  async ({ connect }) => {
    const bytes = Uint8Array.of(0xff, 0x00, 0x80);
    const client = await connect(await serving(skill("pdf", { "a b/c.bin": bytes, "ü.md": "\uFEFFtext" })));
    const reader = new SkillsClient(client);
    const pdf = await reader.get(URI);

    expect((await reader.read(pdf)).text()).toBe(manifest("pdf"));
    expect(new Uint8Array((await reader.read(pdf, "a b/c.bin")).bytes)).toEqual(bytes);
    expect((await reader.read(pdf, "ü.md")).text()).toBe("text");
  },
);

verifies(
  "skills:client:verify",
  "content that does not fit the size, digest or frontmatter of its entry is refused with the reason",
  async ({ connect }) => {
    const read = async (given: object, content: string, path?: string) => {
      const contents = { [URI]: content, "skill://pdf/a.md": content };
      const reader = new SkillsClient(await connect(lying([given], contents)), { maxSkillBytes: 1_000 });
      return reader.read(await reader.get(URI), path).then(
        () => "used",
        ({ code, message }) => `${code}: ${message}`,
      );
    };
    const evil = manifest("pdf").replace("About pdf", "Evil text");
    const more = manifest("pdf").replace("---\n#", "allowed-tools: Bash\n---\n#");

    expect(await read(entry(), manifest("pdf"))).toBe("used");
    expect(await read(entry(), evil)).toMatch(/^invalid-result: skill:\/\/pdf\/SKILL.md: the digest is not the one/);
    expect(await read(entry(), `${manifest("pdf")}.`)).toMatch(/invalid-result: .*: 48 bytes instead of 47/);
    expect(await read(entry(), "ab", "a.md")).toContain("the digest is not the one of the entry");
    for (const text of [evil, more]) {
      expect(await read(entry({ resources: [file(URI, text)] }), text)).toContain("its frontmatter is not the one");
    }
    expect(await read(entry({ resources: [file(URI, "# None")] }), "# None")).toContain(
      "its frontmatter cannot be read",
    );
    const large = "a".repeat(1_001);
    const resources = [file(URI, ""), { ...file("skill://pdf/a.md", large), size: undefined }];
    expect(await read(entry({ resources }), large, "a.md")).toContain("more than the 1000 bytes of maxSkillBytes");
  },
);

verifies(
  "skills:client:unlisted",
  "a file that the entry does not list is refused without a request, though the server serves it",
  async ({ connect, wire }) => {
    const contents = { [URI]: manifest("pdf"), "skill://pdf/new.md": "new" };
    const reader = new SkillsClient(await connect(lying([entry()], contents)));
    const pdf = await reader.get(URI);

    for (const path of ["new.md", "../pdf/new.md", "", "skill://pdf/new.md"]) {
      await expect(reader.read(pdf, path)).rejects.toMatchObject({ code: "invalid-argument" });
    }
    expect(wire.methods("client")).not.toContain("resources/read");
  },
);

verifies(
  "skills:client:bad-entries",
  "each malformed entry is reported with its reason and left out, and the good entry is listed",
  async ({ connect }) => {
    const only = (uri: unknown, more = {}) => entry({ resources: [file(URI, ""), { ...file("x", ""), uri, ...more }] });
    const cases: [bad: object, reason: string][] = [
      [entry({ uri: "skill://pdf/README.md" }), "its URI does not end in /<name>/SKILL.md"],
      [entry({ uri: "skill://a/../pdf/SKILL.md" }), "its URI does not end"],
      [entry({ uri: "skill://a/%2e%2e/pdf/SKILL.md" }), "its URI does not end"],
      [entry({ uri: 7 }), "its URI does not end"],
      [entry({ frontmatter: "pdf" }), "it has no frontmatter"],
      [entry({ frontmatter: { name: "other", description: "x" } }), "its name is not the last segment"],
      [entry({ frontmatter: { name: "pdf", description: "" } }), "it has no description"],
      [entry({ resources: {} }), "its resources are no list"],
      [entry({ resources: [file("skill://pdf/a.md", "")] }), "it does not list its SKILL.md"],
      [entry({ resources: [file(URI, ""), file(URI, "")] }), "it lists a file twice"],
      [only("skill://pdf/skill.MD"), "it lists a file twice"],
      [entry({ resources: Array.from({ length: 513 }, () => file(URI, "")) }), "maxSkillFiles allows 512"],
      [only("skill://pdf/a.md", { size: 16_777_217 }), "maxSkillBytes allows 16777216"],
      [only("skill://pdf/a.md", { size: -1 }), "a.md has no valid size"],
      [only("skill://pdf/a.md", { digest: "md5:00" }), "a.md has no SHA-256 digest"],
      ...[
        "skill://pdf/../x.md",
        "skill://pdf/%2e%2e/x.md",
        "skill://pdf/..%2fx.md",
        "skill://pdf/..%5cx.md",
        "skill://pdf//etc/passwd",
        "skill://pdf/%2fetc/passwd",
        "skill://pdf/C%3A%5Cx",
        "skill://pdf/a.md?x",
        "skill://pdf/a%00.md",
        "skill://pdf-other/a.md",
        "file:///etc/passwd",
        7,
      ].map((uri): [object, string] => [only(uri), "is not a file in its directory"]),
    ];
    const good = entry({
      uri: "skill://ok/SKILL.md",
      frontmatter: { name: "ok", description: "x" },
      resources: "dynamic",
    });
    const client = await connect(lying([...cases.map(([bad]) => bad), good]));
    const reports: string[] = [];

    const listed = await new SkillsClient(client, { onError: ({ message }) => void reports.push(message) }).list();

    expect(listed.map(({ name }) => name)).toEqual(["ok"]);
    expect(reports).toHaveLength(cases.length);
    for (const [index, [, reason]] of cases.entries()) expect(reports[index]).toContain(reason);
    await expect(new SkillsClient(client, { maxSkills: 3, onError: () => {} }).list()).rejects.toThrow(
      "more than 3 skills",
    );
  },
);

verifies(
  "skills:client:unverified",
  "a skill whose files are dynamic or missing is read only with the option for it, and its frontmatter is compared",
  async ({ connect }) => {
    for (const resources of ["dynamic", undefined]) {
      const contents = { [URI]: manifest("pdf"), "skill://pdf/now.md": "12:00" };
      const client = await connect(lying([entry({ resources })], contents));
      const strict = new SkillsClient(client);
      const pdf = await strict.get(URI);
      await expect(strict.read(pdf)).rejects.toThrow("has no digests, so its content cannot be verified");

      const lax = new SkillsClient(client, { acceptsUnverified: true });
      expect((await lax.read(pdf)).text()).toBe(manifest("pdf"));
      expect((await lax.read(pdf, "now.md")).text()).toBe("12:00");
      await expect(lax.read(pdf, "../x/now.md")).rejects.toThrow("is not a relative path");
      const changed = { ...pdf, frontmatter: { name: "pdf", description: "Other" } };
      await expect(lax.read(changed)).rejects.toMatchObject({ code: "invalid-result" });
    }
  },
);

verifies(
  "skills:client:directory",
  "SkillsClient reads all children of a directory, and sends nothing to a server without directoryRead",
  async ({ connect, wire }) => {
    const silent = new SkillsClient(await connect(lying([entry()])));
    await expect(silent.directory(await silent.get(URI))).rejects.toMatchObject({ code: "capability-not-supported" });
    expect(wire.methods("client")).not.toContain("resources/directory/read");

    const server = await serving(skill("pdf", { "a.md": "", "b/c.md": "", "b/d.md": "" }));
    const client = await connect(server);
    const reader = new SkillsClient(client);
    const pdf = await reader.get(URI);
    expect((await reader.directory(pdf)).map(({ name }) => name)).toEqual(["pdf", "a.md", "b"]);
    expect((await reader.directory(pdf, "b")).map(({ name }) => name)).toEqual(["c.md", "d.md"]);
    await expect(reader.directory(pdf, "../x")).rejects.toMatchObject({ code: "invalid-argument" });
    const small = new SkillsClient(client, { maxSkillFiles: 2, onError: () => {} });
    await expect(small.directory(pdf)).rejects.toMatchObject({ code: "too-large" });
  },
);

verifies(
  "skills:client:undeclared",
  "SkillsClient rejects with capability-not-supported for a server without the extension, and sends it no method of skills",
  async ({ connect, wire }) => {
    const server = new McpServer(identity);
    server.resource(URI, { name: "pdf" }, () => manifest("pdf"));
    const reader = new SkillsClient(await connect(server));

    for (const asking of [reader.list(), reader.get(URI)]) {
      await expect(asking).rejects.toMatchObject({ code: "capability-not-supported" });
    }
    expect(wire.methods("client").filter((method) => method.startsWith("skills/"))).toEqual([]);
  },
);
