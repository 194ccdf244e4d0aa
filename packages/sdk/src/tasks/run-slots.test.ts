import { describe, expect, it } from "vitest";
import { RunSlots } from "./run-slots.js";

/** Takes slots by names such as `alice1`, and notes the order in which they are granted. */
function watched(max: number, maxPerPrincipal: number) {
  const slots = new RunSlots(max, maxPerPrincipal);
  const granted: string[] = [];
  const take = (task: string) =>
    void slots
      .take(task, task.slice(0, -1) || undefined)
      .then((isGranted) => granted.push(isGranted ? task : `no ${task}`));
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { slots, granted, take, settle };
}

describe("slots", () => {
  it("are granted up to both limits, and then in turn", async () => {
    const { slots, granted, take, settle } = watched(3, 2);
    for (const task of ["alice1", "alice2", "alice3", "alice4", "bob1", "bob2", "carol1"]) take(task);
    await settle();
    expect(granted).toEqual(["alice1", "alice2", "bob1"]);
    expect(slots.used).toBe(3);

    slots.release("alice");
    slots.release("alice");
    slots.release("bob");
    slots.release("alice");
    await settle();
    expect(granted.slice(3)).toEqual(["alice3", "bob2", "carol1", "alice4"]);
    expect(slots.used).toBe(3);
  });

  it("pass over a principal that has all of its own", async () => {
    const { slots, granted, take, settle } = watched(2, 1);
    for (const task of ["alice1", "bob1", "alice2", "carol1"]) take(task);
    slots.release("bob");
    await settle();
    expect(granted).toEqual(["alice1", "bob1", "carol1"]);
  });

  it("are not granted to a task that stopped waiting", async () => {
    const { slots, granted, take, settle } = watched(1, 1);
    for (const task of ["1", "2", "3"]) take(task);
    slots.cancel("2", undefined);
    slots.cancel("2", undefined);
    slots.cancel("1", undefined);
    slots.release(undefined);
    slots.release(undefined);
    await settle();
    expect(granted).toEqual(["1", "no 2", "3"]);
    expect(slots.used).toBe(0);
  });
});
