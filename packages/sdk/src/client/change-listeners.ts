/** Passes a server's change notifications to listeners, by the id of their subscription. */

import { MetaKey } from "../protocol/meta-keys.js";
import { findNotification } from "../protocol/method-table.js";
import type { Revision } from "../protocol/revisions.js";
import type { SubscriptionFilter } from "../protocol/subscriptions.js";
import type { ExtensionChange, ListenFilterDefinition } from "../routing/listen-filter-definition.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { jsonBytes } from "../runtime/json-size.js";

/** A change that the server announced. */
export type ServerChange =
  /**
   * Changes may have been missed. The subscription was lost and is open again, or the client got more notifications of
   * extensions than it keeps unread.
   */
  | { readonly kind: "restored" }
  | { readonly kind: "tools" | "prompts" | "resources" }
  | { readonly kind: "resource"; readonly uri: string }
  | ExtensionChange;

/** The callbacks of one subscription. */
export interface ChangeListener {
  /** Modern only. Called with the part of the filter that the server honors. */
  acknowledged?(honored: SubscriptionFilter & JsonObject): void;
  /** `bytes` is the size of the notification's params, for a notification of an extension. */
  changed(change: ServerChange, bytes?: number): void;
  /** Called when the connection ends: with an error if it was lost, without one if this side closed it. */
  ended(error?: Error): void;
}

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

const LIST_CHANGES = new Map<string, ServerChange>([
  ["notifications/tools/list_changed", { kind: "tools" }],
  ["notifications/prompts/list_changed", { kind: "prompts" }],
  ["notifications/resources/list_changed", { kind: "resources" }],
]);

export class ChangeListeners {
  readonly #listeners = new Map<unknown, ChangeListener>();

  /** Modern notifications name the `id` of their subscription. Legacy ones name none and reach every listener. */
  add(id: string, listener: ChangeListener): void {
    this.#listeners.set(id, listener);
  }

  delete(id: string): void {
    this.#listeners.delete(id);
  }

  /**
   * Ignores malformed notifications of the specification. The router reports them.
   * @param filter the listen filter that selects the notification, if it is of an extension
   * @throws {SdkError} `invalid-message` for a malformed notification of an extension.
   */
  receive(revision: Revision, method: string, params: JsonObject, filter?: ListenFilterDefinition): void {
    if (this.#listeners.size === 0) return;
    const id = isJsonObject(params._meta) ? params._meta[MetaKey.subscriptionId] : undefined;
    if (filter) {
      // Without an id it belongs to another request, and to no subscription.
      const listener = this.#listeners.get(id);
      if (listener) listener.changed(filter.toChange(params), jsonBytes(params));
      return;
    }
    const spec = findNotification(revision, "server", method);
    if (!spec || spec.params(params)) return;
    // The shape of the params was checked just above.
    if (method === ACKNOWLEDGED) this.#listeners.get(id)?.acknowledged?.(params.notifications as JsonObject);
    const change = changeOf(method, params);
    if (!change) return;
    const listeners = id === undefined ? [...this.#listeners.values()] : [this.#listeners.get(id)];
    for (const listener of listeners) listener?.changed(change);
  }

  /** Ends every subscription: without an error if this side closed the connection, with one if it was lost. */
  end(error?: Error): void {
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    for (const listener of listeners) listener.ended(error);
  }
}

function changeOf(method: string, params: JsonObject): ServerChange | undefined {
  if (method === "notifications/resources/updated") return { kind: "resource", uri: String(params.uri) };
  return LIST_CHANGES.get(method);
}
