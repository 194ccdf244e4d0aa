import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isMutated, listFiles } from "./source-files.js";

test.each([
  ["packages/sdk/src/tasks/task-engine.ts", true],
  ["packages/redis/src/redis-backend.ts", true],
  ["packages/sdk/src/tasks/task-engine.test.ts", false],
  ["packages/sdk/src/hosting/http/http-fakes.fixture.ts", false],
  ["packages/sdk/src/tasks/task-store-contract.ts", false],
  ["packages/requirements/src/index.ts", false],
])("whether %s has mutants: %s", (file, expected) => {
  expect(isMutated(file)).toBe(expected);
});

test("a folder stands for its files, and a file for itself", () => {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  expect(listFiles(root, "mutants/src")).toContain("mutants/src/source-files.ts");
  expect(listFiles(root, "mutants/README.md")).toEqual(["mutants/README.md"]);
});
