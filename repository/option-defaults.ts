/** Reads the optional properties of exported `*Options` and `*Config` types, and which of them have no `@defaultValue`. */
import { parseSync, Visitor } from "oxc-parser";
import { commentBefore } from "./limits.js";
import type { SourceFile } from "./source-files.js";

export interface Option {
  readonly path: string;
  /** Type and property: `LegacyOptions.maxSessions`. */
  readonly name: string;
  /** Text of its doc comment. */
  readonly comment: string;
}

export function optionsOf(file: SourceFile): Option[] {
  const { program, comments } = parseSync(file.path, file.text);
  return program.body.flatMap((statement) => {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : null;
    if (declared?.type !== "TSInterfaceDeclaration" && declared?.type !== "TSTypeAliasDeclaration") return [];
    const type = declared.id.name;
    if (!/(?:Options|Config)$/.test(type)) return [];
    const options: Option[] = [];
    const add = (node: { start: number; optional: boolean; key: { type: string } }) => {
      if (!node.optional || !("name" in node.key)) return;
      const comment = commentBefore(file.text, comments, node.start);
      options.push({ path: file.path, name: `${type}.${String(node.key.name)}`, comment });
    };
    new Visitor({ TSPropertySignature: add, TSMethodSignature: add }).visit({ ...program, body: [statement] });
    return options;
  });
}

export function lacksDefault({ comment }: Option): boolean {
  return !/@defaultValue\s+\S/.test(comment);
}
