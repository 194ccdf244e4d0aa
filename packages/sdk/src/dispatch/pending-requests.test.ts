import { expect, it, vi } from "vitest";
import { PendingRequests } from "./pending-requests.js";

const ignore = () => undefined;

it("is known to the inbound request it was sent for only while it waits", async () => {
  const pendings = new PendingRequests(ignore, { abandoned: ignore });
  const parent = { id: 1, adopt: vi.fn(), release: vi.fn() };
  const pending = pendings.open("roots/list", {}, parent);
  expect(parent.adopt.mock.calls).toEqual([[pending]]);
  expect(parent.release).not.toHaveBeenCalled();
  pendings.receiveResult(pending.id, { roots: [] });
  expect(await pending.promise).toEqual({ roots: [] });
  expect(parent.release.mock.calls).toEqual([[pending]]);
});

it("remembers which ids were issued, by the counter or by callers", () => {
  const pendings = new PendingRequests(ignore, { abandoned: ignore });
  const settle = (id?: string | number) => pendings.open("ping", id === undefined ? {} : { id }).resolve({});
  settle();
  for (const id of ["a", "7", -1, 2 ** 52]) settle(id);
  expect(["a", 1, "1", 7, 3, -1, 2 ** 52].map((id) => pendings.hasIssued(id))).not.toContain(false);
  expect(["b", 8, 0, -2, 2 ** 52 + 1].map((id) => pendings.hasIssued(id))).not.toContain(true);
});

it("remembers the last 10,000 ids that callers chose", () => {
  const pendings = new PendingRequests(ignore, { abandoned: ignore });
  for (let count = 0; count <= 10_000; count += 1) pendings.open("ping", { id: `id-${count}` }).resolve({});
  expect(pendings.hasIssued("id-0")).toBe(false);
  expect(pendings.hasIssued("id-1")).toBe(true);
});

it("forgets ids of callers beyond a mebibyte", () => {
  const pendings = new PendingRequests(ignore, { abandoned: ignore });
  for (const letter of ["a", "b", "c"]) pendings.open("ping", { id: letter.repeat(262_144) }).resolve({});
  expect(["a", "c"].map((letter) => pendings.hasIssued(letter.repeat(262_144)))).toEqual([false, true]);
});
