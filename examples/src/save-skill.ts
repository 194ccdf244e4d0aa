/**
 * Saves a skill of a server into a folder: `node examples/dist/save-skill.js <folder> [skill] -- <command> …`. Without the URI of a
 * skill it lists the skills. Every file is verified before it is written.
 */
import { Client } from "parley-mcp/client";
import { SkillsClient } from "parley-mcp/skills";
import { saveSkill } from "parley-mcp/skills/node";

const given = process.argv.slice(2);
const end = given.indexOf("--");
const [folder, uri] = given.slice(0, end);
const [command, ...args] = given.slice(end + 1);
if (end < 1 || folder === undefined || command === undefined) {
  console.error("Usage: save-skill.js <folder> [skill] -- <command of a server> …");
  process.exit(1);
}

await using client = await Client.connect({ command, args }, { name: "save-skill", version: "1.0.0" });
const skills = new SkillsClient(client);
if (uri === undefined) {
  for (const skill of await skills.list()) console.log(`${skill.uri}  ${skill.description}`);
} else {
  const skill = await skills.get(uri);
  console.log(`saved ${skill.files?.length} files to ${await saveSkill(skills, skill, folder)}`);
}
