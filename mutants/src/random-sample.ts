/** A sample that a seed determines. */
import { createHash } from "node:crypto";

/** Sorts by a hash of seed and name, so that the sample changes little when the items do. */
export function randomSample<Item>(
  items: readonly Item[],
  count: number,
  seed: number,
  nameOf: (item: Item) => string,
): Item[] {
  const ranked = items.map((item) => ({ item, rank: rankOf(`${seed} ${nameOf(item)}`) }));
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return ranked.slice(0, count).map(({ item }) => item);
}

function rankOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
