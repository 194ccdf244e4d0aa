/** Pings at an interval, to find a legacy connection that is gone without a sign. Sends nothing between two pings. */
import { SdkError } from "../errors/sdk-error.js";
import { timerMs } from "../runtime/timers.js";

export interface PingTimerOptions {
  readonly intervalMs: number;
  /** Sends one ping that waits no longer than the interval. */
  ping(timeoutMs: number): Promise<unknown>;
  /** A ping was not answered in time. Called once, and nothing is sent after that. */
  onSilence(error: SdkError): void;
}

export class PingTimer {
  readonly #options: PingTimerOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(options: PingTimerOptions) {
    this.#options = options;
    this.#start();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #start(): void {
    this.#timer = setTimeout(() => void this.#ping(), timerMs(this.#options.intervalMs));
    // A program that has nothing else to do may end.
    this.#timer.unref?.();
  }

  async #ping(): Promise<void> {
    const { intervalMs, ping, onSilence } = this.#options;
    try {
      await ping(intervalMs);
    } catch (cause) {
      // Any answer, an error too, shows that the server is there. A lost connection is seen to by its owner.
      const isSilent = cause instanceof SdkError && cause.code === "request-timeout";
      if (isSilent && !this.#isStopped) {
        this.stop();
        onSilence(
          new SdkError(
            "connection-closed",
            `The server did not answer a ping within ${intervalMs} ms (pingIntervalMs); its connection counts as lost`,
            { cause },
          ),
        );
      }
    }
    if (!this.#isStopped) this.#start();
  }
}
