/** Table of the inbound requests of one connection that are not answered yet, by id. */
import { SdkError } from "../errors/sdk-error.js";
import type { JsonObject } from "../runtime/json.js";
import { TransientMap } from "../runtime/transient-map.js";
import type { RequestId } from "../wire/json-rpc.js";
import { isRequestId } from "../wire/json-rpc.js";
import { isCancellable } from "./cancellation.js";
import type { Responder, ServedRequest } from "./served-request.js";

export class ServedRequests {
  readonly #byId = new TransientMap<RequestId, ServedRequest>();
  #onEmpty: (() => void)[] | undefined;

  find(id: RequestId): ServedRequest | undefined {
    return this.#byId.get(id);
  }

  add(served: ServedRequest): void {
    this.#byId.set(served.id, served);
  }

  remove({ id }: ServedRequest): void {
    this.#byId.delete(id);
    if (this.#onEmpty) this.#notifyIfEmpty();
  }

  /** Resolves when every request is answered. */
  whenEmpty(): Promise<void> {
    if (this.#byId.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onEmpty ??= [];
      this.#onEmpty.push(resolve);
    });
  }

  /** Cancels the request that the params name, and returns it. A request that cannot be cancelled is returned unchanged. */
  cancel(params: JsonObject | undefined): ServedRequest | undefined {
    const id = params?.requestId;
    const served = isRequestId(id) ? this.find(id) : undefined;
    if (served === undefined || !isCancellable(served.method)) return served;
    this.remove(served);
    const reason = typeof params?.reason === "string" ? `: ${params.reason}` : "";
    served.abort(new SdkError("request-aborted", `The peer cancelled ${served.method}${reason}`));
    served.responder?.skip();
    return served;
  }

  /** Ends all subscriptions with their results. */
  endSubscriptions(): void {
    for (const served of this.#byId.values()) served.endSubscription();
  }

  /** Ends all requests without an answer, except those for which `stays` returns true. */
  abortAll(reasonFor: (served: ServedRequest) => SdkError, stays: (served: ServedRequest) => boolean = never): void {
    if (this.#byId.size === 0) return;
    const all = this.#byId.values();
    this.#byId.clear();
    const unanswered = new Map<Responder, RequestId[]>();
    for (const served of all) {
      if (stays(served)) {
        this.add(served);
        continue;
      }
      served.abort(reasonFor(served));
      const { id, responder } = served;
      if (responder) unanswered.set(responder, [...(unanswered.get(responder) ?? []), id]);
    }
    for (const [responder, ids] of unanswered) responder.close?.(ids);
    this.#notifyIfEmpty();
  }

  #notifyIfEmpty(): void {
    if (this.#byId.size > 0) return;
    for (const resolve of this.#onEmpty ?? []) resolve();
    this.#onEmpty = undefined;
  }
}

function never(): boolean {
  return false;
}
