/** Every check of issuers against a server without faults, and against its own fault. */
import { expect, test } from "vitest";
import type { Finding } from "../judge/report.js";
import { DEFAULT_LIMITS } from "../wire/http-exchange.js";
import { ISSUER_CHECKS } from "./issuer-checks.js";
import { runIssuerChecks } from "./issuer-runner.js";
import { ISSUER, ISSUER_FAULTS, type IssuerFault, scriptedIssuer } from "./scripted-issuer.fixture.js";

async function findingsOf(fault: Omit<IssuerFault, "check">): Promise<readonly Finding[]> {
  const { findings } = await runIssuerChecks(ISSUER, {
    sendTo: scriptedIssuer(fault),
    limits: { ...DEFAULT_LIMITS, timeoutMs: 1000 },
    mask: (text) => text,
    isSelected: () => true,
  });
  return findings;
}

async function red(fault: Omit<IssuerFault, "check">): Promise<string[]> {
  const findings = await findingsOf(fault);
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

test("a code without PKCE is a failure, a page is a warning, and a plain challenge a note", async () => {
  const severityOf = async (check: string, fault: Omit<IssuerFault, "check">) =>
    (await findingsOf(fault)).find((finding) => finding.check === check && finding.outcome === "failed")?.severity;
  const agreeing: Omit<IssuerFault, "check"> = {
    without: ["pkce"],
    change(answer, path) {
      if (!path.endsWith("/authorize") || answer.status !== 200) return;
      answer.status = 302;
      answer.headers = { location: "https://parley-check.example/callback?code=1" };
    },
  };

  expect(await severityOf("authorize-pkce-missing", agreeing)).toBe("failure");
  expect(await severityOf("authorize-pkce-missing", { without: ["pkce"] })).toBe("warning");
  expect(await severityOf("authorize-pkce-plain", { without: ["pkce method"] })).toBe("note");
});

test.each([
  ["/", `${ISSUER}: only the slash at the end differs; give auth the issuer exactly as protected resources name it`],
  ["//", ISSUER],
])("an issuer that is given with %s at its end fails with the reason", async (end, got) => {
  const { findings } = await runIssuerChecks(`${ISSUER}${end}`, {
    sendTo: scriptedIssuer({}),
    limits: { ...DEFAULT_LIMITS, timeoutMs: 1000 },
    mask: (text) => text,
    isSelected: () => true,
  });

  const failed = findings.filter(({ outcome }) => outcome === "failed");
  expect(failed.map((finding) => [finding.check, finding.expected, finding.got])).toEqual([
    ["issuer-same", `${ISSUER}${end}`, got],
    ["authorize-error-iss", `${ISSUER}${end}`, got],
  ]);
});

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
