/** Pings a legacy server at an interval, to detect a connection that was lost without an error. */
import { SdkError } from "../errors/sdk-error.js";
import { timerMs } from "../runtime/timers.js";

export interface PingTimerOptions {
  readonly intervalMs: number;
  /** Sends one ping, with this timeout. */
  ping(timeoutMs: number): Promise<unknown>;
  /** Called once, when a ping was not answered in time. The timer stops then. */
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
    // The timer does not keep the process alive.
    this.#timer.unref?.();
  }

  async #ping(): Promise<void> {
    const { intervalMs, ping, onSilence } = this.#options;
    try {
      await ping(intervalMs);
    } catch (cause) {
      // Any answer, even an error, shows that the server is reachable. ReconnectingConnection handles a closed connection.
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
