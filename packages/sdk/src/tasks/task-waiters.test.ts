import { expect, it } from "vitest";
import { TaskWaiters } from "./task-waiters.js";

it("refuses waits beyond those of a principal, and of all, and names the limit", () => {
  const waiters = new TaskWaiters(3, 2);
  for (const taskId of ["a", "b"]) waiters.add(taskId, "alice").record.catch(() => undefined);
  const refusal = (limit: string, max: number) =>
    expect.objectContaining({
      message: expect.stringContaining(`at most ${max} at a time`),
      data: expect.objectContaining({ limit }),
    });
  expect(() => waiters.add("c", "alice")).toThrow(refusal("principal", 2));
  waiters.add("c", "bob").record.catch(() => undefined);
  expect(() => waiters.add("d", "carol")).toThrow(refusal("server", 3));
});
