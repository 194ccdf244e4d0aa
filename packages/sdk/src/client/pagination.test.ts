import { describe, expect, expectTypeOf, it, vi } from "vitest";
import { z } from "zod";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { defineMethod, type MethodDefinition } from "../routing/method-definition.js";
import type { JsonObject } from "../runtime/json.js";
import type { Client } from "./client.js";
import { walkDefinedPages, walkPages } from "./pagination.js";

interface Page {
  readonly items: readonly number[];
  nextCursor?: string;
}

function walk(pages: ReadonlyMap<string | undefined, Page>, maxPages: number) {
  const fetch = vi.fn(async (cursor: string | undefined, _fresh: boolean) => pages.get(cursor) ?? { items: [] });
  return { fetch, items: walkWith(fetch, maxPages) };
}

function walkWith(
  fetch: (cursor: string | undefined, fresh: boolean) => Promise<Page>,
  maxPages: number,
  { session = () => "one", keyOf = String }: { session?: () => unknown; keyOf?: (item: number) => string } = {},
) {
  return walkPages({ fetch, itemsOf: ({ items }: Page) => items, keyOf, session, maxPages });
}

const REFUSED = new ProtocolError(-32602, "Unknown cursor");

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
  expect(fetch.mock.calls.map(([cursor]) => cursor)).toEqual([undefined, "", "b"]);
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

it.each([
  ["the server refuses", REFUSED],
  ["went with its session", new SdkError("session-expired", "gone")],
])("starts over for a cursor that %s, past the cache and without what was yielded", async (_why, refusal) => {
  const fetch = vi
    .fn<(cursor: string | undefined, fresh: boolean) => Promise<Page>>()
    .mockResolvedValueOnce({ items: [1, 2], nextCursor: "old" })
    .mockRejectedValueOnce(refusal)
    .mockResolvedValueOnce({ items: [2, 3], nextCursor: "new" })
    .mockResolvedValueOnce({ items: [1, 4] });
  expect(await collect(walkWith(fetch, 9))).toEqual([1, 2, 3, 4]);
  expect(fetch.mock.calls).toEqual([
    [undefined, false],
    ["old", false],
    [undefined, true],
    ["new", true],
  ]);
});

it("does not carry a cursor into another session", async () => {
  let session = 1;
  const fetch = vi.fn(async (cursor: string | undefined): Promise<Page> => {
    return cursor === undefined ? { items: [session], nextCursor: `of ${session}` } : { items: [9] };
  });
  const seen: number[] = [];
  for await (const item of walkWith(fetch, 9, { session: () => session })) {
    seen.push(item);
    session = 2;
  }
  expect(seen).toEqual([1, 2, 9]);
  expect(fetch.mock.calls.map(([cursor]) => cursor)).toEqual([undefined, undefined, "of 2"]);
});

it.each<[string, (cursor: string | undefined) => Promise<Page>]>([
  [
    "a cursor that is refused twice",
    async (cursor) => (cursor ? Promise.reject(REFUSED) : { items: [1], nextCursor: "a" }),
  ],
  ["a first page that is refused", () => Promise.reject(REFUSED)],
  [
    "another error",
    async (cursor) => (cursor ? Promise.reject(new ProtocolError(-32603, "broken")) : { items: [1], nextCursor: "a" }),
  ],
  ["no error of ours", async (cursor) => (cursor ? Promise.reject(new Error("odd")) : { items: [1], nextCursor: "a" })],
])("rejects with %s", async (_what, fetch) => {
  await expect(collect(walkWith(fetch, 9))).rejects.toThrow(/cursor|broken|odd/);
});

it("does not start over if it could not remember all names that it yielded", async () => {
  const fetch = async (cursor: string | undefined): Promise<Page> => {
    if (cursor === "b") throw REFUSED;
    return { items: [1, 2], nextCursor: "b" };
  };
  const keyOf = (item: number) => String(item).repeat(4_194_304);
  await expect(collect(walkWith(fetch, 9, { keyOf }))).rejects.toBe(REFUSED);
});

describe("a list of a defined method", () => {
  const schemas = { params: z.object({}), result: z.looseObject({}) };
  const readAll = async (definition: MethodDefinition, ...answers: JsonObject[]) => {
    const items: unknown[] = [];
    const fetch = async () => answers.shift() ?? {};
    for await (const item of walkDefinedPages(definition, { fetch, session: () => 0, maxPages: 5 })) items.push(item);
    return items;
  };

  it("needs a definition with pages, and asks for none without", async () => {
    const fetch = vi.fn();
    const pages = walkDefinedPages(defineMethod("acme/plain", schemas), { fetch, session: () => 0, maxPages: 5 });
    await expect(pages.next()).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining('acme/plain has no pages; give its definition page: "…"'),
    });
    expect(fetch).not.toHaveBeenCalled();
  });

  it.each([{}, { items: {} }])("is an array in every answer, not %j", async (answer) => {
    const definition = defineMethod("acme/items", { ...schemas, page: "items" });
    await expect(readAll(definition, { items: [1], nextCursor: "1" }, answer)).rejects.toMatchObject({
      code: "invalid-result",
      message: "acme/items: result.items: expected an array",
    });
  });

  it("is in the output of the schema too", async () => {
    const result = z.looseObject({}).transform(() => undefined);
    const definition: MethodDefinition = defineMethod("acme/items", { params: z.object({}), result, page: "items" });
    await expect(readAll(definition, { items: [1] })).rejects.toMatchObject({ code: "invalid-result" });
  });

  it("yields the output of the schema", async () => {
    const result = z.object({ items: z.array(z.string().transform((text) => new Date(text))) });
    const definition = defineMethod("acme/items", { params: z.object({}), result, page: "items" });
    expect(await readAll(definition, { items: ["2026-07-28"] })).toEqual([new Date("2026-07-28")]);
    const typed = (client: Client) => client.listAll(definition, {});
    expectTypeOf(typed).returns.toEqualTypeOf<AsyncGenerator<Date>>();
  });
});
