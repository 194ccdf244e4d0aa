/** Reads a list page by page, and starts over once if the server refuses a cursor. */
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";

/** Characters of item keys that are remembered. Reading a longer list does not start over. */
const MAX_REMEMBERED_CHARACTERS = 4_194_304;

export interface PagedList<Page, Item> {
  /** `fresh` asks the server even if the page is cached. */
  fetch(cursor: string | undefined, fresh: boolean): Promise<Page>;
  itemsOf(page: Page): readonly Item[];
  /** A key that is unique in the list. */
  keyOf(item: Item): string;
  /** Identifies the session that new cursors belong to. */
  session(): unknown;
  readonly maxPages: number;
}

/**
 * Yields every item of a list. If the server refuses a cursor, or the cursor belongs to an earlier session, reading starts over,
 * once, and skips the items that were yielded before.
 * @throws {SdkError} `too-many-pages` when the list goes on after the last page allowed.
 */
export async function* walkPages<Page extends { nextCursor?: string | undefined }, Item>(
  walk: PagedList<Page, Item>,
): AsyncGenerator<Item> {
  const { itemsOf, keyOf, maxPages } = walk;
  const seen = new SeenItems();
  let cursor: string | undefined;
  let session: unknown;
  let isSecond = false;
  for (let walked = 0; walked < maxPages; walked += 1) {
    let page: Page;
    try {
      if (cursor !== undefined && walk.session() !== session) throw cursorExpired();
      page = await walk.fetch(cursor, isSecond);
    } catch (error) {
      if (cursor === undefined || isSecond || !seen.isComplete || !isCursorRefused(error)) throw error;
      isSecond = true;
      cursor = undefined;
      continue;
    }
    session = walk.session();
    for (const item of itemsOf(page)) {
      const key = keyOf(item);
      if (!isSecond || !seen.has(key)) yield item;
      seen.add(key);
    }
    // An empty string is a cursor like any other; only its absence ends the list.
    if (typeof page.nextCursor !== "string") return;
    cursor = page.nextCursor;
  }
  throw new SdkError("too-many-pages", `The list goes on after ${maxPages} pages; raise maxPages if that is right`);
}

/** The error for a cursor of an earlier session. */
export function cursorExpired(): SdkError {
  return new SdkError(
    "session-expired",
    "The cursor is from a session that has ended; list again from the beginning, without a cursor",
  );
}

function isCursorRefused(error: unknown): boolean {
  if (error instanceof SdkError) return error.code === "session-expired";
  return error instanceof ProtocolError && error.code === ErrorCode.invalidParams;
}

/** The keys of the yielded items, up to a bound. */
class SeenItems {
  readonly #keys = new Set<string>();
  #characters = 0;

  get isComplete(): boolean {
    return this.#characters <= MAX_REMEMBERED_CHARACTERS;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  add(key: string): void {
    if (!this.isComplete) return;
    this.#characters += key.length + 1;
    this.#keys.add(key);
  }
}
