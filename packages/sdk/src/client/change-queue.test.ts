import fc from "fast-check";
import { expect, it } from "vitest";
import type { ServerChange } from "./change-listeners.js";
import { ChangeQueue } from "./change-queue.js";
import { jobChange, jobIds } from "./job-filter.fixture.js";

const EVERYTHING = { tools: true, prompts: true, resources: true, resource: ["a://1"] };
const OVER = { done: true, value: undefined };

it("hands each change to one of several readers", async () => {
  const queue = new ChangeQueue(EVERYTHING);
  const reads = [queue.next(), queue.next()];
  queue.put({ kind: "tools" });
  queue.put({ kind: "prompts" });
  expect(await Promise.all(reads)).toEqual([
    { done: false, value: { kind: "tools" } },
    { done: false, value: { kind: "prompts" } },
  ]);
});

it("keeps a reader waiting if another has taken what there was", async () => {
  const queue = new ChangeQueue(EVERYTHING);
  const reads = [queue.next(), queue.next()];
  queue.put({ kind: "tools" });
  await reads[0];
  queue.put({ kind: "resources" });
  expect(await reads[1]).toEqual({ done: false, value: { kind: "resources" } });
});

it("ends once, with the first word on how", async () => {
  const queue = new ChangeQueue(EVERYTHING);
  queue.put({ kind: "tools" });
  expect(queue.end(new Error("lost"))).toBe(true);
  expect(queue.end()).toBe(false);
  queue.put({ kind: "prompts" });
  expect(await queue.next()).toEqual({ done: false, value: { kind: "tools" } });
  await expect(queue.next()).rejects.toThrow("lost");
});

it("forgets what is unread, and goes on", async () => {
  const queue = new ChangeQueue(EVERYTHING);
  queue.put({ kind: "tools" });
  queue.clear();
  queue.put({ kind: "prompts" });
  queue.end();
  expect(await queue.next()).toEqual({ done: false, value: { kind: "prompts" } });
  expect(await queue.next()).toEqual(OVER);
});

it("takes nothing that was not asked for", async () => {
  const queue = new ChangeQueue({});
  for (const kind of ["tools", "prompts", "resources"] as const) queue.put({ kind });
  queue.put({ kind: "resource", uri: "a://1" });
  queue.end();
  expect(await queue.next()).toEqual(OVER);
});

it("grows no further than its limit, whatever lies beneath a watched resource", async () => {
  const queue = new ChangeQueue({ tools: true, resource: ["a://b", "a://c/"] });
  for (let count = 0; count < 5_000; count += 1) queue.put({ kind: "resource", uri: `a://b/${count}` });
  queue.put({ kind: "resource", uri: "a://c/1" });
  queue.put({ kind: "tools" });
  queue.end();
  const read: ServerChange[] = [];
  for (let next = await queue.next(); !next.done; next = await queue.next()) read.push(next.value);
  expect(read).toHaveLength(1_024 + 3);
  expect(read.slice(1_024)).toEqual([
    { kind: "resource", uri: "a://b" },
    { kind: "resource", uri: "a://c/" },
    { kind: "tools" },
  ]);
});

it("holds no more than a mebi of characters of URIs beneath a watched resource", async () => {
  const queue = new ChangeQueue({ resource: ["a://b"] });
  const long = "x".repeat(262_000);
  for (let count = 0; count < 9; count += 1) queue.put({ kind: "resource", uri: `a://b/${count}/${long}` });
  for (let count = 0; count < 9; count += 1) queue.put({ kind: "resource", uri: `a://b/0/${long}` });
  queue.end();
  const read: ServerChange[] = [];
  for (let next = await queue.next(); !next.done; next = await queue.next()) read.push(next.value);
  expect(read).toHaveLength(5);
  expect(read.at(-1)).toEqual({ kind: "resource", uri: "a://b" });
});

it("takes as much again once it was read or cleared", async () => {
  const queue = new ChangeQueue({ resource: ["a://b"] });
  const long = { kind: "resource", uri: `a://b/${"x".repeat(900_000)}` } as const;
  queue.put(long);
  await queue.next();
  queue.put(long);
  queue.clear();
  queue.put(long);
  expect((await queue.next()).value).toEqual(long);
});

/** Everything that is unread, after the end of the queue. */
async function rest(queue: ChangeQueue): Promise<ServerChange[]> {
  queue.end();
  const read: ServerChange[] = [];
  for (let next = await queue.next(); !next.done; next = await queue.next()) read.push(next.value);
  return read;
}

it("keeps the newest notification of each topic, and none of a filter that was not asked for", async () => {
  const queue = new ChangeQueue({ extensions: [jobIds.of(["a", "b"])] });
  queue.put(jobChange("a", 1));
  queue.put(jobChange("b", 1));
  queue.put(jobChange("a", 2));
  queue.put({ ...jobChange("a", 3), filter: "acmeOther" });
  expect(await rest(queue)).toEqual([jobChange("a", 2), jobChange("b", 1)]);
});

it("holds as many topics as its limit, and says so when there are more", async () => {
  const queue = new ChangeQueue({ extensions: [jobIds.of([])] });
  for (let count = 0; count < 2_000; count += 1) queue.put(jobChange(`${count}`));
  queue.put(jobChange("7", 2));
  const read = await rest(queue);
  expect(read).toHaveLength(1_024 + 1);
  expect(read[7]).toEqual(jobChange("7", 2));
  expect(read.at(-1)).toEqual({ kind: "restored" });
});

it("holds no more than a mebi of bytes of notifications, except a single one", async () => {
  const queue = new ChangeQueue({ extensions: [jobIds.of([])] });
  queue.put(jobChange("a", 1), 2_000_000);
  queue.put(jobChange("b", 1), 10);
  expect(await rest(queue)).toEqual([jobChange("a", 1), { kind: "restored" }]);
  const other = new ChangeQueue({ extensions: [jobIds.of([])] });
  other.put(jobChange("a", 1), 1_000_000);
  other.put(jobChange("a", 2), 10);
  other.put(jobChange("b", 1), 1_000_000);
  expect(await rest(other)).toEqual([jobChange("a", 2), jobChange("b", 1)]);
});

it("yields every kind that was put since it was last read, once, and then ends", async () => {
  const kinds = fc.constantFrom<ServerChange>(
    { kind: "tools" },
    { kind: "prompts" },
    { kind: "resource", uri: "a://1" },
    { kind: "resource", uri: "a://1/2" },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(kinds, fc.constant("read" as const))), async (steps) => {
      const queue = new ChangeQueue(EVERYTHING);
      let unread: string[] = [];
      for (const step of steps) {
        if (step !== "read") {
          queue.put(step);
          if (!unread.includes(JSON.stringify(step))) unread.push(JSON.stringify(step));
        } else if (unread.length > 0) {
          expect(JSON.stringify((await queue.next()).value)).toBe(unread[0]);
          unread = unread.slice(1);
        }
      }
      queue.end();
      for (const expected of unread) expect(JSON.stringify((await queue.next()).value)).toBe(expected);
      expect(await queue.next()).toEqual(OVER);
    }),
  );
});
