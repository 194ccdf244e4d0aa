import { expect, it } from "vitest";
import { ValidationRun } from "./validation-run.js";

it("lets schemas apply in each other 1,024 levels deep", () => {
  const run = new ValidationRun(1);
  for (let level = 1; level <= 1_024; level += 1) run.enter();
  expect(() => run.enter()).toThrow("nest too deep");
});
