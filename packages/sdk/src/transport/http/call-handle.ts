/** The handle on one HTTP call: ends it, and knows when it is on its way. A standard signal is made only if one is asked for. */

/** What whoever makes the call lets be done with it. */
export interface RunningCall {
  end(reason: unknown): void;
  /** Resolves when all of the request has been handed to the network, or never will be, or its response has begun. */
  sent(): Promise<void>;
}

export class CallHandle {
  #running: RunningCall | undefined;
  #controller: AbortController | undefined;
  #ending: { readonly reason: unknown } | undefined;
  #holdListeners: ((until: Promise<unknown>) => void)[] | undefined;

  get hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#ending !== undefined) this.#controller.abort(this.#ending.reason);
    return this.#controller.signal;
  }

  /** The call is made, or made again elsewhere: from now on it is this one that ends. */
  runs(running: RunningCall): void {
    this.#running = running;
  }

  /** Ends the call at any point, also while the body of the response is read. */
  end(reason: unknown): void {
    if (this.#ending !== undefined) return;
    this.#ending = { reason };
    this.#controller?.abort(reason);
    this.#running?.end(reason);
  }

  /** @throws the reason it was ended for. */
  throwIfEnded(): void {
    if (this.#ending !== undefined) throw this.#ending.reason;
  }

  /** `listener` hears that the call waits for something else than the server. */
  onHold(listener: (until: Promise<unknown>) => void): void {
    this.#holdListeners ??= [];
    this.#holdListeners.push(listener);
  }

  /** The call waits for the user, who may take longer than any server: time limits are suspended until `until` settles. */
  hold(until: Promise<unknown>): void {
    for (const listener of this.#holdListeners ?? []) listener(until);
  }

  /** Resolves when the request is on its way, as far as anybody can tell. */
  async sent(): Promise<void> {
    await this.#running?.sent();
  }
}
