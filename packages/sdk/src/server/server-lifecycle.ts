/**
 * Start and shutdown of a server. `onStart` runs before the first request, `onClose` after the last host has closed. Hosts
 * hold the server while they serve it. A server that is used after its shutdown starts again.
 */
import { SdkError } from "../errors/sdk-error.js";
import type { ErrorCallback } from "../runtime/error-callback.js";
import { markHandled } from "../runtime/mark-handled.js";

export interface LifecycleHooks {
  readonly onStart?: (() => unknown) | undefined;
  readonly onClose?: (() => unknown) | undefined;
}

/** One host's hold on a server. */
export interface ServerHold {
  /** Rejects with the error of `onStart`. */
  readonly started: Promise<void>;
  /** Runs `onClose` if no other host holds the server. Never rejects; a second call does nothing. */
  release(): Promise<void>;
}

export class ServerLifecycle {
  readonly #hooks: LifecycleHooks;
  readonly #report: ErrorCallback;
  #hosts = 0;
  #isStarted = false;
  #starting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(hooks: LifecycleHooks, report: ErrorCallback) {
    this.#hooks = hooks;
    this.#report = report;
  }

  /** Runs `onStart` unless it has run. Returns undefined once the server has started. The next call retries a failed start. */
  start(): Promise<void> | undefined {
    if (this.#isStarted) return undefined;
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
    const release = () => {
      released ??= this.#release();
      return released;
    };
    return { started: markHandled(this.start() ?? Promise.resolve()), release };
  }

  /** Runs `onClose` once, if the server has started. Never rejects: the error goes to `onError`. */
  async close(): Promise<void> {
    if (this.#isStarted || this.#starting !== undefined) this.#closing ??= this.#close();
    await this.#closing;
  }

  async #start(): Promise<void> {
    try {
      await this.#closing;
      await this.#hooks.onStart?.();
      this.#isStarted = true;
    } finally {
      this.#starting = undefined;
    }
  }

  async #release(): Promise<void> {
    this.#hosts -= 1;
    // A host that came while the server closed has started it again.
    await this.#closing;
    if (this.#hosts === 0) await this.close();
  }

  async #close(): Promise<void> {
    try {
      // A failed start has rejected for its caller. There is nothing to close then.
      if (this.#starting !== undefined) await this.#starting.catch(() => undefined);
      if (!this.#isStarted) return;
      this.#isStarted = false;
      await this.#hooks.onClose?.();
    } catch (cause) {
      this.#report(new SdkError("handler-failed", "onClose failed", { cause }));
    } finally {
      this.#closing = undefined;
    }
  }
}
