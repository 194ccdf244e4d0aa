/** How the word of a change gets from where it happened to every client that wants to know. */

/** Something that clients may have seen is different now, or a page that one of them opened is finished with. */
export type AnnouncedChange =
  | { readonly kind: "tools" | "prompts" | "resources" }
  | { readonly kind: "resource"; readonly uri: string }
  | { readonly kind: "elicitation"; readonly elicitationId: string };

/** Carries changes between the processes that serve one endpoint. Changes are small JSON values. */
export interface ChangeBus {
  publish(change: AnnouncedChange): void | Promise<void>;
  /** Every change that anybody publishes, this process included. Returns what ends it. */
  subscribe(listener: (change: AnnouncedChange) => void): () => void;
}

/** Reaches the clients of this process. */
export class InMemoryChangeBus implements ChangeBus {
  /** In an object each, so that one function may listen twice and stop twice. */
  readonly #listeners = new Set<{ readonly listener: (change: AnnouncedChange) => void }>();

  /** @throws {AggregateError} what listeners threw, after all of them have heard. */
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

/** Two changes with one key tell a client the same. */
export function changeKey(change: AnnouncedChange): string {
  if (change.kind === "elicitation") return `elicitation ${change.elicitationId}`;
  return change.kind === "resource" ? `resource ${change.uri}` : change.kind;
}
