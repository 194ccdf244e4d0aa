/** Serves skills from memory. skills/node reads skills from a folder. */
import { checkOptions, describeKind, type OptionTable } from "../errors/option-table.js";
import { SdkError } from "../errors/sdk-error.js";
import type { McpServer } from "../server/mcp-server.js";
import { checkServer } from "../server/server-hosting.js";
import { PublishedSkills } from "./published-skills.js";
import { LIMIT_OPTIONS, makeSkill, type Skill, type SkillDefinition, type SkillLimits } from "./skill.js";

/** How to serve skills, and their limits. */
export interface ServeSkillsOptions extends SkillLimits {
  /** Skills in one page of `skills/list`, and files in one of `resources/directory/read`. @defaultValue 50 */
  readonly pageSize?: number | undefined;
}

export const SERVE_OPTIONS: OptionTable<ServeSkillsOptions> = { ...LIMIT_OPTIONS, pageSize: true };

/** The skills that a server serves. */
export interface ServedSkills {
  /** The URIs of the skills, in order. */
  readonly uris: readonly string[];
  /**
   * Replaces the skills. Clients that subscribed to a changed file are notified, and all clients of a changed list of resources.
   * @throws {SdkError} `invalid-argument` or `duplicate-name`; the skills then stay as they were.
   */
  update(skills: readonly SkillDefinition[]): Promise<void>;
  /**
   * Calls the functions of the files again, and serves their results, as `update` with the same skills does.
   * @throws {SdkError} as `update` does.
   */
  refresh(): Promise<void>;
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
  checkServer("serveSkills", server);
  checkOptions("serveSkills", options, SERVE_OPTIONS);
  const made = async (call: string, given: readonly SkillDefinition[]): Promise<Skill[]> => {
    if (Array.isArray(given)) return Promise.all(given.map((skill) => makeSkill(skill, options)));
    const expected = 'a list of skills such as [{ path: "git-flow", files: { "SKILL.md": text } }]';
    throw new SdkError("invalid-argument", `${call}: expected ${expected}, got ${describeKind(given)}`);
  };
  const published = new PublishedSkills(server, await made("serveSkills", skills), options.pageSize);
  let served = skills;
  /** Those of the last call of `update`, which may still run. */
  let requested = skills;
  let calls = 0;
  let lastServed = 0;
  const update = async (given: readonly SkillDefinition[]): Promise<void> => {
    calls += 1;
    const call = calls;
    requested = given;
    try {
      const next = await made("update", given);
      // A function took longer than those of a later call, whose skills are newer.
      if (call < lastServed) return;
      published.replace(next);
      served = given;
      lastServed = call;
    } catch (error) {
      if (requested === given) requested = served;
      throw error;
    }
  };
  return {
    get uris() {
      return published.uris;
    },
    update,
    refresh: () => update(requested),
  };
}
