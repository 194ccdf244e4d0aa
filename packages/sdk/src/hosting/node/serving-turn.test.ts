import { expect, it } from "vitest";
import { serveAfterReading } from "./serving-turn.js";

it("serves what was read in one turn together, in order, and what comes meanwhile in the next", async () => {
  const seen: string[] = [];
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  serveAfterReading((text) => {
    seen.push(text);
    serveAfterReading((later) => seen.push(later), "c");
  }, "a");
  serveAfterReading((text) => seen.push(text), "b");
  expect(seen).toEqual([]);
  await turn();
  expect(seen).toEqual(["a", "b"]);
  await turn();
  expect(seen).toEqual(["a", "b", "c"]);
});
