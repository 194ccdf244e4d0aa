import { expect, it, onTestFinished } from "vitest";
import { Client } from "../client/client.js";
import { McpServer } from "../server/mcp-server.js";
import { serveSkills } from "./serve-skills.js";
import { SkillsClient } from "./skills-client.js";

const MANIFEST = "---\nname: refunds\ndescription: About\n---\n";

it("refuses an answer that has the content of another file alone", async () => {
  const server = new McpServer({ name: "s", version: "1.0.0" });
  await serveSkills(server, [{ path: "refunds", files: { "SKILL.md": MANIFEST } }]);
  const client = await Client.connect(server, { name: "c", version: "1.0.0" });
  onTestFinished(() => client.close());
  client.use(async ({ method }, next) => {
    const result = await next();
    return method === "resources/read" ? { contents: [{ uri: "skill://other/SKILL.md", text: MANIFEST }] } : result;
  });
  const skills = new SkillsClient(client);
  const [listed] = await skills.list();

  await expect(skills.read(listed as NonNullable<typeof listed>)).rejects.toMatchObject({
    code: "invalid-result",
    message: expect.stringContaining("the answer has no content of this URI"),
  });
});

it("reads a directory at a server whose capabilities are unknown", async () => {
  const server = new McpServer({ name: "s", version: "1.0.0" });
  await serveSkills(server, [{ path: "refunds", files: { "SKILL.md": MANIFEST } }]);
  const client = await Client.connect(server, { name: "c", version: "1.0.0", revision: "2026-07-28" });
  onTestFinished(() => client.close());
  const skills = new SkillsClient(client);
  expect(client.serverCapabilities).toBeUndefined();

  const children = await skills.directory(await skills.get("skill://refunds/SKILL.md"));
  expect(children.map(({ uri }) => uri)).toEqual(["skill://refunds/SKILL.md"]);
});
