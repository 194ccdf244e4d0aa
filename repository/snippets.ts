/**
 * Finds the TypeScript examples in a Markdown page. A ```ts block is a complete module that runs and ends by itself;
 * `norun` after `ts` means that it is compiled only, `file=server.ts` gives it a name that later blocks of the page
 * import. A ```text block under `<!-- output -->` is what the block before it prints.
 *
 * Examples keep to the syntax of the oldest Node that is supported, so that they also run where only types are erased.
 */
import type { SourceFile } from "./source-files.js";

export interface Snippet {
  readonly path: string;
  /** The line of its opening fence. */
  readonly line: number;
  /** The module's name among the snippets of its page, such as `line-12.ts`. */
  readonly file: string;
  readonly text: string;
  readonly runs: boolean;
  /** What it must print, where the page says so. */
  readonly output: string | undefined;
}

interface Block {
  readonly line: number;
  readonly info: string;
  readonly text: string;
  /** The last line of text before the block, blank lines aside. */
  readonly lead: string;
}

const outputMark = "<!-- output -->";

/** @throws {Error} when a block is left open, is marked wrongly, or shows output that belongs to nothing. */
export function snippetsOf(page: SourceFile): Snippet[] {
  const snippets: Snippet[] = [];
  let previous: Block | undefined;
  for (const block of blocksOf(page)) {
    const origin = `${page.path}:${block.line}`;
    const [language = "", ...marks] = block.info.split(/\s+/);
    if (["typescript", "tsx", "js", "javascript"].includes(language)) {
      throw new Error(`${origin}: write \`ts\` instead of \`${language}\`, so that the example is compiled and run`);
    }
    if (language === "ts") {
      const read = readMarks(origin, block.line, marks);
      refuseNewerSyntax(page.path, block);
      snippets.push({ path: page.path, line: block.line, text: block.text, output: undefined, ...read });
    }
    if (block.lead === outputMark) {
      const last = snippets.pop();
      if (language !== "text" || last === undefined || previous?.info.split(/\s+/)[0] !== "ts" || !last.runs) {
        throw new Error(`${origin}: ${outputMark} needs a \`text\` block right after a \`ts\` block that runs`);
      }
      snippets.push({ ...last, output: block.text });
    }
    previous = block;
  }
  return snippets;
}

function readMarks(origin: string, line: number, marks: readonly string[]): { file: string; runs: boolean } {
  let file = `line-${line}.ts`;
  let runs = true;
  for (const mark of marks) {
    const named = /^file=([a-z0-9-]+\.ts)$/.exec(mark)?.[1];
    if (named !== undefined) file = named;
    else if (mark === "norun") runs = false;
    else throw new Error(`${origin}: unknown mark "${mark}"; known are norun and file=name.ts`);
  }
  return { file, runs };
}

function refuseNewerSyntax(path: string, block: Block): void {
  const row = block.text.split("\n").findIndex((line) => /^\s*(?:await )?using \w+ =/.test(line));
  if (row >= 0) {
    throw new Error(
      `${path}:${block.line + 1 + row}: \`using\` is a syntax error on Node 20 and 22; call \`close()\` instead`,
    );
  }
}

function blocksOf(page: SourceFile): Block[] {
  const blocks: Block[] = [];
  let open: { fence: string; indent: number; line: number; info: string; lines: string[] } | undefined;
  let lead = "";
  for (const [index, line] of page.text.split("\n").entries()) {
    const fence = /^(\s*)(`{3,}|~{3,})\s*(.*?)\s*$/.exec(line);
    if (open === undefined) {
      if (fence !== null) {
        const [, indent = "", mark = "", info = ""] = fence;
        open = { fence: mark, indent: indent.length, line: index + 1, info, lines: [] };
      } else if (line.trim() !== "") lead = line.trim();
    } else if (fence?.[3] === "" && fence[2]?.startsWith(open.fence)) {
      blocks.push({ line: open.line, info: open.info, text: `${open.lines.join("\n")}\n`, lead });
      open = undefined;
      lead = "";
    } else open.lines.push(line.slice(Math.min(open.indent, line.length - line.trimStart().length)));
  }
  if (open !== undefined) throw new Error(`${page.path}:${open.line}: the block is never closed`);
  return blocks;
}
