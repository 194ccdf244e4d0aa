/** Serves skills from memory. skills/node reads skills from a folder. */
import type { McpServer } from "../server/mcp-server.js";
import { PublishedSkills } from "./published-skills.js";
import { makeSkill, type Skill, type SkillDefinition, type SkillLimits } from "./skill.js";

/** How to serve skills, and their limits. */
export interface ServeSkillsOptions extends SkillLimits {
  /** Skills in one page of `skills/list`, and files in one of `resources/directory/read`. @defaultValue 50 */
  readonly pageSize?: number | undefined;
}

/** The skills that a server serves. */
export interface ServedSkills {
  /** The URIs of the skills, in order. */
  readonly uris: readonly string[];
  /**
   * Replaces the skills. Clients that subscribed to a changed file are notified, and all clients of a changed list of resources.
   * @throws {SdkError} `invalid-argument` or `duplicate-name`; the skills then stay as they were.
   */
  update(skills: readonly SkillDefinition[]): Promise<void>;
}

/**
 * Adds the skills extension to a server and serves skills from memory. Each `SKILL.md` is in `resources/list`. Other files are
 * found by `skills/get` and `resources/directory/read`.
 * @throws {SdkError} `invalid-argument` or `duplicate-name`
 *
 * @example
 * await serveSkills(server, [
 *   { path: "git-flow", files: { "SKILL.md": "---\nname: git-flow\ndescription: Branches and commits\n---\n# Git flow" } },
 * ]);
 */
export async function serveSkills(
  server: McpServer,
  skills: readonly SkillDefinition[],
  options: ServeSkillsOptions = {},
): Promise<ServedSkills> {
  const made = (given: readonly SkillDefinition[]): Promise<Skill[]> =>
    Promise.all(given.map((skill) => makeSkill(skill, options)));
  const published = new PublishedSkills(server, await made(skills), options.pageSize);
  return {
    get uris() {
      return published.uris;
    },
    update: async (given) => published.replace(await made(given)),
  };
}
