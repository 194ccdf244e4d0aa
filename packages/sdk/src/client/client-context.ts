/** One request of a legacy server that a client serves. */
import type { InboundRequest } from "../dispatch/dispatcher.js";
import type { SdkError } from "../errors/sdk-error.js";
import { LATEST_LEGACY_REVISION } from "../protocol/revisions.js";
import { RoutedRequest } from "../routing/routed-request.js";
import type { ClientExtensions } from "./extensions.js";
import type { Verdict } from "./negotiation.js";

export class ClientRequest extends RoutedRequest {
  readonly #extensions: ClientExtensions;
  readonly #verdict: Verdict | undefined;

  /** @param verdict undefined as long as the two sides are negotiating */
  constructor(
    inbound: InboundRequest,
    extensions: ClientExtensions,
    verdict: Verdict | undefined,
    progressIntervalMs: number | undefined,
  ) {
    super(inbound, verdict?.revision ?? LATEST_LEGACY_REVISION, "legacy", progressIntervalMs);
    this.#extensions = extensions;
    this.#verdict = verdict;
  }

  override wantsNotification(method: string): boolean {
    return !this.#verdict || !this.#extensions.lackingAt(method, this.#verdict);
  }

  override refuseRequest(method: string): SdkError | undefined {
    return this.#verdict && this.#extensions.refusal(method, this.#verdict);
  }
}
