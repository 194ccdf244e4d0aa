/** Runs tests with a mutant in place of its source file, until one fails. */
import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MUTANT_VARIABLE } from "./mutant-plugin.js";
import type { Mutant } from "./mutate.js";
import type { UnitTestRequest } from "./unit-test-server.js";

/** A mutant on which no file of tests ends for so long is killed: without it, each takes a fraction. */
const UNIT_LIMIT_MS = 120_000;
const INTERACTION_LIMIT_MS = 1_800_000;

export interface TestRunOptions {
  readonly root: string;
  /** A folder for the mutant that Vitest loads. */
  readonly scratch: string;
  /** Leave the interaction suite out: a mutant that survives the unit tests takes minutes there. */
  readonly unitOnly: boolean;
}

export class TestRunner implements AsyncDisposable {
  readonly #options: TestRunOptions;
  readonly #mutantPath: string;
  #server: ChildProcess | undefined;

  constructor(options: TestRunOptions) {
    this.#options = options;
    this.#mutantPath = join(options.scratch, "mutant.json");
  }

  /** Runs the tests of its folder first, which kill most mutants in seconds. Returns whether a test failed. */
  async isKilled({ file, text }: Mutant): Promise<boolean> {
    const { unitOnly } = this.#options;
    const server = await this.#startServer();
    writeFileSync(this.#mutantPath, JSON.stringify({ file, text }));
    return (await this.#failsInUnitTests(server, file)) || (!unitOnly && this.#failsInInteractionTests(file));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopServer();
    rmSync(this.#mutantPath, { force: true });
  }

  async #startServer(): Promise<ChildProcess> {
    if (this.#server) return this.#server;
    const server = fork(fileURLToPath(new URL("unit-test-server.js", import.meta.url)), {
      cwd: this.#options.root,
      env: { ...process.env, [MUTANT_VARIABLE]: this.#mutantPath },
      // A group of its own, to end its workers with it.
      detached: true,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#server = server;
    await once(server, "message");
    return server;
  }

  async #failsInUnitTests(server: ChildProcess, file: string): Promise<boolean> {
    const { root } = this.#options;
    const request: UnitTestRequest = { file: join(root, file), folder: join(root, dirname(file)) };
    server.send(request);
    const hasFailure = await answerOf(server);
    if (hasFailure === undefined) await this.#stopServer();
    return hasFailure ?? true;
  }

  async #stopServer(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, "exit");
    process.kill(-server.pid, "SIGKILL");
    await exited;
  }

  #failsInInteractionTests(file: string): boolean {
    const { root } = this.#options;
    const program = join(root, "node_modules/vitest/vitest.mjs");
    const projects = ["--project", "interaction", "--project", "interaction-alone"];
    const args = ["related", file, "--run", "--passWithNoTests", ...projects, "--bail", "1", "--reporter", "dot"];
    const { status } = spawnSync(process.execPath, [program, ...args], {
      cwd: root,
      env: { ...process.env, [MUTANT_VARIABLE]: this.#mutantPath },
      stdio: "ignore",
      timeout: INTERACTION_LIMIT_MS,
    });
    // Null after a time limit.
    return status !== 0;
  }
}

/** Whether a test failed; undefined if the process has ended, or no file of tests ends any more. */
function answerOf(server: ChildProcess): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const settle = (outcome: boolean | undefined) => {
      clearTimeout(timer);
      server.off("message", hear).off("exit", leave);
      resolve(outcome);
    };
    const leave = () => settle(undefined);
    const hear = (message: { readonly hasFailure?: boolean }) => {
      if (message.hasFailure === undefined) timer.refresh();
      else settle(message.hasFailure);
    };
    const timer = setTimeout(leave, UNIT_LIMIT_MS);
    server.on("message", hear).on("exit", leave);
  });
}
