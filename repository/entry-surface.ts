/** Reads what an entry file offers: an entry is a plain list of named re-exports, so its text tells everything. */
import { parseSync } from "oxc-parser";
import type { SourceFile } from "./source-files.js";

export interface EntrySurface {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

/** @throws {Error} when the file does anything but export named things from other files. */
export function surfaceOf(file: SourceFile): EntrySurface {
  const { module, program, errors } = parseSync(file.path, file.text);
  if (errors.length > 0) throw new Error(`${file.path}: ${errors.map((error) => error.message).join("; ")}`);
  const refuse = (start: number): never => {
    const line = file.text.slice(0, start).split("\n").length;
    throw new Error(`${file.path}:${line}: an entry holds only \`export { … } from\` and \`export type { … } from\``);
  };
  for (const statement of program.body) {
    if (statement.type !== "ExportNamedDeclaration" || statement.source === null) refuse(statement.start);
  }
  const named = module.staticExports.flatMap(({ entries }) =>
    entries.map((entry) => ({ name: entry.exportName.name ?? refuse(entry.start), isType: entry.isType })),
  );
  return {
    values: named
      .filter((entry) => !entry.isType)
      .map((entry) => entry.name)
      .sort(),
    types: named
      .filter((entry) => entry.isType)
      .map((entry) => entry.name)
      .sort(),
  };
}
