import { expect, test, vi } from "vitest";
import { warnOnce } from "./deprecation-warning.js";

test("a warning is emitted once per code, as Node's own deprecations are", () => {
  const emitWarning = vi.fn();

  warnOnce("TEST_ONE", "use another", { emitWarning });
  warnOnce("TEST_ONE", "use another", { emitWarning });
  warnOnce("TEST_TWO", "use a third", { emitWarning });

  expect(emitWarning.mock.calls).toEqual([
    ["use another", { type: "DeprecationWarning", code: "TEST_ONE" }],
    ["use a third", { type: "DeprecationWarning", code: "TEST_TWO" }],
  ]);
});

test("Node's own process emits it", () => {
  const emitWarning = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);

  warnOnce("TEST_NODE", "use another");

  expect(emitWarning).toHaveBeenCalledWith("use another", { type: "DeprecationWarning", code: "TEST_NODE" });
  emitWarning.mockRestore();
});

test("a runtime without a process, or without warnings, stays silent", () => {
  vi.stubGlobal("process", undefined);
  warnOnce("TEST_NO_PROCESS", "use another");
  vi.unstubAllGlobals();

  expect(() => warnOnce("TEST_NO_WARNINGS", "use another", {})).not.toThrow();
});
