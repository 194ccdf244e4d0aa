/** Walking a list page by page. */
import { SdkError } from "../errors/sdk-error.js";

/** @throws {SdkError} `too-many-pages` when the list goes on after the last page allowed. */
export async function* walkPages<Page extends { nextCursor?: string | undefined }, Item>(
  fetch: (cursor: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
  maxPages: number,
): AsyncGenerator<Item> {
  let cursor: string | undefined;
  for (let walked = 0; walked < maxPages; walked += 1) {
    const page = await fetch(cursor);
    yield* itemsOf(page);
    // An empty string is a cursor like any other; only its absence ends the list.
    if (typeof page.nextCursor !== "string") return;
    cursor = page.nextCursor;
  }
  throw new SdkError("too-many-pages", `The list goes on after ${maxPages} pages; raise maxPages if that is right`);
}
