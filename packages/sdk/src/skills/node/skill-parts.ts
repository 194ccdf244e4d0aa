/** Divides the files and faults of a folder among its skills, in one pass over each. */
import { SKILL_FILE } from "../skill-uri.js";
import type { SkillTree, TreeFault, TreeFile } from "./skill-tree.js";

/** The files and the fault in the directory of one skill. A nested skill has its files in common with the skill around it. */
export interface SkillParts {
  readonly files: TreeFile[];
  /** The first one that was found. */
  fault: TreeFault | undefined;
}

export interface DividedTree {
  /** By the path of the directory, "" for the folder itself. */
  readonly skills: ReadonlyMap<string, SkillParts>;
  /** The faults outside of skills. */
  readonly strays: readonly TreeFault[];
}

export function divideTree({ files, faults }: Pick<SkillTree, "files" | "faults">): DividedTree {
  const skills = new Map<string, SkillParts>();
  for (const { path } of files) {
    if (path === SKILL_FILE || path.endsWith(`/${SKILL_FILE}`)) {
      skills.set(directoryOf(path), { files: [], fault: undefined });
    }
  }
  for (const file of files) for (const skill of skillsAround(file.path, skills)) skill.files.push(file);
  const strays = faults.filter((fault) => {
    const around = skillsAround(fault.path, skills);
    for (const skill of around) skill.fault ??= fault;
    return around.length === 0;
  });
  return { skills, strays };
}

function skillsAround(path: string, skills: ReadonlyMap<string, SkillParts>): readonly SkillParts[] {
  const around: SkillParts[] = [];
  for (let inner = path; inner !== ""; ) {
    inner = directoryOf(inner);
    const skill = skills.get(inner);
    if (skill) around.push(skill);
  }
  return around;
}

function directoryOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}
