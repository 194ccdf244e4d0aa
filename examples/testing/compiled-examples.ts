/** The examples, compiled into a folder of their own for one test file, so that no two of them write to one place. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type ProgramOptions, RunningProgram } from "./running-program.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

export class CompiledExamples implements Disposable {
  readonly #folder: string;

  /** @throws {Error} with what the compiler says. The packages have to be built already. */
  constructor() {
    mkdirSync(`${root}/examples/dist`, { recursive: true });
    this.#folder = mkdtempSync(`${root}/examples/dist/test-`);
    const compiler = [
      "node_modules/typescript/bin/tsc",
      "-p",
      "examples/tsconfig.build.json",
      "--outDir",
      this.#folder,
    ];
    const { status, stdout } = spawnSync(process.execPath, compiler, { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(`The examples do not compile; is there a build? (npm run build)\n${stdout}`);
  }

  path(name: string): string {
    return `${this.#folder}/${name}.js`;
  }

  start(name: string, options?: ProgramOptions): RunningProgram {
    return new RunningProgram(this.path(name), options);
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
