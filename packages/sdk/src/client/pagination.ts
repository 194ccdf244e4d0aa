/** Reads a list page by page, and starts over once if the server refuses a cursor and items have keys. */
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { readAnswer } from "../routing/defined-message.js";
import type { MethodDefinition } from "../routing/method-definition.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";

/** Characters of item keys that are remembered. Reading a longer list does not start over. */
const MAX_REMEMBERED_CHARACTERS = 4_194_304;

export interface PagedList<Page, Item> {
  /** `fresh` asks the server even if the page is cached. */
  fetch(cursor: string | undefined, fresh: boolean): Promise<Page>;
  itemsOf(page: Page): readonly Item[];
  /** A key that is unique in the list. Undefined if items have none: reading then does not start over. */
  readonly keyOf: ((item: Item) => string) | undefined;
  /** Identifies the session that new cursors belong to. */
  session(): unknown;
  readonly maxPages: number;
}

/**
 * Yields every item of a list. If the server refuses a cursor, or the cursor belongs to an earlier session, reading starts over,
 * once, and skips the items that were yielded before. A list whose items have no keys does not start over.
 * @throws {ProtocolError} -32602 for a refused cursor.
 * @throws {SdkError} `too-many-pages` when the list goes on after the last page allowed, `invalid-result` when a page names itself
 * as the next one.
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
      if (cursor === undefined || isSecond || !keyOf || !seen.isComplete || !isCursorRefused(error)) throw error;
      isSecond = true;
      cursor = undefined;
      continue;
    }
    if (cursor !== undefined && page.nextCursor === cursor) throw repeatedCursor(cursor);
    session = walk.session();
    for (const item of itemsOf(page)) {
      // Without keys there is no second walk.
      const key = keyOf?.(item) ?? "";
      if (!isSecond || !seen.has(key)) yield item;
      seen.add(key);
    }
    // An empty string is a cursor like any other; only its absence ends the list.
    if (typeof page.nextCursor !== "string") return;
    cursor = page.nextCursor;
  }
  throw new SdkError("too-many-pages", `The list goes on after ${maxPages} pages; raise maxPages if that is right`);
}

interface DefinedPage {
  readonly items: readonly unknown[];
  readonly nextCursor: string | undefined;
}

/** Yields every item of a list of a defined method. @throws {SdkError} `invalid-argument` for a method without `page`. */
export async function* walkDefinedPages<Item>(
  definition: MethodDefinition,
  walk: Pick<PagedList<JsonObject, unknown>, "fetch" | "session" | "maxPages">,
): AsyncGenerator<Item> {
  const { page: member } = definition;
  if (member === undefined) {
    const complaint = `listAll: ${definition.method} has no pages; give its definition page: "…"`;
    throw new SdkError("invalid-argument", complaint);
  }
  const pages = walkPages<DefinedPage, unknown>({
    fetch: async (cursor, fresh) => readPage(definition, member, await walk.fetch(cursor, fresh)),
    itemsOf: ({ items }) => items,
    keyOf: keyOf(definition),
    session: walk.session,
    maxPages: walk.maxPages,
  });
  // The schema of the result has produced the item.
  for await (const item of pages) yield item as Item;
}

/** @throws {SdkError} `invalid-result` at a key that is no string. */
function keyOf({ method, pageKey }: MethodDefinition): ((item: unknown) => string) | undefined {
  if (pageKey === undefined) return undefined;
  return (item) => {
    // The schema of the result has produced the item.
    const key: unknown = pageKey(item as never);
    if (typeof key === "string") return key;
    throw new SdkError("invalid-result", `${method}: pageKey must return a string, got ${typeof key}`);
  };
}

async function readPage(definition: MethodDefinition, member: string, answer: JsonObject): Promise<DefinedPage> {
  const { method } = definition;
  const output = await readAnswer(definition, answer);
  const items: unknown = isJsonObject(output) ? output[member] : undefined;
  if (!Array.isArray(items)) {
    throw new SdkError("invalid-result", `${method}: result.${member}: expected an array`);
  }
  const { nextCursor } = answer;
  return { items, nextCursor: typeof nextCursor === "string" ? nextCursor : undefined };
}

/** The error for a cursor of an earlier session. */
export function cursorExpired(): SdkError {
  return new SdkError(
    "session-expired",
    "The cursor is from a session that has ended; list again from the beginning, without a cursor",
  );
}

/** The usual cause: the params of a defined method lack `cursor`, so its handler always returns the first page. */
function repeatedCursor(cursor: string): SdkError {
  return new SdkError(
    "invalid-result",
    `The page for cursor ${JSON.stringify(cursor)} has the same nextCursor, so the list would never end; ` +
      "check that the params of the method have `cursor`, and that its handler reads it",
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
