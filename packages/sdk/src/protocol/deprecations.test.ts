import { expect, test, vi } from "vitest";
import { warnDeprecated, warnOnce } from "./deprecations.js";

test("a warning says since when, by which SEP, until when, and what to use instead", () => {
  const emitWarning = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);

  warnDeprecated("HTTP_SSE");

  expect(emitWarning.mock.calls).toEqual([
    [
      "The HTTP+SSE transport is deprecated since 2025-03-26 (SEP-2596), and it may be removed three months after " +
        "SEP-2596 became final. Instead, use Streamable HTTP.",
      { type: "DeprecationWarning", code: "PARLEY_DEP_HTTP_SSE" },
    ],
  ]);
  emitWarning.mockRestore();
});

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

test("Node's own process emits the warning", () => {
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
