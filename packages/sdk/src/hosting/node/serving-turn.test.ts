import { expect, it, onTestFinished, vi } from "vitest";
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

it("lets other work in between bodies that take long", async () => {
  const seen: string[] = [];
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const serve = (text: string) => {
    now += 15;
    seen.push(text);
  };
  for (const text of ["a", "b", "c", "d"]) serveAfterReading(serve, text);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await turn();
  expect(seen).toEqual(["a", "b"]);
  serveAfterReading(serve, "e");
  await turn();
  expect(seen).toEqual(["a", "b", "c", "d"]);
  await turn();
  expect(seen).toEqual(["a", "b", "c", "d", "e"]);
});
