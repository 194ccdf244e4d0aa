/** The calls that wait on the client's side: for an extension that finishes them, or for the answers of the client's handlers. */
import { requestAborted } from "../dispatch/pending-request.js";
import { SdkError } from "../errors/sdk-error.js";
import { withAbort } from "../runtime/timers.js";

export class UnfinishedCalls {
  readonly #calls = new Set<AbortController>();
  #closeReason: SdkError | undefined;

  /**
   * Settles as `work` does, unless the caller aborts the call or the client is closed first. Both abort the controller of `work`,
   * and so may `work` itself.
   * @throws {SdkError} `request-aborted`, `connection-closed`
   */
  async run<Value>(
    method: string,
    signal: AbortSignal | undefined,
    work: (call: AbortController) => Promise<Value>,
  ): Promise<Value> {
    if (signal?.aborted) throw requestAborted(method, signal);
    if (this.#closeReason) throw this.#closeReason;
    const call = new AbortController();
    const onAbort = () => call.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort);
    this.#calls.add(call);
    try {
      return await withAbort(work(call), call.signal, () =>
        signal?.aborted ? requestAborted(method, signal) : call.signal.reason,
      );
    } finally {
      this.#calls.delete(call);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Rejects all calls, also later ones. They may wait for a long time without a request. */
  close(): void {
    this.#closeReason = new SdkError("connection-closed", "The client was closed before the call was finished");
    for (const call of this.#calls) call.abort(this.#closeReason);
  }
}
