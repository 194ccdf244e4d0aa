/** Runs files of tests with a mutant in place of its source file, until one fails. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { MUTANT_VARIABLE, type Planted } from "./mutant-plugin.js";
import type { Mutant } from "./mutate.js";
import type { RequestedTest, TestFailure, TestMessage, TestRequest } from "./test-server.js";

/** The tests of a mutant that show no progress for so long never end, so the mutant is killed. */
const LIMIT_MS = 60_000;
/** A test that failed sooner was not late, so it needs no second run without the mutant. */
const LATE_MS = 1_000;

export interface TestRunOptions {
  readonly root: string;
  /** The file that names the mutant that Vitest loads. */
  readonly plantedPath: string;
  /** Whether a run ends with the first failure. */
  readonly bails: boolean;
}

/** A process that runs tests. */
export class TestRunner implements AsyncDisposable {
  readonly #options: TestRunOptions;
  #server: ChildProcess | undefined;

  constructor(options: TestRunOptions) {
    this.#options = options;
  }

  /** Returns the message of the test that failed; undefined for a survivor. */
  async killerOf({ file, text }: Mutant, tests: readonly RequestedTest[]): Promise<string | undefined> {
    let left = tests;
    while (left.length > 0) {
      const failure = await this.#failureOf({ file, text }, { file, tests: left });
      if (failure === undefined || failure.ms < LATE_MS || failure === NEVER_ENDS) return failure?.message;
      // A test that fails without the mutant as well has not noticed it: the machine is busy.
      const failed = left.filter(({ path }) => failure.path === undefined || failure.path === path);
      if ((await this.#failureOf(undefined, { file, tests: failed })) === undefined) return failure.message;
      left = left.filter((test) => !failed.includes(test));
    }
    return undefined;
  }

  /** Sends a request, and hands on what the server tells until it is done. False if it shows no progress any more. */
  async request(
    planted: Planted,
    request: TestRequest | "tests",
    onMessage: (message: TestMessage) => void,
  ): Promise<boolean> {
    writeFileSync(this.#options.plantedPath, JSON.stringify(planted ?? null));
    const server = this.#server ?? (await this.#start());
    const isDone = isDoneBy(server, onMessage);
    server.send(request);
    if (await isDone) return true;
    await this[Symbol.asyncDispose]();
    return false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, "exit");
    process.kill(-server.pid, "SIGKILL");
    await exited;
  }

  async #start(): Promise<ChildProcess> {
    const { root, plantedPath, bails } = this.#options;
    const server = fork(fileURLToPath(new URL("test-server.js", import.meta.url)), [bails ? "1" : "0"], {
      cwd: root,
      env: { ...process.env, [MUTANT_VARIABLE]: plantedPath },
      // A group of its own, to end its workers with it.
      detached: true,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#server = server;
    const starting = new AbortController();
    const ended = once(server, "exit", starting).then(() => {
      throw new Error("The test server ended while it started");
    });
    await Promise.race([once(server, "message"), ended]);
    starting.abort();
    return server;
  }

  async #failureOf(planted: Planted, request: TestRequest): Promise<TestFailure | undefined> {
    let failure: TestFailure | undefined;
    const ends = await this.request(planted, request, (message) => {
      if (message.kind === "done") failure = message.failure;
    });
    return ends ? failure : NEVER_ENDS;
  }
}

const NEVER_ENDS: TestFailure = { message: "the tests do not end any more", ms: LIMIT_MS };

function isDoneBy(server: ChildProcess, onMessage: (message: TestMessage) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isDone: boolean) => {
      clearTimeout(timer);
      server.off("message", hear).off("exit", leave);
      resolve(isDone);
    };
    const leave = () => settle(false);
    const hear = (message: TestMessage) => {
      timer.refresh();
      onMessage(message);
      if (message.kind === "done" || message.kind === "tests") settle(true);
    };
    const timer = setTimeout(leave, LIMIT_MS);
    server.on("message", hear).on("exit", leave);
  });
}
