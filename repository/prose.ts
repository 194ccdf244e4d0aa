/** What must not appear in any text of the repository. Each finding names the file, the line and the words. */
import type { SourceFile } from "./source-files.js";

const britishStems = [
  ...["behavi", "hon", "col", "fav", "neighb", "flav", "lab"].map((stem) => `${stem}our`),
  ...["serial", "normal", "initial", "recogn", "organ", "custom", "synchron", "author", "minim", "maxim", "final"].map(
    (stem) => `${stem}is(?:e|ing|ation)`,
  ),
  ...["summar", "prior(?:it)", "optim", "util", "real", "special", "general", "token"].map(
    (stem) => `${stem}is(?:e|ing|ation)`,
  ),
  "artef(?=act)",
  "whil(?=st\\b)",
];

const rules: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  { name: "a path of one machine", pattern: /(?<![\w:/.~-])\/(?:home|Users|root|work)\/[\w.-]+/g },
  { name: "a path of one machine", pattern: /\b[A-Z]:\\Users\\/g },
  {
    name: "a registry's host",
    pattern:
      /\bregistry\.(?:npmjs|yarnpkg|npmmirror)\b|https?:\/\/[^\s"'<>)]*\b(?:npm-?registry|artifactory|verdaccio)\b/gi,
  },
];
/** Not for lockfiles: packages are spelled by those who named them. */
const spelling = { name: "British spelling", pattern: new RegExp(britishStems.join("|"), "gi") };

export function proseViolations({ path, text }: SourceFile): string[] {
  const applied = path.endsWith("package-lock.json") ? rules : [...rules, spelling];
  return text
    .split("\n")
    .flatMap((line, index) =>
      applied.flatMap(({ name, pattern }) =>
        [...line.matchAll(pattern)].map(([words]) => `${path}:${index + 1}: ${name}: ${words}`),
      ),
    );
}
