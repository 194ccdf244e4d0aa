/** `parley-mcp/skills/node`: skills in files, on Node. */
export type { SkillFolderLimits } from "./read-skill-folder.js";
export { saveSkill } from "./save-skill.js";
export { type ServedSkillFolder, type ServeSkillFolderOptions, serveSkillFolder } from "./serve-skill-folder.js";
