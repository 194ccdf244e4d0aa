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

  it("lets senders take turns where more than 64 requests wait", async () => {
    const seen: string[] = [];
    const serve = (text: string) => void seen.push(text);
    for (let index = 0; index < 63; index += 1) serveAfterReading("a", serve, `a${index}`);
    for (const text of ["b0", "b1"]) serveAfterReading("b", serve, text);

    await turn();
    expect(seen.slice(0, 5)).toEqual(["a0", "b0", "a1", "b1", "a2"]);
    expect(seen).toHaveLength(65);
  });

  it("serves up to 64 requests in the order in which they were read", async () => {
    const seen: string[] = [];
    const serve = (text: string) => void seen.push(text);
    for (let index = 0; index < 62; index += 1) serveAfterReading("a", serve, `a${index}`);
    for (const text of ["b0", "b1"]) serveAfterReading("b", serve, text);

    await turn();
    expect(seen.slice(-3)).toEqual(["a61", "b0", "b1"]);
  });

  it("ends a turn after 5 ms, and goes on in the next", async () => {
    const { seen, serve } = slowService(3);
    for (const text of ["a", "b", "c"]) serveAfterReading("one", serve, text);

    await turn();
    expect(seen).toEqual(["a", "b"]);
    serveAfterReading("one", serve, "d");
    await turn();
    expect(seen).toEqual(["a", "b", "c", "d"]);
  });

  it("serves all requests at once when 4,096 wait", async () => {
    const seen: number[] = [];
    for (let index = 0; index < 4_096; index += 1) {
      expect(seen).toHaveLength(0);
      serveAfterReading("a", (text) => void seen.push(Number(text)), String(index));
    }
    expect(seen).toEqual(Array.from({ length: 4_096 }, (_, index) => index));
    await turn();
    expect(seen).toHaveLength(4_096);
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
