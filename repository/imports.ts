/** Finds what a TypeScript module imports or re-exports, in every form the language has for it. */
import { posix } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { isTestFile, type SourceFile } from "./source-files.js";

export interface Import {
  readonly specifier: string;
  /** Gone after compilation. */
  readonly isTypeOnly: boolean;
}

/** @throws {Error} when the file does not parse, or imports something that is only known at run time. */
export function importsOf(file: SourceFile): Import[] {
  const { module, program, errors } = parseSync(file.path, file.text);
  if (errors.length > 0) throw new Error(`${file.path}: ${errors.map((error) => error.message).join("; ")}`);
  const imports: Import[] = [];
  for (const { moduleRequest, entries } of module.staticImports) {
    // `import {} from` and `import "x"` bind nothing and yet run the module.
    const isTypeOnly = entries.length > 0 && entries.every((entry) => entry.isType);
    imports.push({ specifier: moduleRequest.value, isTypeOnly });
  }
  for (const { entries } of module.staticExports) {
    const from = entries.find((entry) => entry.moduleRequest !== null)?.moduleRequest?.value;
    if (from !== undefined) imports.push({ specifier: from, isTypeOnly: entries.every((entry) => entry.isType) });
  }
  const add = (source: { type: string; value?: unknown }, isTypeOnly: boolean) => {
    if (typeof source.value === "string") imports.push({ specifier: source.value, isTypeOnly });
    // A test may load modules that it lists; published code must say what it loads.
    else if (!isTestFile(file.path)) {
      throw new Error(`${file.path}: import() of an expression; name the module with a string literal`);
    }
  };
  new Visitor({
    ImportExpression: (node) => add(node.source, false),
    TSImportType: (node) => add(node.source, true),
  }).visit(program);
  return imports;
}

/** The file a relative specifier means, or undefined for a package. */
export function resolveRelative(file: SourceFile, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return posix.join(posix.dirname(file.path), specifier).replace(/\.js$/, ".ts");
}
