/**
 * Start and shutdown of a server. `onStart` runs before the first request, `onClose` after the last host has closed. Hosts
 * hold the server while they serve it. A shutdown waits for a hook until its grace has passed. A server that is used after its
 * shutdown starts again.
 */
import { SdkError } from "../errors/sdk-error.js";
import type { ErrorCallback } from "../runtime/error-callback.js";
import { markHandled } from "../runtime/maybe-promise.js";
import { withTimeout } from "../runtime/timers.js";

/** Time that a shutdown waits for the hooks of a server by default. */
const DEFAULT_HOOK_GRACE_MS = 10_000;

export interface LifecycleHooks {
  readonly onStart?: (() => unknown) | undefined;
  readonly onClose?: (() => unknown) | undefined;
}

/** One host's hold on a server. */
export interface ServerHold {
  /** Rejects with the error of `onStart`. */
  readonly started: Promise<void>;
  /**
   * Runs `onClose` if no other host holds the server. A hook that runs longer than `graceMs` is reported to `onError`, and not
   * waited for. Without a grace, or with 0, hooks get 10_000. Never rejects; a second call does nothing.
   */
  release(graceMs?: number): Promise<void>;
}

export class ServerLifecycle {
  readonly #hooks: LifecycleHooks;
  readonly #report: ErrorCallback;
  #hosts = 0;
  #isStarted = false;
  #starting: Promise<void> | undefined;
  /** Whether a shutdown has given up on the start that is still running. */
  #isStartStuck = false;
  #closing: Promise<void> | undefined;

  constructor(hooks: LifecycleHooks, report: ErrorCallback) {
    this.#hooks = hooks;
    this.#report = report;
  }

  /**
   * Runs `onStart` unless it has run. Returns undefined once the server has started. The next call retries a failed start. Rejects
   * while an `onStart` runs that a shutdown no longer waits for.
   */
  start(): Promise<void> | undefined {
    if (this.#isStarted) return undefined;
    if (this.#isStartStuck) return markHandled(Promise.reject(startStuck()));
    if (!this.#hooks.onStart && !this.#closing) {
      this.#isStarted = true;
      return undefined;
    }
    this.#starting ??= this.#start();
    return this.#starting;
  }

  hold(): ServerHold {
    this.#hosts += 1;
    let released: Promise<void> | undefined;
    const release = (graceMs?: number) => {
      released ??= this.#release(graceMs);
      return released;
    };
    return { started: markHandled(this.start() ?? Promise.resolve()), release };
  }

  /** Runs `onClose` once, if the server has started. Never rejects: the error goes to `onError`. */
  async close(graceMs: number = DEFAULT_HOOK_GRACE_MS): Promise<void> {
    if (this.#isStarted || this.#starting !== undefined) this.#closing ??= this.#close(graceMs);
    await this.#closing;
  }

  async #start(): Promise<void> {
    try {
      await this.#closing;
      await this.#hooks.onStart?.();
      this.#isStarted = true;
    } finally {
      this.#starting = undefined;
      this.#isStartStuck = false;
    }
  }

  async #release(graceMs: number | undefined): Promise<void> {
    this.#hosts -= 1;
    // A host that came while the server closed has started it again.
    await this.#closing;
    // A host with no grace aborts its requests. The hooks still have to release what the server holds.
    if (this.#hosts === 0) await this.close(graceMs || undefined);
  }

  async #close(graceMs: number): Promise<void> {
    await withTimeout(this.#runOnClose(), graceMs, () => {
      this.#isStartStuck = this.#starting !== undefined;
      this.#report(stillRunning(this.#isStartStuck ? "onStart" : "onClose", graceMs));
    });
    this.#closing = undefined;
  }

  /** Never rejects. If `onStart` ends after the grace, `onClose` still runs, so that the server leaves nothing open. */
  async #runOnClose(): Promise<void> {
    try {
      if (this.#starting !== undefined) {
        const hosts = this.#hosts;
        // A failed start has rejected for its caller. There is nothing to close then.
        await this.#starting.catch(() => undefined);
        // A host that came meanwhile closes the server.
        if (this.#hosts > hosts) return;
      }
      if (!this.#isStarted) return;
      this.#isStarted = false;
      await this.#hooks.onClose?.();
    } catch (cause) {
      this.#report(new SdkError("handler-failed", "onClose failed", { cause }));
    }
  }
}

function stillRunning(hook: "onStart" | "onClose", graceMs: number): SdkError {
  const complaint = `${hook} has not ended ${graceMs} ms after the server began to close, and close no longer waits for it`;
  const advice = `set a timeout in ${hook}, or raise the grace of the host (shutdownGraceMs, graceMs)`;
  return new SdkError("handler-failed", `${complaint}; ${advice}`);
}

function startStuck(): SdkError {
  const complaint = "The server was closed while onStart ran, and that onStart has not ended yet";
  return new SdkError("handler-failed", `${complaint}; set a timeout in onStart, or create another server`);
}
