import { describe, expect, test } from "vitest";
import { requirementOf } from "../judge/check.js";
import { CLIENT_CHECKS } from "./client-checks.js";
import { judgeSightings } from "./client-runner.js";
import { CLIENT_FAULTS, goodSightings } from "./scripted-client.fixture.js";

const show = (text: string) => text;

test.each(["modern", "legacy"] as const)("a client without faults passes every check of the %s era", (era) => {
  const findings = judgeSightings(era, goodSightings(era), show);

  expect(
    findings
      .filter(({ outcome }) => outcome !== "passed")
      .map(({ check, got, reason }) => `${check}: ${got ?? reason}`),
  ).toEqual([]);
});

test("every check names a requirement of the manifest and has a fault", () => {
  expect(CLIENT_CHECKS.map((check) => requirementOf(check).strength)).not.toContain(undefined);
  expect(CLIENT_CHECKS.map(({ id }) => id).filter((id) => !(id in CLIENT_FAULTS))).toEqual([]);
});

describe("a client with one fault", () => {
  test.each(Object.entries(CLIENT_FAULTS))("fails %s and nothing else", (id, fault) => {
    const era = CLIENT_CHECKS.find((check) => check.id === id)?.era ?? "modern";

    const findings = judgeSightings(era, fault(goodSightings(era)), show);

    expect(findings.filter(({ outcome }) => outcome === "failed").map(({ check }) => check)).toEqual([id]);
  });
});

test("a client that sends nothing of a kind is not judged for it", () => {
  const findings = judgeSightings("legacy", [], show);

  expect(findings.filter(({ outcome }) => outcome === "passed")).toEqual([]);
});
