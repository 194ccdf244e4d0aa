import { expect, test } from "vitest";
import { ReachMap, type TestReach } from "./reach-map.js";

const file = "packages/sdk/src/tasks/slots.ts";

function reachOf(path: string, reach: Partial<TestReach> = {}): TestReach {
  const project = path.startsWith("interaction") ? "interaction" : "sdk";
  return { path, project, isAlone: false, ms: 1, imported: {}, ran: { [file]: [7] }, imports: [], ...reach };
}

const pathsOf = (tests: readonly TestReach[], index = 7) =>
  new ReachMap(tests).testsOf({ file, index }).map(({ path }) => path);

test("tests that reach a mutant come in the order of their distance, then of their time", () => {
  const inOrder = [
    "packages/sdk/src/tasks/slots.test.ts",
    "packages/sdk/src/tasks/slots-limits.test.ts",
    "packages/sdk/src/tasks/engine.test.ts",
    "packages/sdk/src/server/slow.test.ts",
    "interaction/tests/tasks/slots.test.ts",
  ];
  const tests = inOrder.map((path) => reachOf(path, { ms: path.includes("slow") ? 100 : 1 }));
  const quick = reachOf("packages/sdk/src/server/quick.test.ts");
  expect(pathsOf([...tests.toReversed(), quick])).toEqual(inOrder.toSpliced(3, 0, quick.path));
});

test("tests that begin later than the given time are left out", () => {
  const tests = ["a", "b", "c"].map((name) => reachOf(`${name}.test.ts`, { ms: 100 }));
  const map = new ReachMap(tests);
  expect(map.testsOf({ file, index: 7 }, 150).map(({ path }) => path)).toEqual(["a.test.ts", "b.test.ts"]);
});

test("tests that do not reach a mutant do not run", () => {
  expect(
    pathsOf([reachOf("a.test.ts", { ran: { [file]: [6, 8] } }), reachOf("b.test.ts", { ran: { "b.ts": [7] } })]),
  ).toEqual([]);
});

test("code that runs at import concerns all unit tests that import it, and all tests that run code of its file", () => {
  const tests = [
    reachOf("first.test.ts", { imported: { [file]: [7] }, ran: {} }),
    reachOf("importing.test.ts", { ran: {}, imports: [file] }),
    reachOf("interaction/running.test.ts", { ran: { [file]: [8] } }),
    reachOf("interaction/other.test.ts", { ran: {} }),
  ];
  expect(pathsOf(tests)).toEqual(["first.test.ts", "importing.test.ts", "interaction/running.test.ts"]);
  expect(pathsOf(tests, 8)).toEqual(["interaction/running.test.ts"]);
});
