/** Reads a list page by page, and starts over once if the server refuses a cursor. */
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { readAnswer } from "../routing/defined-message.js";
import type { MethodDefinition } from "../routing/method-definition.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { serializeJson } from "../wire/json-text.js";

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

/** The type of the items that the result of a method holds in its member `page`; unknown without a schema that types them. */
export type PageItem<Output, Page extends string> = Output extends {
  readonly [Member in Page]: readonly (infer Item)[];
}
  ? Item
  : unknown;

interface DefinedPage {
  readonly items: readonly { readonly item: unknown; readonly key: string }[];
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
  const pages = walkPages<DefinedPage, DefinedPage["items"][number]>({
    fetch: async (cursor, fresh) => readPage(definition, member, await walk.fetch(cursor, fresh)),
    itemsOf: ({ items }) => items,
    keyOf: ({ key }) => key,
    session: walk.session,
    maxPages: walk.maxPages,
  });
  // The schema of the result has produced the item.
  for await (const { item } of pages) yield item as Item;
}

async function readPage(definition: MethodDefinition, member: string, answer: JsonObject): Promise<DefinedPage> {
  const { method } = definition;
  const [output, received] = [await readAnswer(definition, answer), answer[member]];
  const items: unknown = isJsonObject(output) ? output[member] : undefined;
  if (!Array.isArray(items) || !Array.isArray(received)) {
    throw new SdkError("invalid-result", `${method}: result.${member}: expected an array`);
  }
  const { nextCursor } = answer;
  return {
    // Items have no key of their own, so the JSON text of an item is its key.
    items: items.map((item: unknown, index) => ({ item, key: serializeJson([received[index]]) })),
    nextCursor: typeof nextCursor === "string" ? nextCursor : undefined,
  };
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
