import { expect, it } from "vitest";
import { unrelatedNotification } from "./unrelated-notifications.js";

it("lets a stream of changes carry them, and no other request", () => {
  const changed = "notifications/tools/list_changed";
  expect(unrelatedNotification(changed, "subscriptions/listen")).toBeUndefined();
  expect(unrelatedNotification(changed, "tools/call")).toMatchObject({ code: "invalid-argument" });
  expect(unrelatedNotification("notifications/progress", "subscriptions/listen")).toBeDefined();
  expect(unrelatedNotification("notifications/acme/alarm", "tools/call")).toBeUndefined();
});
