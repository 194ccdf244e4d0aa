import { expect, it } from "vitest";
import { refusedNotification } from "./refused-notifications.js";

it("lets a stream of changes carry them, and no other request", () => {
  const changed = "notifications/tools/list_changed";
  expect(refusedNotification(changed, "subscriptions/listen")).toBeUndefined();
  expect(refusedNotification(changed, "tools/call")).toMatchObject({ code: "invalid-argument" });
  expect(refusedNotification("notifications/progress", "subscriptions/listen")).toBeDefined();
  expect(refusedNotification("notifications/acme/alarm", "tools/call")).toBeUndefined();
});
