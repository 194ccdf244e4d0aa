import { expect, it } from "vitest";
import { KeyedMutex } from "./keyed-mutex.js";

it("runs one function of a key at a time, in order, also after one that failed", async () => {
  const mutex = new KeyedMutex();
  const events: string[] = [];
  const step =
    (name: string, fails = false) =>
    async () => {
      events.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
  const results = await Promise.allSettled([mutex.run("k", step("a", true)), mutex.run("k", step("b"))]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(events).toEqual(["a begins", "a ends", "b begins", "b ends"]);
});

it("runs functions of different keys at the same time", async () => {
  const mutex = new KeyedMutex();
  let release!: () => void;
  const blocked = mutex.run("a", () => new Promise<void>((resolve) => (release = resolve)));
  expect(await mutex.run("b", async () => "done")).toBe("done");
  release();
  await blocked;
});
