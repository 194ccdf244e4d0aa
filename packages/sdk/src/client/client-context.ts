/** The context of a client's handlers, which serve what a legacy server asks for while it serves the client. */
import type { InboundRequest } from "../dispatch/dispatcher.js";
import type { SdkError } from "../errors/sdk-error.js";
import { LATEST_LEGACY_REVISION } from "../protocol/revisions.js";
import { RequestContext } from "../routing/request-context.js";
import type { ClientExtensions } from "./extensions.js";
import type { Verdict } from "./negotiation.js";

export class ClientContext extends RequestContext {
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

  protected override wantsNotification(method: string): boolean {
    return !this.#verdict || !this.#extensions.lackingAt(method, this.#verdict);
  }

  protected override refuseRequest(method: string): SdkError | undefined {
    return this.#verdict && this.#extensions.refusal(method, this.#verdict);
  }
}
