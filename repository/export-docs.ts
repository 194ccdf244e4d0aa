/** Finds the declaration of each name that an entry exports, and its doc comment. */
import { posix } from "node:path";
import { parseSync, type Statement } from "oxc-parser";
import { commentBefore } from "./limits.js";
import type { SourceFile } from "./source-files.js";

export interface ExportDoc {
  readonly name: string;
  /** The file that declares the name. */
  readonly path: string;
  /** Text of the doc comment; empty if there is none. */
  readonly comment: string;
}

/** Follows re-exports by `read`. @throws {Error} for a name that no file on the way declares. */
export function exportDocs(entry: SourceFile, read: (path: string) => SourceFile): ExportDoc[] {
  const { module } = parseSync(entry.path, entry.text);
  return module.staticExports.flatMap(({ entries }) =>
    entries.map(({ exportName, importName, moduleRequest }) => {
      const name = exportName.name ?? "";
      return { ...findDoc(read(sourceOf(entry.path, moduleRequest?.value)), importName.name ?? name, read), name };
    }),
  );
}

function findDoc(file: SourceFile, name: string, read: (path: string) => SourceFile): Omit<ExportDoc, "name"> {
  const { comments, module, program } = parseSync(file.path, file.text);
  const declared = program.body.find((statement) => declares(statement, name));
  if (declared) return { path: file.path, comment: docBefore(commentBefore(file.text, comments, declared.start)) };
  const passedOn = module.staticExports
    .flatMap(({ entries }) => entries)
    .find(({ exportName, moduleRequest }) => exportName.name === name && moduleRequest !== null);
  if (!passedOn) throw new Error(`${file.path} declares no ${name}`);
  return findDoc(read(sourceOf(file.path, passedOn.moduleRequest?.value)), passedOn.importName.name ?? name, read);
}

function declares(statement: Statement, name: string): boolean {
  const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : null;
  if (!declared) return false;
  const ids = declared.type === "VariableDeclaration" ? declared.declarations.map(({ id }) => id) : [declared.id];
  return ids.some((id) => id?.type === "Identifier" && id.name === name);
}

/** A comment that begins with two asterisks. */
function docBefore(comment: string): string {
  return comment.startsWith("*") ? comment.slice(1).trim() : "";
}

function sourceOf(from: string, request = ""): string {
  return posix.join(posix.dirname(from), request).replace(/\.js$/, ".ts");
}
