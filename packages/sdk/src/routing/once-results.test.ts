import { describe, expect, it, vi } from "vitest";
import { OnceResults } from "./once-results.js";

describe("effects that run once", () => {
  it("gives later callers what the first one got", async () => {
    const results = new OnceResults();
    const effect = vi.fn(async () => ({ id: 7 }));

    expect(await results.run("charge", effect)).toEqual({ id: 7 });
    expect(await results.run("charge", effect)).toEqual({ id: 7 });

    expect(effect).toHaveBeenCalledOnce();
  });

  it("lets callers that come meanwhile wait for the one that is running", async () => {
    const results = new OnceResults();
    const effect = vi.fn(async () => "done");

    const both = [results.run("charge", effect), results.run("charge", effect)];

    expect(await Promise.all(both)).toEqual(["done", "done"]);
    expect(effect).toHaveBeenCalledOnce();
  });

  it("keeps keys apart, those that every object has among them", async () => {
    const results = new OnceResults();
    for (const key of ["a", "b", "constructor", "__proto__"]) {
      expect(await results.run(key, () => `ran ${key}`)).toBe(`ran ${key}`);
    }
    const later = new OnceResults(JSON.parse(JSON.stringify(await results.settled())));
    expect(await later.run("__proto__", () => "again")).toBe("ran __proto__");
  });

  it.each<[string, () => Promise<string>]>([
    [
      "at once",
      () => {
        throw new Error("no");
      },
    ],
    ["later", () => Promise.reject(new Error("no"))],
  ])("may try again what failed %s", async (_when, failing) => {
    const results = new OnceResults();

    await expect(results.run("charge", failing)).rejects.toThrow("no");
    await expect(results.run("other", failing)).rejects.toThrow("no");

    expect(await results.run("charge", () => "done")).toBe("done");
    expect(await results.settled()).toEqual({ charge: { value: "done" } });
  });
});

describe("what a later run is told", () => {
  it("is everything that finished, also what was still running and what that started", async () => {
    const results = new OnceResults();
    const slow = results.run("slow", async () => {
      await Promise.resolve();
      void results.run("nested", async () => "inner");
      return "outer";
    });
    const failing = results.run("failing", async () => {
      await Promise.resolve();
      throw new Error("no");
    });

    expect(await results.settled()).toEqual({ slow: { value: "outer" }, nested: { value: "inner" } });
    await expect(slow).resolves.toBe("outer");
    await expect(failing).rejects.toThrow("no");
  });

  it("misses nothing: after that no effect starts, and what finished is still there", async () => {
    const results = new OnceResults();
    await results.run("early", () => "done");
    await results.settled();

    const late = results.run("late", () => {
      throw new Error("must not run");
    });

    await expect(late).rejects.toMatchObject({ code: "context-ended", message: expect.stringContaining('"late"') });
    expect(await results.run("early", () => "again")).toBe("done");
  });

  it.each([["something"], [0], [null], [undefined]])(
    "keeps an effect that came to %j from running again",
    async (value) => {
      const first = new OnceResults();
      await first.run("charge", () => value);

      const later = new OnceResults(JSON.parse(JSON.stringify(await first.settled())));

      expect(
        await later.run("charge", () => {
          throw new Error("must not run");
        }),
      ).toBe(value);
    },
  );
});
