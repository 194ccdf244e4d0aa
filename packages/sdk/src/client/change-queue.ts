/** The unread changes of a subscription. Each list and resource is in the queue once, however often it changed. */
import type { ServerChange } from "./change-listeners.js";
import type { ListenFilter } from "./listen-filter.js";

/** A server may name any number of resources beneath a subscribed one. Beyond these bounds the queue holds the subscribed one. */
const MAX_UNREAD = 1_024;
const MAX_UNREAD_CHARACTERS = 1_048_576;

export class ChangeQueue {
  #wants: ListenFilter;
  readonly #unread = new Map<string, ServerChange>();
  /** The characters of all keys in `#unread`. */
  #characters = 0;
  /** Shared by all waiting readers. */
  #waiting: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #end: { readonly error: Error | undefined } | undefined;

  constructor(wants: ListenFilter) {
    this.#wants = wants;
  }

  /** Sets the filter to the part that the server announces. */
  narrow(wants: ListenFilter): void {
    this.#wants = wants;
  }

  /** Adds a change that the filter asks for, unless the queue has ended. */
  put(change: ServerChange): void {
    const wanted = this.#end ? undefined : this.#wanted(change);
    if (!wanted) return;
    const key = keyOf(change);
    const fits = this.#unread.size < MAX_UNREAD && this.#characters + key.length <= MAX_UNREAD_CHARACTERS;
    if (fits) this.#keep(key, change);
    else this.#keep(keyOf(wanted), wanted);
    this.#wakeReaders();
  }

  /** Ends the queue. Readers get the unread changes first, then the end or the error. False if the queue had ended before. */
  end(error?: Error): boolean {
    if (this.#end) return false;
    this.#end = { error };
    this.#wakeReaders();
    return true;
  }

  /** Drops the unread changes. */
  clear(): void {
    this.#unread.clear();
    this.#characters = 0;
  }

  async next(): Promise<IteratorResult<ServerChange, undefined>> {
    for (;;) {
      for (const [key, value] of this.#unread) {
        this.#unread.delete(key);
        this.#characters -= key.length;
        return { done: false, value };
      }
      if (this.#end?.error) throw this.#end.error;
      if (this.#end) return { done: true, value: undefined };
      this.#waiting ??= new Promise((resolve) => {
        this.#wake = resolve;
      });
      await this.#waiting;
    }
  }

  #wakeReaders(): void {
    this.#wake?.();
    this.#waiting = undefined;
  }

  #keep(key: string, change: ServerChange): void {
    if (!this.#unread.has(key)) this.#characters += key.length;
    this.#unread.set(key, change);
  }

  /** The change if the filter asks for it, else undefined. For a resource beneath a subscribed one, the subscribed one's. */
  #wanted(change: ServerChange): ServerChange | undefined {
    const { tools, prompts, resources, resource = [] } = this.#wants;
    switch (change.kind) {
      case "restored":
        return change;
      case "tools":
        return tools ? change : undefined;
      case "prompts":
        return prompts ? change : undefined;
      case "resources":
        return resources ? change : undefined;
      default: {
        const uri = resource.find((watched) => isWithin(change.uri, watched));
        return uri === undefined ? undefined : { kind: "resource", uri };
      }
    }
  }
}

function keyOf(change: ServerChange): string {
  return change.kind === "resource" ? `resource ${change.uri}` : change.kind;
}

function isWithin(uri: string, watched: string): boolean {
  return uri === watched || uri.startsWith(watched.endsWith("/") ? watched : `${watched}/`);
}
