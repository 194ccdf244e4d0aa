import { expect, onTestFinished, test } from "vitest";
import { Client } from "../../client/client.js";
import { McpServer } from "../../server/mcp-server.js";
import { serveSkills } from "../serve-skills.js";
import { SkillsClient } from "../skills-client.js";
import { saveSkill } from "./save-skill.js";
import { serveSkillFolder } from "./serve-skill-folder.js";

const URI = "skill://refunds/SKILL.md";
const refunds = { path: "refunds", files: { "SKILL.md": "---\nname: refunds\ndescription: About\n---\n" } };
const makeServer = () => new McpServer({ name: "s", version: "1.0.0" });

/** The function as plain JavaScript calls it. */
type Untyped = (...given: unknown[]) => Promise<unknown>;

async function connected() {
  const server = makeServer();
  await serveSkills(server, [refunds]);
  const client = await Client.connect(server, { name: "c", version: "1.0.0" });
  onTestFinished(() => client.close());
  const reader = new SkillsClient(client);
  return { client, reader, skill: await reader.get(URI) };
}

test("a mistaken argument of serving is refused with the right one", async () => {
  const memory = serveSkills as Untyped;
  const folder = serveSkillFolder as Untyped;
  const definition = 'expected { path: "git-flow", files: { "SKILL.md": text } }, got';
  const served = await serveSkills(makeServer(), []);
  const update = served.update as Untyped;
  const cases: [call: () => Promise<unknown>, message: string][] = [
    [() => memory(), "serveSkills: expected an McpServer first, got nothing"],
    [() => memory(makeServer()), "serveSkills: expected a list of skills such as"],
    [() => memory(makeServer(), refunds), "got an object"],
    [() => memory(makeServer(), ["refunds"]), `${definition} the string "refunds"`],
    [() => memory(makeServer(), [{ path: "refunds" }]), `${definition} path: the string "refunds", files: nothing`],
    [() => memory(makeServer(), [{ files: {} }]), `${definition} path: nothing, files: an object`],
    [() => memory(makeServer(), [refunds], { pagesize: 1 }), 'did you mean "pageSize"?'],
    [() => update(refunds), "update: expected a list of skills"],
    [() => folder("./skills"), "serveSkillFolder: expected an McpServer first"],
    [() => folder(makeServer()), 'folder: write serveSkillFolder(server, { folder: "./skills" })'],
    [() => folder(makeServer(), { folder: ".", wacth: false }), 'there is no option "wacth"'],
  ];

  for (const [call, message] of cases) {
    await expect(call(), message).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining(message),
    });
  }
});

test("a mistaken argument of reading or saving is refused with the right one", async () => {
  const { client, reader, skill } = await connected();
  const make = async (...given: unknown[]) => Reflect.construct(SkillsClient, given);
  const read: Untyped = (given) => reader.read(given as never);
  const directory: Untyped = (given) => reader.directory(given as never);
  const save = saveSkill as Untyped;
  const listed = "expected a skill that get() or list() returned, got";
  const cases: [call: () => Promise<unknown>, message: string][] = [
    [() => make(), "SkillsClient: expected a connected Client, got nothing"],
    [() => make(Promise.resolve(client)), "got a promise; await it"],
    [() => make(client, { acceptUnverified: true }), 'did you mean "acceptsUnverified"?'],
    [() => read(URI), `read: ${listed} the string "${URI}"`],
    [() => read(reader.get(URI)), `read: ${listed} a promise; await it`],
    [() => read({ uri: URI }), `read: ${listed} an object`],
    [() => directory(URI), `directory: ${listed} the string "${URI}"`],
    [() => save(), "saveSkill: expected a SkillsClient first, got nothing"],
    [() => save(reader, URI, "."), `saveSkill: ${listed} the string "${URI}"`],
    [() => save(reader, skill), 'got nothing; write saveSkill(reader, skill, "./downloaded-skills")'],
    [() => save(reader, skill, ""), "saveSkill: expected the path of a folder"],
    [() => save(reader, skill, ".", { maxFiles: 1 }), 'there is no option "maxFiles"'],
  ];

  for (const [call, message] of cases) {
    await expect(call(), message).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining(message),
    });
  }
});
