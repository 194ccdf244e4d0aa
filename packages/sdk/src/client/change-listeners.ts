/** The changes a server announces, as they arrive, handed to every subscription that wants them. */
import { isJsonObject, type JsonObject } from "../protocol/json.js";
import { MetaKey } from "../protocol/meta-keys.js";
import { findNotification } from "../protocol/method-table.js";
import type { Revision } from "../protocol/revisions.js";
import type { SubscriptionFilter } from "../protocol/subscriptions.js";

/** Something that this client may have seen is different now. */
export type ServerChange =
  /** The subscription was lost and is open again: anything may have changed in between. */
  | { readonly kind: "restored" }
  | { readonly kind: "tools" | "prompts" | "resources" }
  | { readonly kind: "resource"; readonly uri: string };

/** What a subscription is told. */
export interface ChangeListener {
  /** Modern only: the part of its filter that the server honors. */
  acknowledged?(honored: SubscriptionFilter): void;
  changed(change: ServerChange): void;
  /** Nothing more will come; without an error this side wanted it so. */
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

  /** `id` is what the server's notifications name in the modern era; legacy ones name nobody and reach everybody. */
  add(id: string, listener: ChangeListener): void {
    this.#listeners.set(id, listener);
  }

  delete(id: string): void {
    this.#listeners.delete(id);
  }

  /** Malformed notifications are left out here; whoever routes them reports it. */
  receive(revision: Revision, method: string, params: JsonObject): void {
    if (this.#listeners.size === 0) return;
    const spec = findNotification(revision, "server", method);
    if (!spec || spec.params(params)) return;
    const id = isJsonObject(params._meta) ? params._meta[MetaKey.subscriptionId] : undefined;
    // The shape of the params was checked just above.
    if (method === ACKNOWLEDGED) this.#listeners.get(id)?.acknowledged?.(params.notifications as SubscriptionFilter);
    const change = changeOf(method, params);
    if (!change) return;
    const listeners = id === undefined ? [...this.#listeners.values()] : [this.#listeners.get(id)];
    for (const listener of listeners) listener?.changed(change);
  }

  /** Ends every subscription: the connection was closed from this side, or lost with an error. */
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
