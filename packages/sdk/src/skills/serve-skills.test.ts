import { expect, it } from "vitest";
import { McpServer } from "../server/mcp-server.js";
import { serveSkills } from "./serve-skills.js";
import type { SkillFileContent } from "./skill.js";

const skillNamed = (name: string, more: Record<string, SkillFileContent> = {}) => ({
  path: name,
  files: { "SKILL.md": `---\nname: ${name}\ndescription: About ${name}\n---\n`, ...more },
});

it("keeps the skills of a later update, also if the functions of an earlier one take longer", async () => {
  const served = await serveSkills(new McpServer({ name: "s", version: "1.0.0" }), []);
  let release: (content: string) => void = () => undefined;
  const slow = new Promise<string>((resolve) => {
    release = resolve;
  });
  const earlier = served.update([skillNamed("earlier", { "slow.md": () => slow })]);
  await served.update([skillNamed("later")]);
  release("late");
  await earlier;
  expect(served.uris).toEqual(["skill://later/SKILL.md"]);
  await served.refresh();
  expect(served.uris).toEqual(["skill://later/SKILL.md"]);
});
