import { expect, it, vi } from "vitest";
import { McpServer } from "../mcp-server.js";
import { Announcements } from "./announcements.js";
import { StartedElicitations } from "./started-elicitations.js";

it("finishes a page once, and none that it does not know", () => {
  const pages = new StartedElicitations();
  pages.start("a");
  expect([pages.finish("b"), pages.finish("a"), pages.finish("a")]).toEqual([false, true, false]);
  expect(pages.size).toBe(0);
});

it("forgets pages after their time, when it is asked or when another is started", () => {
  let now = 0;
  const pages = new StartedElicitations({ ttlMs: 10, now: () => now });
  pages.start("a");
  pages.start("b");
  now = 9;
  expect(pages.finish("a")).toBe(true);
  now = 10;
  expect(pages.finish("b")).toBe(false);
  pages.start("c");
  now = 20;
  pages.start("d");
  expect(pages.size).toBe(1);
});

it("forgets the oldest beyond its size, and counts a page started again as new", () => {
  const pages = new StartedElicitations({ max: 2 });
  for (const id of ["a", "b", "a", "c"]) pages.start(id);
  expect(pages.size).toBe(2);
  expect([pages.finish("b"), pages.finish("a"), pages.finish("c")]).toEqual([false, true, true]);
  const none = new StartedElicitations({ max: 0 });
  none.start("a");
  expect(none.size).toBe(0);
});

it("forgets all of them with its connection", () => {
  const pages = new StartedElicitations();
  pages.start("a");
  pages.clear();
  expect(pages.finish("a")).toBe(false);
});

it("reports a bus that fails to carry the end of a page", async () => {
  const onError = vi.fn();
  const publish = () => Promise.reject(new Error("no"));
  const announcements = new Announcements({ publish, subscribe: () => () => undefined }, onError);
  announcements.announce({ kind: "elicitation", elicitationId: "page-7" });
  await vi.waitFor(() => expect(onError).toHaveBeenCalledOnce());
  expect(onError.mock.calls[0]?.[0]).toMatchObject({ message: expect.stringContaining("page-7") });
});

it.each([
  [{ urlElicitations: { max: -1 } }, "urlElicitations.max"],
  [{ urlElicitations: { max: 1.5 } }, "urlElicitations.max"],
  [{ urlElicitations: { ttlMs: 0 } }, "urlElicitations.ttlMs"],
  [{ progressIntervalMs: 0 }, "progressIntervalMs"],
  [{ progressIntervalMs: Number.NaN }, "progressIntervalMs"],
])("refuses limits that make no sense: %j", (options, named) => {
  expect(() => new McpServer({ name: "a", version: "1.0.0", ...options })).toThrow(
    expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(named) }),
  );
});

it("keeps 1,024 pages for an hour by default", () => {
  let now = 0;
  const pages = new StartedElicitations({ now: () => now });
  for (let page = 1; page <= 1_025; page += 1) pages.start(String(page));
  expect(pages.size).toBe(1_024);
  expect(pages.finish("1")).toBe(false);

  now = 3_599_999;
  expect(pages.finish("2")).toBe(true);
  now = 3_600_000;
  expect(pages.finish("3")).toBe(false);
});
