import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serveAfterReading } from "./serving-turn.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Serving takes so many ms of a clock that stands still otherwise. */
function slowService(ms: number) {
  const seen: string[] = [];
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const serve = (text: string) => {
    now += ms;
    seen.push(text);
  };
  return { seen, serve };
}

describe("serveAfterReading", () => {
  it("serves requests of one turn together, in order, and later ones in the next turn", async () => {
    const seen: string[] = [];
    const serve = (text: string) => void seen.push(text);
    serveAfterReading(
      "one",
      (text) => {
        serve(text);
        serveAfterReading("one", serve, "c");
      },
      "a",
    );
    serveAfterReading("one", serve, "b");

    expect(seen).toEqual([]);
    await turn();
    expect(seen).toEqual(["a", "b"]);
    await turn();
    expect(seen).toEqual(["a", "b", "c"]);
  });

  it("lets senders take turns", async () => {
    const seen: string[] = [];
    const serve = (text: string) => void seen.push(text);
    for (const text of ["a1", "a2", "a3"]) serveAfterReading("a", serve, text);
    for (const text of ["b1", "b2"]) serveAfterReading("b", serve, text);

    await turn();
    expect(seen).toEqual(["a1", "b1", "a2", "b2", "a3"]);
  });

  it("ends a turn after 5 ms, and goes on with the sender that is next", async () => {
    const { seen, serve } = slowService(3);
    for (const text of ["a1", "a2", "a3", "a4"]) serveAfterReading("a", serve, text);
    serveAfterReading("b", serve, "b1");

    await turn();
    expect(seen).toEqual(["a1", "b1"]);
    serveAfterReading("b", serve, "b2");
    serveAfterReading("a", serve, "a5");
    await turn();
    expect(seen).toEqual(["a1", "b1", "a2", "b2"]);
    for (let count = 0; count < 3; count += 1) await turn();
    expect(seen.slice(4)).toEqual(["a3", "a4", "a5"]);
  });

  it("serves the earlier requests of a sender at once when 256 wait", async () => {
    const seen: number[] = [];
    for (let index = 0; index < 256; index += 1) {
      expect(seen).toEqual([]);
      serveAfterReading("a", (text) => void seen.push(Number(text)), String(index));
    }
    expect(seen).toEqual(Array.from({ length: 255 }, (_, index) => index));
    await turn();
    expect(seen.at(-1)).toBe(255);
    expect(seen).toHaveLength(256);
  });

  it("serves one request per turn at least", async () => {
    const { seen, serve } = slowService(5);
    for (const text of ["a", "b"]) serveAfterReading(text, serve, text);

    await turn();
    expect(seen).toEqual(["a"]);
    await turn();
    expect(seen).toEqual(["a", "b"]);
  });
});
