import { expect, test } from "vitest";
import { checkTaskId } from "./task-polling.js";

test("an error about another task shows 64 characters of its id", () => {
  const answer = { taskId: "x".repeat(65) };
  const message = `tasks/get: the server answered for task "${"x".repeat(64)}", not t1`;
  expect(() => checkTaskId("t1", answer)).toThrow(expect.objectContaining({ code: "invalid-result", message }));
});
