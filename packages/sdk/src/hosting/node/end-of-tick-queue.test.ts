import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serveAtEndOfTick } from "./end-of-tick-queue.js";

/** Queues a request that carries a text. */
function queue(sender: string, serve: (text: string) => void, text: string): boolean {
  return serveAtEndOfTick({ sender, serve: () => serve(text) });
}

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

describe("serveAtEndOfTick", () => {
  it("serves requests of one turn together, in order, and later ones in the next turn", async () => {
    const { seen, serve } = slowService(0);
    queue(
      "one",
      (text) => {
        serve(text);
        queue("one", serve, "c");
      },
      "a",
    );
    queue("one", serve, "b");

    expect(seen).toEqual([]);
    await turn();
    expect(seen).toEqual(["a", "b"]);
    await turn();
    expect(seen).toEqual(["a", "b", "c"]);
  });

  it("lets senders take turns where more than 64 requests wait", async () => {
    const { seen, serve } = slowService(0);
    for (let index = 0; index < 63; index += 1) queue("a", serve, `a${index}`);
    for (const text of ["b0", "b1"]) queue("b", serve, text);

    await turn();
    expect(seen.slice(0, 5)).toEqual(["a0", "b0", "a1", "b1", "a2"]);
    expect(seen).toHaveLength(65);
  });

  it("serves up to 64 requests in the order in which they were read", async () => {
    const { seen, serve } = slowService(0);
    for (let index = 0; index < 62; index += 1) queue("a", serve, `a${index}`);
    for (const text of ["b0", "b1"]) queue("b", serve, text);

    await turn();
    expect(seen.slice(-3)).toEqual(["a61", "b0", "b1"]);
  });

  it("ends a turn after 5 ms, and goes on in the next", async () => {
    const { seen, serve } = slowService(3);
    for (const text of ["a", "b", "c"]) queue("one", serve, text);

    await turn();
    expect(seen).toEqual(["a", "b"]);
    queue("one", serve, "d");
    await turn();
    expect(seen).toEqual(["a", "b", "c", "d"]);
  });

  it("lets senders take turns after a turn that was too short", async () => {
    const { seen, serve } = slowService(3);
    for (const text of ["a1", "a2", "a3", "a4"]) queue("a", serve, text);
    queue("b", serve, "b1");

    await turn();
    await turn();
    expect(seen).toEqual(["a1", "a2", "a3", "b1"]);
    await turn();
    expect(seen).toEqual(["a1", "a2", "a3", "b1", "a4"]);
  });

  it("refuses requests beyond 1,024 of one sender, and 4,096 of all", async () => {
    const seen: string[] = [];
    const add = (sender: string) => queue(sender, (text) => void seen.push(text), sender);
    for (let index = 0; index < 1_024; index += 1) expect(add("a")).toBe(true);
    expect(add("a")).toBe(false);
    for (const sender of ["b", "c", "d"]) {
      for (let index = 0; index < 1_024; index += 1) expect(add(sender)).toBe(true);
    }
    expect(add("e")).toBe(false);

    while (seen.length < 4_096) await turn();
    expect(add("e")).toBe(true);
    await turn();
    expect(seen).toHaveLength(4_097);
  });

  it("goes on with the rest of a turn before what arrived during it", async () => {
    const { seen, serve } = slowService(5);
    const again = (text: string) => {
      serve(text);
      queue("one", serve, "c");
    };
    queue("one", again, "a");
    queue("one", serve, "b");

    await turn();
    expect(seen).toEqual(["a"]);
    await turn();
    await turn();
    expect(seen).toEqual(["a", "b", "c"]);
  });

  it("serves one request per turn at least", async () => {
    const { seen, serve } = slowService(5);
    for (const text of ["a", "b"]) queue(text, serve, text);

    await turn();
    expect(seen).toEqual(["a"]);
    await turn();
    expect(seen).toEqual(["a", "b"]);
  });
});
