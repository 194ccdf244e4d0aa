import { expect, test } from "vitest";
import { classify } from "../../../../wire/classify.js";
import { hasRequests } from "./legacy-session.js";

const request = { jsonrpc: "2.0", id: 1, method: "ping" };
const notification = { jsonrpc: "2.0", method: "notifications/initialized" };

test.each([
  [request, true],
  [notification, false],
  [[notification, request], true],
  [[notification], false],
])("whether %j has requests: %s", (message, expected) => {
  expect(hasRequests(classify(message))).toBe(expected);
});
