import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { killProgram, startProgram } from "./program.js";

test("a program that could not be started is not killed: Node.js would end the group of the checker itself", async () => {
  const child = startProgram("no-such-program-of-parley", [], process.env);
  const kill = vi.spyOn(child, "kill").mockReturnValue(false);
  const failed = once(child, "error");

  killProgram(child);

  expect(kill).not.toHaveBeenCalled();
  expect(await failed).toMatchObject([{ code: "ENOENT" }]);
});
