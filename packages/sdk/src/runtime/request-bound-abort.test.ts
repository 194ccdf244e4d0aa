import { expect, it } from "vitest";
import { bindsObjects, createAbort } from "./request-bound-abort.js";

it("knows the runtime by what it calls itself", () => {
  expect([{}, { navigator: {} }, { navigator: { userAgent: "Node.js/22" } }].map(bindsObjects)).toEqual([
    false,
    false,
    false,
  ]);
  expect(bindsObjects({ navigator: { userAgent: "Cloudflare-Workers" } })).toBe(true);
});

it("aborts at once where nothing is bound to a request, and in a continuation elsewhere", async () => {
  const reason = new Error("enough");
  const [free, bound] = [createAbort(false), createAbort(true)];
  free.abort(reason);
  bound.abort(reason);
  expect([free.signal.reason, bound.signal.aborted]).toEqual([reason, false]);
  await Promise.resolve();
  expect(bound.signal.reason).toBe(reason);
});
