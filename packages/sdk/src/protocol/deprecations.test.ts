import { expect, test, vi } from "vitest";
import { warnDeprecated } from "./deprecations.js";

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
