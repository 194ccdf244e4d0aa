import { expect, it } from "vitest";
import { Run } from "./run.js";

it("lets schemas apply in each other 1,024 levels deep", () => {
  const run = new Run(1);
  for (let level = 1; level <= 1_024; level += 1) run.enter();
  expect(() => run.enter()).toThrow("nest too deep");
});
