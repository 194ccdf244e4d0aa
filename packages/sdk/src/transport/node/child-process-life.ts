/** The life of a child process: whether it started, how it ended, and how it is made to end. Knows nothing of messages. */
import type { ChildProcess } from "node:child_process";
import { timerMs } from "../../runtime/timers.js";
import { hasExited, stopAtExit } from "./children-at-exit.js";

export interface Patience {
  readonly exitGraceMs: number;
  readonly killGraceMs: number;
  /** How long its streams may take to end after it has. */
  readonly drainMs: number;
}

export class ChildProcessLife {
  readonly #child: ChildProcess;
  /** Rejects with what kept the program from starting. */
  readonly started: Promise<void>;
  /** Resolves when it has exited, or could not be started. */
  readonly ended: Promise<void>;
  /** Resolves when its streams have ended as well, which never happens if it has left somebody behind that holds them. */
  readonly #drained: Promise<unknown>;
  #isOver = false;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.started = new Promise((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    this.#drained = new Promise((resolve) => child.once("close", resolve));
    this.ended = new Promise((resolve) => {
      const over = () => {
        this.#isOver = true;
        hasExited(child);
        resolve();
      };
      child.once("exit", over);
      this.started.then(() => stopAtExit(child), over);
      // A signal that cannot be delivered is an error, too: the exit will tell, or the next signal.
      child.on("error", ignoreError);
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** How it ended, for an error message. */
  get outcome(): string {
    const { exitCode, signalCode } = this.#child;
    if (signalCode !== null) return `was ended by ${signalCode}`;
    return exitCode === null ? "closed its standard streams" : `exited with code ${exitCode}`;
  }

  /** Waits for it to exit by itself; asks, then insists. Its input has to be closed before. */
  async end({ exitGraceMs, killGraceMs, drainMs }: Patience): Promise<void> {
    if (!(await settles(this.ended, exitGraceMs))) {
      this.#child.kill("SIGTERM");
      if (!(await settles(this.ended, killGraceMs))) {
        this.#child.kill("SIGKILL");
        // What not even this ends hangs in the operating system: nothing more can be done, and nobody should wait.
        await settles(this.ended, killGraceMs);
      }
    }
    await settles(this.#drained, drainMs);
  }
}

/** Whether the promise resolves within the time. */
function settles(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), timerMs(ms));
    void promise.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

/** For what would end this process without a listener, and is told of by something else. */
export function ignoreError(): void {
  // The end of the process or of its streams says all there is to say.
}
