/** Runs tests with a mutant in place of its source file, until one fails. */
import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MUTANT_VARIABLE } from "./mutant-plugin.js";
import type { Mutant } from "./mutate.js";
import type { UnitTestFailure, UnitTestRequest } from "./unit-test-server.js";

/** A mutant on which no file of tests ends for so long is killed: without it, each takes a fraction. */
const UNIT_LIMIT_MS = 120_000;
const INTERACTION_LIMIT_MS = 1_800_000;
/** Runs of a mutant whose failing test fails without it as well. */
const MAX_ATTEMPTS = 2;

export interface TestRunOptions {
  readonly root: string;
  /** A folder for the mutant that Vitest loads. */
  readonly scratch: string;
  /** `unit` leaves the interaction suite out, where a mutant that survives the unit tests takes minutes; `near` leaves other folders out, too. */
  readonly tests: "all" | "unit" | "near";
}

export class TestRunner implements AsyncDisposable {
  readonly #options: TestRunOptions;
  readonly #mutantPath: string;
  #server: ChildProcess | undefined;

  constructor(options: TestRunOptions) {
    this.#options = options;
    this.#mutantPath = join(options.scratch, "mutant.json");
  }

  /** Runs the tests of its folder first, which kill most mutants in seconds. Returns what failed; undefined for a survivor. */
  async killerOf({ file, text }: Mutant): Promise<string | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const failure = await this.#failureOfUnitTests({ file, text });
      if (failure === undefined) break;
      // A test that fails without the mutant as well has not noticed it: the machine is busy.
      if ((await this.#failureOfUnitTests({ file }, failure.module)) === undefined) return failure.message;
    }
    if (this.#options.tests !== "all") return undefined;
    this.#plant({ file, text });
    return this.#failureOfInteractionTests(file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopServer();
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

  /** @param only the only file of tests to run */
  async #failureOfUnitTests(planted: PlantedFile, only?: string): Promise<UnitTestFailure | undefined> {
    const { root, tests } = this.#options;
    const server = await this.#startServer();
    this.#plant(planted);
    const request: UnitTestRequest = {
      file: join(root, planted.file),
      folder: join(root, dirname(planted.file)),
      only,
      isNear: tests === "near",
    };
    server.send(request);
    const answer = await answerOf(server);
    if (answer !== undefined) return answer.failure;
    await this.#stopServer();
    return { message: "no file of unit tests ends any more" };
  }

  #plant(planted: PlantedFile): void {
    writeFileSync(this.#mutantPath, JSON.stringify(planted));
  }

  async #stopServer(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, "exit");
    process.kill(-server.pid, "SIGKILL");
    await exited;
  }

  #failureOfInteractionTests(file: string): string | undefined {
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
    return status === 0 ? undefined : `the interaction suite ended with ${status}`;
  }
}

/** A file with the text of its mutant, or without one. */
type PlantedFile = Pick<Mutant, "file"> & Partial<Pick<Mutant, "text">>;

interface UnitTestAnswer {
  readonly failure?: UnitTestFailure;
}

/** What failed; undefined if the process has ended, or no file of tests ends any more. */
function answerOf(server: ChildProcess): Promise<UnitTestAnswer | undefined> {
  return new Promise((resolve) => {
    const settle = (answer: UnitTestAnswer | undefined) => {
      clearTimeout(timer);
      server.off("message", hear).off("exit", leave);
      resolve(answer);
    };
    const leave = () => settle(undefined);
    const hear = (message: UnitTestAnswer & { readonly isDone?: boolean }) => {
      if (message.isDone) settle(message);
      else timer.refresh();
    };
    const timer = setTimeout(leave, UNIT_LIMIT_MS);
    server.on("message", hear).on("exit", leave);
  });
}
