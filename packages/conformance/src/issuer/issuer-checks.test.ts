/** Every check of issuers against a server without faults, and against its own fault. */
import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../wire/http-exchange.js";
import { ISSUER_CHECKS } from "./issuer-checks.js";
import { runIssuerChecks } from "./issuer-runner.js";
import { ISSUER, ISSUER_FAULTS, type IssuerFault, scriptedIssuer } from "./scripted-issuer.fixture.js";

async function red(fault: Omit<IssuerFault, "check">): Promise<string[]> {
  const { findings } = await runIssuerChecks(ISSUER, {
    sendTo: scriptedIssuer(fault),
    limits: { ...DEFAULT_LIMITS, timeoutMs: 1000 },
    mask: (text) => text,
    isSelected: () => true,
  });
  return findings.filter(({ outcome }) => outcome === "failed").map(({ check, got }) => `${check}: ${got}`);
}

test("an issuer without faults fails no check", async () => {
  expect(await red({})).toEqual([]);
});

test.each(ISSUER_FAULTS.map((fault) => [fault.check, fault] as const))(
  "an issuer with the fault of %s fails it and little else",
  async (id, fault) => {
    const failed = (await red(fault)).map((line) => line.split(":")[0]);

    expect(failed).toContain(id);
    expect(failed.filter((check) => check !== id && !fault.also?.includes(String(check)))).toEqual([]);
  },
);

test("every check of issuers has a fault", () => {
  const killed = new Set(ISSUER_FAULTS.map(({ check }) => check));

  expect(ISSUER_CHECKS.map(({ id }) => id).filter((id) => !killed.has(id))).toEqual([]);
});

test("an issuer that does not answer cannot be checked, and the reason is told", async () => {
  const run = runIssuerChecks(ISSUER, {
    sendTo: () => () => Promise.reject(new Error("socket hang up")),
    limits: DEFAULT_LIMITS,
    mask: (text) => text,
    isSelected: () => true,
  });

  await expect(run).rejects.toThrow("does not answer (socket hang up)");
});
