/** Reads the numeric options of the published option types, and the table of limits in docs/security.md. */
import { type Comment, type Node, parseSync, Visitor } from "oxc-parser";
import type { SourceFile } from "./source-files.js";

export interface NumericOption {
  /** Type and property: `LegacyOptions.maxSessions`. */
  readonly name: string;
  /** Text of its `@defaultValue`. */
  readonly defaultValue: string | undefined;
}

interface OptionType {
  readonly name: string;
  /** Types that it extends or intersects. */
  readonly parents: readonly string[];
  readonly options: readonly NumericOption[];
}

/** Whether the name of an option says that it is a limit or a duration. */
export function isLimit({ name }: NumericOption): boolean {
  return /\.(?:max(?:[A-Z]\w*)?|\w+Ms)$/.test(name);
}

/** The numeric options of the types that entries publish, and of the types that those extend. */
export function publishedOptions(files: readonly SourceFile[], published: ReadonlySet<string>): NumericOption[] {
  const types = files.flatMap(optionTypes);
  const reached = new Set(published);
  // A set hands out names that are added while it is read.
  for (const name of reached) {
    for (const type of types) if (type.name === name) for (const parent of type.parents) reached.add(parent);
  }
  return types.filter(({ name }) => reached.has(name)).flatMap(({ options }) => options);
}

/** The rows below a heading. A row may name several options that have one default. */
export function tableRows({ text }: SourceFile, heading: string): NumericOption[] {
  const [, section = ""] = text.split(`\n## ${heading}\n`);
  const lines = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| `"));
  return lines.flatMap((line) => {
    const [, options = "", value = ""] = line.split("|");
    const defaultValue = value
      .replace(/\(.*\)/, "")
      .replaceAll("`", "")
      .trim();
    return [...options.matchAll(/`([\w.]+)`/g)].map(([, name = ""]) => ({ name, defaultValue }));
  });
}

function optionTypes(file: SourceFile): OptionType[] {
  const { program, comments } = parseSync(file.path, file.text);
  return program.body.flatMap((statement) => {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : null;
    if (declared?.type !== "TSInterfaceDeclaration" && declared?.type !== "TSTypeAliasDeclaration") return [];
    const { name } = declared.id;
    const found: { start: number; option: string }[] = [];
    const parents: string[] = [];
    const visitor = new Visitor({
      TSPropertySignature(property) {
        if (!property.optional || property.key.type !== "Identifier" || !isNumber(property.typeAnnotation)) return;
        found.push({ start: property.start, option: `${name}.${property.key.name}` });
      },
      TSInterfaceHeritage({ expression }) {
        if (expression.type === "Identifier") parents.push(expression.name);
      },
      TSIntersectionType({ types }) {
        for (const type of types) {
          if (type.type === "TSTypeReference" && type.typeName.type === "Identifier") parents.push(type.typeName.name);
        }
      },
    });
    visitor.visit({ ...program, body: [statement] });
    const options = found.map(({ start, option }) => ({
      name: option,
      defaultValue: defaultIn(commentBefore(file.text, comments, start)),
    }));
    return [{ name, parents, options }];
  });
}

/** `number`, perhaps beside `undefined`. */
function isNumber(annotation: Node | null | undefined): boolean {
  if (annotation?.type !== "TSTypeAnnotation") return false;
  const type = annotation.typeAnnotation;
  const types = type.type === "TSUnionType" ? type.types : [type];
  return types.some(({ type: kind }) => kind === "TSNumberKeyword");
}

/** The comment that ends right before a position, or an empty text. */
export function commentBefore(text: string, comments: readonly Comment[], start: number): string {
  return comments.find(({ end }) => end <= start && text.slice(end, start).trim() === "")?.value ?? "";
}

function defaultIn(comment: string): string | undefined {
  return /@defaultValue (.*)/.exec(comment)?.[1]?.trim();
}
