import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, vi } from "vitest";
import { PipeEnd } from "./pipe.js";

const nextTask = () => new Promise((resolve) => setImmediate(resolve));

it("delivers by reference, in order, never before the sender goes on", async () => {
  const [left, right] = PipeEnd.join<{ n: number }>();
  const seen: { n: number }[] = [];
  right.start({ receive: (value) => seen.push(value), closed: () => undefined });
  const values = [{ n: 1 }, { n: 2 }, { n: 3 }];
  for (const value of values) left.send(value);
  expect(seen).toEqual([]);
  await nextTask();
  expect(seen.map((value, index) => value === values[index])).toEqual([true, true, true]);
});

it("keeps what was sent before the other end started, and its closing too", async () => {
  const [left, right] = PipeEnd.join<number>();
  left.send(1);
  left.send(2);
  left.close();
  await nextTask();
  const seen: unknown[] = [];
  right.start({ receive: (value) => seen.push(value), closed: () => seen.push("closed") });
  expect(seen).toEqual([]);
  await nextTask();
  expect(seen).toEqual([1, 2, "closed"]);
});

it("tells an end that starts after it closed itself", async () => {
  const [left] = PipeEnd.join<number>();
  left.close();
  const closed = vi.fn();
  left.start({ receive: () => undefined, closed });
  await nextTask();
  expect(closed).toHaveBeenCalledTimes(1);
});

it("closes both ends at once for sending, and tells each once", async () => {
  const [left, right] = PipeEnd.join<number>();
  const closed = { left: vi.fn(), right: vi.fn() };
  left.start({ receive: () => undefined, closed: closed.left });
  right.start({ receive: () => undefined, closed: closed.right });
  right.close();
  expect(closed.right).toHaveBeenCalledTimes(1);
  expect([left.isClosed, right.isClosed, left.send(1), right.send(1)]).toEqual([true, true, false, false]);
  left.close();
  right.close();
  await nextTask();
  expect(closed.left).toHaveBeenCalledTimes(1);
  expect(closed.right).toHaveBeenCalledTimes(1);
});

it("delivers nothing more to an end that closes itself while it receives", async () => {
  const [left, right] = PipeEnd.join<number>();
  const seen: unknown[] = [];
  right.start({
    receive(value) {
      seen.push(value);
      if (value === 2) right.close();
    },
    closed: () => seen.push("closed"),
  });
  for (const value of [1, 2, 3]) left.send(value);
  await nextTask();
  expect(seen).toEqual([1, 2, "closed"]);
});

it("delivers what is sent while it delivers", async () => {
  const [left, right] = PipeEnd.join<number>();
  const seen: number[] = [];
  right.start({
    receive(value) {
      seen.push(value);
      if (value < 3) left.send(value + 1);
    },
    closed: () => undefined,
  });
  left.send(0);
  await nextTask();
  left.send(9);
  await nextTask();
  expect(seen).toEqual([0, 1, 2, 3, 9]);
});

it("keeps nothing of what it delivered", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const [left, right] = PipeEnd.join<object>();
  right.start({ receive: () => undefined, closed: () => undefined });
  const send = () => {
    const value = { large: "value" };
    left.send(value);
    return new WeakRef(value);
  };
  const sent = send();
  await nextTask();
  await nextTask();
  collectGarbage();
  expect(sent.deref()).toBeUndefined();
  expect(right.isClosed).toBe(false);
});
