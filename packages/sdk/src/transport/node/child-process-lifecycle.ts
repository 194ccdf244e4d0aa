/** Lifecycle of a child process: start, exit, and termination by closed stdin, SIGTERM and SIGKILL. Knows no messages. */
import type { ChildProcess } from "node:child_process";
import { timerMs } from "../../runtime/timers.js";

export interface TerminationTimeouts {
  readonly exitGraceMs: number;
  readonly killGraceMs: number;
  /** Time for the streams to end after the process has exited. */
  readonly drainMs: number;
}

export class ChildProcessLifecycle {
  readonly #child: ChildProcess;
  /** Rejects with the error if the program cannot be started. */
  readonly started: Promise<void>;
  /** Resolves when the process has exited, or could not be started. */
  readonly ended: Promise<void>;
  /** Resolves when its streams have ended too. Never resolves if a grandchild keeps them open. */
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
      // A signal that cannot be delivered also emits an error. `end` then sends the next signal.
      child.on("error", ignoreError);
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** How the process ended, for an error message. */
  get outcome(): string {
    const { exitCode, signalCode } = this.#child;
    if (signalCode !== null) return `was ended by ${signalCode}`;
    return exitCode === null ? "closed its standard streams" : `exited with code ${exitCode}`;
  }

  /** Waits for the exit, then sends SIGTERM, then SIGKILL. The caller closes the input before. */
  async end({ exitGraceMs, killGraceMs, drainMs }: TerminationTimeouts): Promise<void> {
    if (!(await settles(this.ended, exitGraceMs))) {
      this.#child.kill("SIGTERM");
      if (!(await settles(this.ended, killGraceMs))) {
        this.#child.kill("SIGKILL");
        // A process that survives SIGKILL hangs in a system call, so the wait is limited.
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

/** Listener for `error` events, which end this process if nobody listens. */
export function ignoreError(): void {
  // The exit of the process, or the end of its streams, reports the failure.
}

/** Child processes that are stopped when this process exits. */
const running = new Set<ChildProcess>();

function stopAtExit(child: ChildProcess): void {
  if (running.size === 0) process.on("exit", stopAll);
  running.add(child);
}

function hasExited(child: ChildProcess): void {
  running.delete(child);
  if (running.size === 0) process.off("exit", stopAll);
}

function stopAll(): void {
  for (const child of running) child.kill();
}
