/** The contract suite of `UsedStates`. */
import { describe, expect, it } from "vitest";
import type { InMemoryUsedStatesOptions, UsedStates } from "./used-states.js";

export function usedStatesContract(open: (options: InMemoryUsedStatesOptions) => Promise<UsedStates>): void {
  describe("a store of used states", () => {
    it("grants each id once", async () => {
      const used = await open({ now: () => 0 });
      expect(await used.claim("a", 10)).toBe(true);
      expect(await used.claim("b", 10)).toBe(true);
      expect(await used.claim("a", 10)).toBe(false);
    });

    it("grants an id to one of many that claim it together", async () => {
      const used = await open({ now: () => 0 });
      const claims = await Promise.all(Array.from({ length: 10 }, () => used.claim("a", 10)));
      expect(claims.filter(Boolean)).toHaveLength(1);
    });

    it("refuses an expired id, even if the clock goes back", async () => {
      let now = 0;
      const used = await open({ now: () => now });
      await used.claim("a", 10);
      now = 10;
      expect(await used.claim("b", 30)).toBe(true);
      now = 0;
      expect(await used.claim("a", 10)).toBe(false);
      expect(await used.claim("c", 10.5)).toBe(true);
    });

    it("makes room by forgetting the id that expires soonest, and refuses all that expire no later", async () => {
      const used = await open({ maxStates: 3, now: () => 0 });
      for (const expiry of [3, 2, 1]) await used.claim(`id${expiry}`, expiry);
      expect(await used.claim("late", 100)).toBe(true);
      expect(await used.claim("never seen, but as old as the forgotten", 1)).toBe(false);
      expect(await used.claim("never seen, and younger", 1.5)).toBe(true);
      expect(await used.claim("id2", 2)).toBe(false);
    });

    it("lets a principal with several states forget its own, which costs others nothing", async () => {
      const used = await open({ maxStates: 3, now: () => 0 });
      expect(await used.claim("ann's", 1, "ann")).toBe(true);
      for (const expiry of [2, 3, 4, 5]) expect(await used.claim(`mallory's ${expiry}`, expiry, "mallory")).toBe(true);
      expect(await used.claim("mallory's 2", 2, "mallory")).toBe(false);
      expect(await used.claim("never seen, but as old as one that mallory's made forgotten", 3, "mallory")).toBe(false);
      expect(await used.claim("ann's", 1, "ann")).toBe(false);
      expect(await used.claim("ann's next", 2, "ann")).toBe(true);
      expect(await used.claim("bob's", 3, "bob")).toBe(true);
    });

    it("makes room for a principal by forgetting a state of another, and then refuses only that one's", async () => {
      const used = await open({ maxStates: 3, now: () => 0 });
      for (const expiry of [2, 3, 4]) await used.claim(`mallory's ${expiry}`, expiry, "mallory");
      expect(await used.claim("ann's", 2.5, "ann")).toBe(true);
      expect(await used.claim("mallory's 2", 2, "mallory")).toBe(false);
      expect(await used.claim("ann's", 2.5, "ann")).toBe(false);
      expect(await used.claim("bob's", 2, "bob")).toBe(true);
    });

    it("refuses the forgotten states of a principal that has no others left", async () => {
      const used = await open({ maxStates: 1, now: () => 0 });
      expect(await used.claim("ann's", 2, "ann")).toBe(true);
      expect(await used.claim("bob's", 3, "bob")).toBe(true);
      expect(await used.claim("ann's", 2, "ann")).toBe(false);
      expect(await used.claim("carol's", 2, "carol")).toBe(false);
    });
  });
}
