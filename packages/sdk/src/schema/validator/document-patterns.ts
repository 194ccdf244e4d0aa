/** The patterns of one schema document, each compiled once, all of them together within a limit. */
import { compilePattern, type PatternTest } from "../pattern-matcher.js";
import { type SchemaNode, unusable } from "../schema-node.js";
import { clip } from "../validation.js";

/** How large all patterns may be together: compiling is work, and a schema may come from a peer. */
const maxTotalSize = 30_000;

export class DocumentPatterns {
  readonly #tests = new Map<string, PatternTest>();
  #size = 0;

  /** @throws SdkError `unusable-schema` for what is no pattern or cannot be run safely */
  test(pattern: string, node: SchemaNode): PatternTest {
    const known = this.#tests.get(pattern);
    if (known !== undefined) return known;
    const { test, size } = compile(pattern, node);
    this.#size += size;
    if (this.#size > maxTotalSize) throw unusable(node.pointer, "is one pattern too many: together they are too large");
    this.#tests.set(pattern, test);
    return test;
  }
}

function compile(pattern: string, { pointer }: SchemaNode): { test: PatternTest; size: number } {
  let compiled: ReturnType<typeof compilePattern>;
  try {
    compiled = compilePattern(pattern);
  } catch {
    throw unusable(pointer, `has a pattern that is no regular expression: ${clip(pattern)}`);
  }
  if (compiled !== undefined) return compiled;
  throw unusable(pointer, `has a pattern that is too large or uses back references or look-behind: ${clip(pattern)}`);
}
