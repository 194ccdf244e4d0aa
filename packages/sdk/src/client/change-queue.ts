/** The unread changes of a subscription. Each list, resource and topic is in the queue once, however often it changed. */
import type { ServerChange } from "./change-listeners.js";
import type { ListenFilter } from "./listen-filter.js";

/**
 * A server may name any number of resources beneath a subscribed one, and of topics. Beyond these bounds the queue holds the
 * subscribed resource, and `restored` in place of a notification of an extension.
 */
const MAX_UNREAD = 1_024;
const MAX_UNREAD_CHARACTERS = 1_048_576;

interface UnreadChange {
  readonly change: ServerChange;
  /** The characters of the key and the bytes of the notification. */
  readonly size: number;
}

export class ChangeQueue {
  #wants: ListenFilter;
  readonly #unread = new Map<string, UnreadChange>();
  /** The sizes of all entries in `#unread`. */
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

  /** Adds a change that the filter asks for, unless the queue has ended. `bytes` is the size of an extension's notification. */
  put(change: ServerChange, bytes = 0): void {
    if (this.#end || !this.#isWanted(change)) return;
    const key = keyOf(change);
    const size = key.length + bytes;
    const held = this.#unread.get(key);
    const characters = this.#characters + size - (held?.size ?? 0);
    const fits = (held || this.#unread.size < MAX_UNREAD) && characters <= MAX_UNREAD_CHARACTERS;
    // The transport bounds the size of a single notification.
    const isAlone = change.kind === "extension" && this.#unread.size === 0;
    if (fits || isAlone) this.#keep(key, { change, size });
    else this.#keepSubstitute(change);
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
      for (const [key, { change, size }] of this.#unread) {
        this.#unread.delete(key);
        this.#characters -= size;
        return { done: false, value: change };
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

  #keep(key: string, unread: UnreadChange): void {
    this.#characters += unread.size - (this.#unread.get(key)?.size ?? 0);
    this.#unread.set(key, unread);
  }

  /** Keeps the substitute of a change that does not fit. Substitutes are as few as the entries of the filter. */
  #keepSubstitute(change: ServerChange): void {
    const substitute = this.#substituteFor(change);
    const key = keyOf(substitute);
    this.#keep(key, { change: substitute, size: key.length });
  }

  #substituteFor(change: ServerChange): ServerChange {
    if (change.kind === "extension") return { kind: "restored" };
    if (change.kind !== "resource") return change;
    // A wanted resource is a watched one, or beneath one.
    return { kind: "resource", uri: this.#watchedUri(change.uri) as string };
  }

  /** Whether the filter asks for the change. */
  #isWanted(change: ServerChange): boolean {
    const { tools, prompts, resources, extensions = [] } = this.#wants;
    switch (change.kind) {
      case "restored":
        return true;
      case "tools":
        return tools === true;
      case "prompts":
        return prompts === true;
      case "resources":
        return resources === true;
      case "extension":
        return extensions.some(({ filter }) => filter.name === change.filter);
      default:
        return this.#watchedUri(change.uri) !== undefined;
    }
  }

  #watchedUri(uri: string): string | undefined {
    return this.#wants.resource?.find((watched) => isWithin(uri, watched));
  }
}

function keyOf(change: ServerChange): string {
  if (change.kind === "extension") return `extension ${change.filter} ${change.topic}`;
  return change.kind === "resource" ? `resource ${change.uri}` : change.kind;
}

function isWithin(uri: string, watched: string): boolean {
  return uri === watched || uri.startsWith(watched.endsWith("/") ? watched : `${watched}/`);
}
