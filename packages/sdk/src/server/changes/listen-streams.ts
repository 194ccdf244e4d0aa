/** `subscriptions/listen`: requests that stay open and carry the changes their clients asked for. */
import { invalidParams, ProtocolError } from "../../errors/protocol-error.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { ServerCapabilities } from "../../protocol/capabilities.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import type { JsonObject } from "../../protocol/json.js";
import { MetaKey } from "../../protocol/meta-keys.js";
import { hasCapability } from "../../protocol/method-table.js";
import type { SubscriptionFilter } from "../../protocol/subscriptions.js";
import type { ServerContext } from "../server-context.js";
import { type Change, type ChangeBus, changeKey } from "./change-bus.js";
import { capabilityOf, notificationOf } from "./change-notification.js";

/** What a stream needs of the request that it is. */
export interface ListenContext extends Pick<ServerContext, "requestId" | "signal"> {
  notify(method: string, params: JsonObject): Promise<void>;
}

export class ListenStreams {
  readonly #bus: ChangeBus;
  readonly #maxStreams: number;
  readonly #open = new Set<() => void>();

  /** @throws {SdkError} `invalid-argument` for a limit that is no whole number from 0. */
  constructor(bus: ChangeBus, maxStreams: number) {
    if (!Number.isInteger(maxStreams) || maxStreams < 0) {
      throw new SdkError("invalid-argument", `maxSubscriptions: expected a whole number from 0, got ${maxStreams}`);
    }
    this.#bus = bus;
    this.#maxStreams = maxStreams;
  }

  /**
   * Acknowledges, then delivers until the client cancels or the server ends it; the result says that it ended well.
   * @throws {ProtocolError} -32603 when there are too many streams, -32602 when it watches too many resources.
   */
  async serve(
    filter: SubscriptionFilter,
    capabilities: ServerCapabilities,
    context: ListenContext,
  ): Promise<JsonObject> {
    if (this.#open.size >= this.#maxStreams) {
      throw new ProtocolError(ErrorCode.internalError, `Too many subscriptions: at most ${this.#maxStreams} at a time`);
    }
    const honored = honoredPart(filter, capabilities);
    this.#checkResources(honored);
    const wanted = new Set(changesIn(honored).map(changeKey));
    const meta = { [MetaKey.subscriptionId]: context.requestId };
    // Nothing may precede the acknowledgment, which is handed over before the bus can call.
    void context.notify("notifications/subscriptions/acknowledged", { _meta: meta, notifications: { ...honored } });
    await this.#untilEnded(context.signal, (change) => {
      if (!wanted.has(changeKey(change))) return;
      const { method, params } = notificationOf(change);
      void context.notify(method, { ...params, _meta: meta });
    });
    return { _meta: meta };
  }

  /** Ends every stream with its result. */
  endAll(): void {
    for (const end of [...this.#open]) end();
  }

  /** Frees its place at once when it ends, so that a client at the limit may close one stream and open the next. */
  #untilEnded(signal: AbortSignal, listener: (change: Change) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = this.#bus.subscribe(listener);
      const end = () => {
        if (!this.#open.delete(end)) return;
        try {
          stop();
          resolve();
        } catch (failure) {
          reject(failure);
        }
      };
      this.#open.add(end);
      // A request that was cancelled on its way here fires no event any more.
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    });
  }

  #checkResources({ resourceSubscriptions: uris = [] }: SubscriptionFilter): void {
    if (uris.length <= this.#maxStreams) return;
    throw invalidParams(
      `params.notifications.resourceSubscriptions: expected at most ${this.#maxStreams} resources, got ${uris.length}`,
    );
  }
}

/** What was asked for and is announced here. */
function honoredPart(filter: SubscriptionFilter, capabilities: ServerCapabilities): SubscriptionFilter {
  const announces = (change: Parameters<typeof capabilityOf>[0]) => hasCapability(capabilities, capabilityOf(change));
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions: uris } = filter;
  return {
    ...(toolsListChanged && announces({ kind: "tools" }) && { toolsListChanged }),
    ...(promptsListChanged && announces({ kind: "prompts" }) && { promptsListChanged }),
    ...(resourcesListChanged && announces({ kind: "resources" }) && { resourcesListChanged }),
    ...(uris && announces({ kind: "resource", uri: "" }) && { resourceSubscriptions: [...new Set(uris)] }),
  };
}

function changesIn(filter: SubscriptionFilter): Change[] {
  const { resourceSubscriptions: uris = [] } = filter;
  const changes: Change[] = uris.map((uri) => ({ kind: "resource", uri }));
  if (filter.toolsListChanged) changes.push({ kind: "tools" });
  if (filter.promptsListChanged) changes.push({ kind: "prompts" });
  if (filter.resourcesListChanged) changes.push({ kind: "resources" });
  return changes;
}
