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
