import { expect, test, vi } from "vitest";

test("the tour shows a whole conversation in each era", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  await import("./tour.js");
  const shown = log.mock.calls.map((call) => String(call[0])).join("\n");
  log.mockRestore();

  const [, legacy = "", modern = ""] = shown.split(/^(?=\d{4}-\d\d-\d\d, )/m);
  expect(legacy).toMatch(/^2025-11-25, legacy/);
  expect(legacy).toContain("client → server  #1 initialize");
  expect(legacy).not.toContain("server/discover");
  expect(modern).toMatch(/^2026-07-28, modern/);
  expect(modern).toContain("client → server  #1 server/discover");
  expect(modern).not.toContain("initialize");
  for (const era of [legacy, modern]) {
    expect(era).toContain('the structured answer: {"bed":"north","moisture":0.41}');
    expect(era).toContain("progress: valve closed");
    expect(era).toContain("a failure the model can read");
    expect(era).toContain('beds that start with "s": south');
    expect(era).toContain("yellow leaves");
  }
});
