import fc from "fast-check";
import { expect, it } from "vitest";
import { RankedHeap } from "./ranked-heap.js";

it("has the first item in front, whatever is added, changed and deleted", () => {
  const operation = fc.tuple(fc.nat(20), fc.option(fc.nat(100)));
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 100 }), (operations) => {
      const ranks = new Map<number, number>();
      const heap = new RankedHeap<number>((one, other) => Number(ranks.get(one)) < Number(ranks.get(other)));
      for (const [item, rank] of operations) {
        if (rank === null) {
          heap.delete(item);
          ranks.delete(item);
        } else {
          ranks.set(item, rank);
          heap.update(item);
        }
        const first = heap.first();
        const least = ranks.size === 0 ? undefined : Math.min(...ranks.values());
        expect(first === undefined ? undefined : ranks.get(first)).toBe(least);
      }
    }),
  );
});
