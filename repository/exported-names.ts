/** One name means one thing: exported classes, interfaces, types and enums of different folders have different names. */
import { posix } from "node:path";
import { parseSync } from "oxc-parser";
import { isTestFile, type SourceFile } from "./source-files.js";

const DECLARATIONS: ReadonlySet<string> = new Set([
  "ClassDeclaration",
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "TSEnumDeclaration",
]);

/** Each name that several folders declare and export, with those folders. A re-export declares nothing. */
export function sharedNames(files: readonly SourceFile[]): Map<string, string[]> {
  const foldersOf = new Map<string, Set<string>>();
  for (const file of files) {
    if (isTestFile(file.path)) continue;
    for (const name of declaredTypes(file)) {
      const folders = foldersOf.get(name) ?? new Set();
      foldersOf.set(name, folders.add(posix.dirname(file.path)));
    }
  }
  const shared = [...foldersOf].filter(([, folders]) => folders.size > 1);
  return new Map(shared.map(([name, folders]) => [name, [...folders].sort()]));
}

function declaredTypes({ path, text }: SourceFile): string[] {
  return parseSync(path, text).program.body.flatMap((statement) => {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : null;
    return declared && DECLARATIONS.has(declared.type) && "id" in declared && declared.id?.type === "Identifier"
      ? [declared.id.name]
      : [];
  });
}
