import { expect, it, vi } from "vitest";
import { walkPages } from "./pages.js";

interface Page {
  readonly items: readonly number[];
  nextCursor?: string;
}

function walk(pages: ReadonlyMap<string | undefined, Page>, maxPages: number) {
  const fetch = vi.fn(async (cursor: string | undefined) => pages.get(cursor) ?? { items: [] });
  return { fetch, items: walkPages(fetch, ({ items }: Page) => items, maxPages) };
}

async function collect(items: AsyncIterable<number>, into: number[] = []): Promise<number[]> {
  for await (const item of items) into.push(item);
  return into;
}

it("follows cursors, the empty one too, until a page has none", async () => {
  const pages = new Map<string | undefined, Page>([
    [undefined, { items: [1, 2], nextCursor: "" }],
    ["", { items: [], nextCursor: "b" }],
    ["b", { items: [3] }],
  ]);
  const { fetch, items } = walk(pages, 3);
  expect(await collect(items)).toEqual([1, 2, 3]);
  expect(fetch.mock.calls).toEqual([[undefined], [""], ["b"]]);
});

it("gives up on a list that goes on after the last page allowed, having yielded what it held", async () => {
  const pages = new Map<string | undefined, Page>([
    [undefined, { items: [1], nextCursor: "again" }],
    ["again", { items: [2], nextCursor: "again" }],
  ]);
  const { fetch, items } = walk(pages, 3);
  const yielded: number[] = [];
  await expect(collect(items, yielded)).rejects.toMatchObject({ code: "too-many-pages" });
  expect(yielded).toEqual([1, 2, 2]);
  expect(fetch).toHaveBeenCalledTimes(3);
});

it("fetches a page only when it is needed", async () => {
  const pages = new Map<string | undefined, Page>([[undefined, { items: [1, 2], nextCursor: "b" }]]);
  const { fetch, items } = walk(pages, 3);
  for await (const item of items) if (item === 2) break;
  expect(fetch).toHaveBeenCalledOnce();
});
