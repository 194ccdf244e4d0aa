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

it("refreshes the skills of an update that still runs, and the served ones after an update that failed", async () => {
  const served = await serveSkills(new McpServer({ name: "s", version: "1.0.0" }), [skillNamed("old")]);
  let release: (content: string) => void = () => undefined;
  const waiting = new Promise<string>((resolve) => {
    release = resolve;
  });
  let calls = 0;
  const contentOf = () => {
    calls += 1;
    return calls === 1 ? waiting : "ready";
  };
  const updating = served.update([skillNamed("new", { "slow.md": contentOf })]);
  await served.refresh();
  expect(served.uris).toEqual(["skill://new/SKILL.md"]);
  release("late");
  await updating;

  await expect(served.update([skillNamed("WRONG")])).rejects.toThrow();
  await served.refresh();
  expect(served.uris).toEqual(["skill://new/SKILL.md"]);
});

it("refreshes the skills of an update that still runs, also if an earlier one fails meanwhile", async () => {
  const served = await serveSkills(new McpServer({ name: "s", version: "1.0.0" }), []);
  let fail: (error: Error) => void = () => undefined;
  const failing = new Promise<string>((_resolve, reject) => {
    fail = reject;
  });
  const answers = [new Promise<string>(() => undefined), "ready"];
  const earlier = served.update([skillNamed("earlier", { "slow.md": () => failing })]);
  void served.update([skillNamed("later", { "slow.md": () => answers.shift() ?? "ready" })]);
  fail(new Error("the disk is gone"));
  await expect(earlier).rejects.toThrow("its function failed");
  await served.refresh();
  expect(served.uris).toEqual(["skill://later/SKILL.md"]);
});
