import { expect, test } from "vitest";
import {
  eraOf,
  isAtLeast,
  isLegacyRevision,
  isModernRevision,
  isRevision,
  LATEST_LEGACY_REVISION,
  LATEST_MODERN_REVISION,
  LEGACY_REVISIONS,
  MODERN_REVISIONS,
  REVISIONS,
} from "./revisions.js";

test("there are five revisions, oldest first, and each belongs to one era", () => {
  expect(REVISIONS).toEqual(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]);
  expect(REVISIONS.map(eraOf)).toEqual(["legacy", "legacy", "legacy", "legacy", "modern"]);
  expect(REVISIONS.filter(isLegacyRevision)).toEqual(LEGACY_REVISIONS);
  expect(REVISIONS.filter(isModernRevision)).toEqual(MODERN_REVISIONS);
});

test("the latest of each era is the last in its list", () => {
  expect(LATEST_LEGACY_REVISION).toBe(LEGACY_REVISIONS.at(-1));
  expect(LATEST_MODERN_REVISION).toBe(MODERN_REVISIONS.at(-1));
});

test.each(["2024-11-04", "2025-11-25 ", "", "latest", 20251125, null, undefined, ["2025-11-25"]])(
  "%j is no revision of either era",
  (value) => {
    expect([isRevision(value), isLegacyRevision(value), isModernRevision(value)]).toEqual([false, false, false]);
  },
);

test("a revision is at least itself and every older one", () => {
  expect(isAtLeast("2025-06-18", "2025-03-26")).toBe(true);
  expect(isAtLeast("2025-06-18", "2025-06-18")).toBe(true);
  expect(isAtLeast("2025-06-18", "2025-11-25")).toBe(false);
});
