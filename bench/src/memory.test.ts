import { describe, expect, it } from "vitest";
import type { HttpMode } from "./http/http-contender.js";
import { listen } from "./http/servers/listening.js";
import { serve as serveFloor } from "./memory/memory-floor.js";
import { Visitors } from "./memory/visitors.js";
import { kilobytesEach, memoryContenders, SUBJECTS } from "./memory.js";
import { toolsOf } from "./tools.js";

const cells = SUBJECTS.flatMap(({ setting, mode, open }) =>
  memoryContenders(mode).map((contender) => ({
    id: `${contender.name}, ${setting}`,
    mode,
    open,
    serve: async (of: HttpMode) =>
      contender.role === "floor" ? serveFloor() : (await contender.load()).serve(of, toolsOf("one tool")),
  })),
);

describe("visitors", () => {
  it.each(cells)("are let in and may stay: $id", async ({ mode, open, serve }) => {
    const server = await serve(mode);
    using visitors = new Visitors(server.url);
    await (await open(visitors, 10))();
    await server.close();
  });

  it("notice who lets nobody in", async () => {
    const server = await listen((_, response) => response.writeHead(404).end("no"));
    using visitors = new Visitors(server.url);
    await expect(visitors.openSessions(1)).rejects.toThrow("opened no session: no");
    await expect(visitors.openListenStreams(1)).rejects.toThrow("expected a stream, got 404");
    await server.close();
  });
});

describe("what each costs", () => {
  it("is what the heap grew by, after the first of them", async () => {
    const told: string[] = [];
    const heap = [1_000_000, 1_000_000 + 100 * 3 * 1_024];
    const server = {
      url: "",
      heapBytes: async () => {
        told.push("heap");
        return heap.shift() ?? Number.NaN;
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
    const open = async (_: unknown, count: number) => {
      told.push(`prepare ${count}`);
      return async () => told.push(`open ${count}`);
    };
    using visitors = new Visitors("http://127.0.0.1:1/");
    expect(await kilobytesEach(server, visitors, { setting: "", mode: "modern", count: () => 100, open }, 100)).toBe(3);
    expect(told).toEqual(["prepare 20", "open 20", "prepare 100", "heap", "open 100", "heap"]);
  });
});
