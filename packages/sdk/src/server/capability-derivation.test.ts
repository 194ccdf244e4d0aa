import { expect, it } from "vitest";
import { deriveCapabilities, withoutChanges } from "./capability-derivation.js";

it("announces subscribing where something serves it", () => {
  const reading = ["resources/list", "resources/read"];
  const changing = { listChanged: true };
  expect(deriveCapabilities("2025-11-25", reading, {})).toEqual({ resources: changing });
  const subscribing = { resources: { ...changing, subscribe: true } };
  expect(deriveCapabilities("2025-11-25", [...reading, "resources/subscribe"], {})).toEqual(subscribing);
  expect(deriveCapabilities("2026-07-28", reading, {})).toEqual(subscribing);
});

it("leaves changes out for clients that hear of none, and nothing else", () => {
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} };
  expect(withoutChanges(capabilities)).toEqual({ tools: {}, resources: {}, logging: {} });
});
