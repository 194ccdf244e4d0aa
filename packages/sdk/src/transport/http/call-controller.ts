/**
 * Controls one in-flight HTTP call: aborts it, tells when its request has left, and suspends its timeouts while a user logs
 * in. Makes an `AbortSignal` only where `fetch` needs one. The clients attach the call itself.
 */
import type { RequestId } from "../../wire/json-rpc.js";
import type { TransportReceiver } from "../transport.js";

/** A call that an HTTP client has sent. */
export interface InFlightCall {
  abort(reason: unknown): void;
  /** Resolves when the whole request has been handed to the network, the response has begun, or the call has failed. */
  sent(): Promise<void>;
}

export class CallController {
  #call: InFlightCall | undefined;
  #abortController: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #holdListeners: ((until: Promise<unknown>) => void)[] | undefined;

  get isAborted(): boolean {
    return this.#aborted !== undefined;
  }

  get signal(): AbortSignal {
    this.#abortController ??= new AbortController();
    if (this.#aborted !== undefined) this.#abortController.abort(this.#aborted.reason);
    return this.#abortController.signal;
  }

  /** Sets the call to control. A redirect attaches another call. */
  attach(call: InFlightCall): void {
    this.#call = call;
  }

  /** Aborts the call at any point, also while its response body is read. */
  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = { reason };
    this.#abortController?.abort(reason);
    this.#call?.abort(reason);
  }

  /** @throws the reason of the abort. */
  throwIfAborted(): void {
    if (this.#aborted !== undefined) throw this.#aborted.reason;
  }

  /** Calls `listener` when the call begins to wait for the user instead of the server. */
  onHold(listener: (until: Promise<unknown>) => void): void {
    this.#holdListeners ??= [];
    this.#holdListeners.push(listener);
  }

  /** Suspends the timeouts of the call until `until` settles: a user may take longer than any server. */
  hold(until: Promise<unknown>): void {
    for (const listener of this.#holdListeners ?? []) listener(until);
  }

  /** Resolves when the request has left, as far as the client can tell. */
  async sent(): Promise<void> {
    await this.#call?.sent();
  }
}

/** Tells the dispatcher which of its requests wait for a login, so that their timeouts are suspended. */
export function reportHolds(
  controller: CallController,
  ids: readonly RequestId[],
  receiver: () => TransportReceiver | undefined,
): void {
  controller.onHold((until) => {
    for (const id of ids) receiver()?.held?.(id, until);
  });
}
