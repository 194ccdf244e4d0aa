/** Skills between implementations, in both eras: the official v2 client with our server, and our client with the official v2 server. */
import { Client as OfficialClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient as OfficialSkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer as OfficialServer } from "@modelcontextprotocol/server";
import { memorySkillFiles, SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import { Client } from "parley-mcp/client";
import { serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { SkillsClient, serveSkills, skills } from "parley-mcp/skills";
import { describe, expect, test } from "vitest";
import { listen } from "../servers/http-listener.js";

const identity = { name: "interop", version: "1.0.0" };
const SKILL = "---\nname: refunds\ndescription: How to pay back\n---\nSee templates/email.md.\n";
const EMAIL = "Dear customer,\n";
const LOGO = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff, 0x00);
const URI = "skill://refunds/SKILL.md";

describe.each(["legacy", "auto"] as const)("the official v2 client, %s, with our server", (mode) => {
  test("lists a skill, verifies its files, and reads its directory", async () => {
    const server = new McpServer(identity);
    const files = { "SKILL.md": SKILL, "templates/email.md": EMAIL, "logo.png": LOGO };
    await serveSkills(server, [{ path: "refunds", files }]);
    const serving = await serveHttp(server, { port: 0 });
    const client = new OfficialClient(identity, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(serving.url)));
    const reader = new OfficialSkillsClient(client);

    const { skills: listed, invalid } = await reader.list();
    const { skill } = await reader.get(URI);
    const { resources } = await reader.readDirectory("skill://refunds");

    expect(invalid).toEqual([]);
    expect(listed.map(({ uri, frontmatter }) => [uri, frontmatter.description])).toEqual([[URI, "How to pay back"]]);
    expect(await reader.read(skill)).toMatchObject({ verified: true, body: expect.stringContaining("email.md") });
    expect(await reader.read(skill, "templates/email.md")).toMatchObject({ verified: true, text: EMAIL });
    expect(await reader.read(skill, "logo.png")).toMatchObject({ verified: true, bytes: LOGO });
    expect(resources.map(({ name }) => name).sort()).toEqual(["logo.png", "refunds", "templates"]);
    await client.close();
    await serving.close();
  });
});

describe.each(["2025-11-25", "2026-07-28"] as const)("our client, %s, with the official v2 server", (revision) => {
  test("lists a skill, verifies its files, and reads its directory", async () => {
    const files = { "refunds/SKILL.md": SKILL, "refunds/templates/email.md": EMAIL, "refunds/logo.png": LOGO };
    const extension = await SkillsExtension.load(memorySkillFiles(files));
    const handler = createMcpHandler(() => {
      const server = new OfficialServer(identity);
      extension.attach(server);
      return server;
    });
    await using listener = await listen(toNodeHandler(handler));
    if (listener.endpoint.kind === "stdio") throw new Error("the listener serves HTTP");
    const client = await Client.connect(
      { url: listener.endpoint.url },
      { ...identity, revision, extensions: [skills] },
    );
    const reader = new SkillsClient(client);

    const [listed] = await reader.list();
    if (listed === undefined) throw new Error("There is no skill");

    expect(listed.uri).toBe(URI);
    expect(listed.frontmatter.description).toBe("How to pay back");
    expect((await reader.get(URI)).uri).toBe(URI);
    expect((await reader.read(listed)).text()).toBe(SKILL);
    expect((await reader.read(listed, "templates/email.md")).text()).toBe(EMAIL);
    expect((await reader.read(listed, "logo.png")).bytes).toEqual(LOGO);
    expect((await reader.directory(listed)).map(({ name }) => name)).toContain("templates");
    await client.close();
  });
});
