/** Makes the stdio programs runnable for tests, from the sources as they are: Node runs no TypeScript, and a build may be old. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const sources = fileURLToPath(new URL("../", import.meta.url));
const sdk = fileURLToPath(new URL("../../../packages/sdk/src/", import.meta.url));

export class BuiltPrograms implements AsyncDisposable {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Bundles programs, given as paths in `bench/src` without their endings. */
  static async of(programs: readonly string[]): Promise<BuiltPrograms> {
    const folder = await mkdtemp(join(tmpdir(), "parley-bench-"));
    const entries = ["server", "node"].map((name) => [`parley-mcp/${name}`, `${sdk}${name}/index.ts`]);
    await using bundle = await rolldown({
      input: programs.map((program) => `${sources}${program}.ts`),
      platform: "node",
      resolve: {
        alias: { ...Object.fromEntries(entries), "#platform": `${sdk}transport/platform/node-platform.ts` },
        // The sources name each other as they are called once compiled.
        extensionAlias: { ".js": [".ts", ".js"] },
      },
      onLog: () => undefined,
    });
    await bundle.write({ dir: folder, format: "esm" });
    return new BuiltPrograms(folder);
  }

  /** Where a program lies that another path names, whatever its folder. */
  find(program: string): string {
    return join(this.#folder, basename(program));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
