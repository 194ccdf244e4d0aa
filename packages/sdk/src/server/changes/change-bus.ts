/** The change bus: carries changes from the process where they happen to all processes that serve the endpoint. */

/**
 * A change of a list or a resource, the end of a URL elicitation, or a change that a listen filter of an extension selects. `missed` says
 * that the bus has lost changes: each client is notified of everything that it subscribed to.
 */
export type AnnouncedChange =
  | { readonly kind: "missed" }
  | { readonly kind: "tools" | "prompts" | "resources" }
  | { readonly kind: "resource"; readonly uri: string }
  | { readonly kind: "elicitation"; readonly elicitationId: string }
  | { readonly kind: "extension"; readonly filter: string; readonly topic: string };

/** Carries changes between the processes that serve one endpoint. Changes are small JSON values. */
export interface ChangeBus {
  publish(change: AnnouncedChange): void | Promise<void>;
  /** Calls `listener` for every published change, including those of this process. Returns a function that unsubscribes. */
  subscribe(listener: (change: AnnouncedChange) => void): () => void;
}

/** A bus within this process. */
export class InMemoryChangeBus implements ChangeBus {
  /** Wrapped in objects, so that the same function can subscribe twice and unsubscribe twice. */
  readonly #listeners = new Set<{ readonly listener: (change: AnnouncedChange) => void }>();

  /** @throws {AggregateError} with the exceptions of listeners, after all listeners were called. */
  publish(change: AnnouncedChange): void {
    const failures: unknown[] = [];
    for (const { listener } of [...this.#listeners]) {
      try {
        listener(change);
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} listeners of a change failed`);
  }

  subscribe(listener: (change: AnnouncedChange) => void): () => void {
    const own = { listener };
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }
}

/** Identifies a change. Two changes with the same key lead to the same notification. */
export function changeKey(change: AnnouncedChange): string {
  if (change.kind === "elicitation") return `elicitation ${change.elicitationId}`;
  // The names of filters contain no space.
  if (change.kind === "extension") return `extension ${change.filter} ${change.topic}`;
  return change.kind === "resource" ? `resource ${change.uri}` : change.kind;
}
