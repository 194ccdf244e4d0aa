/**
 * The tools, prompts, resources or templates of a server, in registration order. A cursor names a position in that order, so
 * an item that is added or removed between two pages neither repeats nor hides another one.
 */
import { invalidParams } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { decodeBase64 } from "../runtime/base64.js";
import type { JsonObject } from "../runtime/json.js";
import { preserialize } from "../wire/preserialized-json.js";
import type { ListVisibility } from "./list-filter.js";

/** The handle of a registration. */
export interface ItemRegistration {
  /** Removes the registration. Requests in progress continue. Idempotent. */
  remove(): void;
}

interface Entry<Item> {
  readonly position: number;
  readonly item: Item;
  readonly listed: ListVisibility;
}

export class Registry<Item> {
  readonly #list: string;
  readonly #pageSize: number;
  readonly #onChange: () => void;
  readonly #entries = new Map<string, Entry<Item>>();
  /** The entries that lists may contain, in order of position. Built for the first page after a change. */
  #ordered: readonly Entry<Item>[] | undefined;
  /** Cached pages, by variant and start position. */
  readonly #pages = new Map<string, JsonObject>();
  /** End positions of cached pages. A page is cached only if it starts at one: clients can make up any other position. */
  readonly #ends = new Set([0]);
  #lastPosition = 0;
  /** The number of entries whose `listed` is a function. */
  #conditions = 0;

  /** `list` names the registry in cursors and messages. `onChange` is called after every change of the list. */
  constructor(list: string, pageSize: number, onChange: () => void) {
    this.#list = list;
    this.#pageSize = pageSize;
    this.#onChange = onChange;
  }

  /** Adds an item. With `listed: false` no list contains it. @throws {SdkError} `duplicate-name` */
  add(key: string, item: Item, listed: ListVisibility = true): ItemRegistration {
    if (this.#entries.has(key)) {
      throw new SdkError("duplicate-name", `${this.#list}: "${key}" is registered already; remove it first`);
    }
    this.#lastPosition += 1;
    const entry = { position: this.#lastPosition, item, listed };
    this.#entries.set(key, entry);
    this.#changed(listed, 1);
    return {
      remove: () => {
        if (this.#entries.get(key) !== entry) return;
        this.#entries.delete(key);
        this.#changed(listed, -1);
      },
    };
  }

  get(key: string): Item | undefined {
    return this.#entries.get(key)?.item;
  }

  *items(): Iterable<Item> {
    for (const { item } of this.#entries.values()) yield item;
  }

  /** Whether lists depend on the request: a function decides whether they contain an item. */
  get isConditional(): boolean {
    return this.#conditions > 0;
  }

  /** The entries from a position on that lists may contain. */
  *from(position: number): Iterable<Entry<Item>> {
    for (const entry of this.#entries.values()) if (entry.position >= position && entry.listed !== false) yield entry;
  }

  /**
   * Returns one page under `field`. Pages are cached per variant until the registry changes. Pages with an `isListed` filter
   * are built each time, since the filter depends on the caller.
   * @throws {ProtocolError} -32602 for a cursor that is not of this list.
   */
  page(
    field: string,
    cursor: unknown,
    variant: string,
    describe: (item: Item) => unknown,
    isListed?: (item: Item, listed: ListVisibility) => boolean,
  ): JsonObject {
    const after = typeof cursor === "string" ? decodeCursor(this.#list, cursor) : 0;
    if (after === undefined || after > this.#lastPosition) {
      throw invalidParams("params.cursor: not a cursor of this list; leave it out to start from the beginning");
    }
    // Positions rise with each addition, so the map is in order of position.
    this.#ordered ??= [...this.#entries.values()].filter(({ listed }) => listed !== false);
    if (isListed) {
      const visible = this.#ordered.filter(({ item, listed }) => isListed(item, listed));
      return this.#slice(visible, field, after, describe).cut;
    }
    const key = `${variant}:${after}`;
    let page = this.#pages.get(key);
    if (!page) {
      const { cut, end } = this.#slice(this.#ordered, field, after, describe);
      page = cut;
      if (this.#ends.has(after)) {
        this.#pages.set(key, page);
        this.#ends.add(end);
      }
    }
    return page;
  }

  #changed(listed: ListVisibility, count: 1 | -1): void {
    // No list contains the item, so no list has changed.
    if (listed === false) return;
    if (listed !== true) this.#conditions += count;
    this.#ordered = undefined;
    this.#pages.clear();
    this.#ends.clear();
    this.#ends.add(0);
    this.#onChange();
  }

  /** Builds a page, and returns it with its end position. */
  #slice(
    ordered: readonly Entry<Item>[],
    field: string,
    after: number,
    describe: (item: Item) => unknown,
  ): { cut: JsonObject; end: number } {
    const start = firstAfter(ordered, after);
    const entries = ordered.slice(start, start + this.#pageSize);
    const list = preserialize(Object.freeze(entries.map(({ item }) => describe(item))));
    const end = entries.at(-1)?.position ?? after;
    const isLast = start + entries.length === ordered.length;
    const cut = isLast ? { [field]: list } : { [field]: list, nextCursor: encodeCursor(this.#list, end) };
    return { cut: Object.freeze(cut), end };
  }
}

/** The index of the first entry after a position. Binary search, since clients can make up any position. */
function firstAfter(ordered: readonly Entry<unknown>[], position: number): number {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    // `middle` is below the length.
    if ((ordered[middle] as Entry<unknown>).position <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A cursor: the list, and the position after which the next page starts. */
export function encodeCursor(list: string, position: number): string {
  return btoa(`${list}:${position}`);
}

/** Undefined for any text that is not a cursor of this list. */
export function decodeCursor(list: string, cursor: string): number | undefined {
  const position = Number(decodeBase64(cursor).slice(list.length + 1));
  const isPosition = Number.isSafeInteger(position) && position > 0;
  return isPosition && encodeCursor(list, position) === cursor ? position : undefined;
}
