/** `parley-mcp/skills`: the skills extension, for servers and clients on any runtime. */
export { parseFrontmatter } from "./frontmatter.js";
export type { ListedSkill, ListedSkillFile } from "./listed-skill.js";
export { type ServedSkills, type ServeSkillsOptions, serveSkills } from "./serve-skills.js";
export type { SkillDefinition, SkillFileContent, SkillLimits } from "./skill.js";
export { type SkillContent, SkillsClient, type SkillsClientOptions } from "./skills-client.js";
export {
  getSkill,
  listSkills,
  readDirectory,
  type SkillEntry,
  type SkillFrontmatter,
  type SkillResource,
  type SkillsServerSettings,
  skills,
} from "./skills-extension.js";
