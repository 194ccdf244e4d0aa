/** Reads the `@deprecated` marks of sources, and the tables of docs/deprecations.md. */
import { type Node, parseSync, Visitor } from "oxc-parser";
import type { SourceFile } from "./source-files.js";

export interface DeprecatedMember {
  /** `Type.member`, or the name of a type. */
  readonly name: string;
  /** What follows `@deprecated`. */
  readonly notice: string;
}

export function deprecatedMembers(file: SourceFile): DeprecatedMember[] {
  const { program, comments } = parseSync(file.path, file.text);
  const owners: { start: number; end: number; name: string }[] = [];
  const own = (node: Node & { readonly id?: { readonly name: string } | null }) => {
    if (node.id) owners.push({ start: node.start, end: node.end, name: node.id.name });
  };
  new Visitor({ TSInterfaceDeclaration: own, TSTypeAliasDeclaration: own, ClassDeclaration: own }).visit(program);

  return comments.flatMap(({ value, start, end }) => {
    const notice = /@deprecated\s+([^@]+)/
      .exec(value)?.[1]
      ?.replaceAll(/\s*\n\s*\*?\s*/g, " ")
      .trim();
    if (notice === undefined) return [];
    const owner = owners.find((candidate) => candidate.start < start && end < candidate.end);
    const declared = /^\s*(?:(?:export|interface|type|class|abstract|readonly|get|async)\s+)*(\w+)/.exec(
      file.text.slice(end),
    )?.[1];
    return [{ name: owner ? `${owner.name}.${declared}` : String(declared), notice }];
  });
}

/** The cells of the table below a heading, without its head. */
export function tableBelow({ text }: SourceFile, heading: string): string[][] {
  const [, section = ""] = text.split(`${heading}\n`);
  const rows = (section.split("\n#")[0] ?? "").split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(1).map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
