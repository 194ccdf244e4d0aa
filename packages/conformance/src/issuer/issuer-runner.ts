/** Runs the checks of authorization servers against one issuer. */
import { NEWEST_REVISION } from "parley-requirements";
import { severityOf, sourceOf } from "../judge/check.js";
import type { Mask } from "../judge/evidence.js";
import { ExpectationFailed, Undecided } from "../judge/expectations.js";
import { type Evidence, type Finding, lesserSeverity, type Report } from "../judge/report.js";
import { shorten, TIME_IS_OVER } from "../target/answer.js";
import type { Limits } from "../wire/http-exchange.js";
import { ISSUER_CHECKS, type IssuerCheck } from "./issuer-checks.js";
import { IssuerProbe, type SendTo } from "./issuer-probe.js";

const MAX_SHOWN = 2;
const MAX_TEXT = 1500;

export interface IssuerRunOptions {
  readonly sendTo: SendTo;
  readonly limits: Limits;
  readonly mask: Mask;
  readonly isSelected: (check: IssuerCheck) => boolean;
  /** How long the run may take. Checks after that are not observed. */
  readonly maxRunMs?: number;
  readonly onProgress?: (done: number, total: number, finding: Finding) => void;
}

/** @throws {Error} if no well-known place of the issuer answers at all. */
export async function runIssuerChecks(issuer: string, options: IssuerRunOptions): Promise<Report> {
  const started = performance.now();
  const probe = new IssuerProbe(issuer, options.sendTo, options.limits);
  const places = await probe.places();
  if (places.every(({ fetched }) => fetched.status === undefined)) {
    throw new Error(`${options.mask(issuer)} does not answer (${places[0]?.fetched.reason ?? "no answer in time"})`);
  }
  const findings: Finding[] = [];
  const selected = ISSUER_CHECKS.filter(options.isSelected);
  for (const check of selected) {
    const isOver = performance.now() - started > (options.maxRunMs ?? Number.POSITIVE_INFINITY);
    const finding = await judge(check, probe, options.mask, isOver);
    findings.push(finding);
    options.onProgress?.(findings.length, selected.length, finding);
  }
  const durationMs = Math.round(performance.now() - started);
  return { target: options.mask(issuer), kind: "http", claimed: [], checked: [NEWEST_REVISION], findings, durationMs };
}

async function judge(check: IssuerCheck, probe: IssuerProbe, mask: Mask, isOver: boolean): Promise<Finding> {
  const began = performance.now();
  const facts = {
    check: check.id,
    area: "issuer",
    title: check.title,
    revision: NEWEST_REVISION,
    requirement: check.requirement,
    source: sourceOf(check),
    severity: severityOf(check),
  };
  const settled = () => ({ durationMs: Math.round(performance.now() - began), evidence: shown(probe, mask) });
  try {
    if (isOver) throw new Undecided("not observed", TIME_IS_OVER);
    await check.run(probe);
    return { ...facts, outcome: "passed", ...settled() };
  } catch (error) {
    if (error instanceof Undecided) {
      return { ...facts, outcome: error.outcome, reason: mask(error.message), ...settled(), evidence: [] };
    }
    if (!(error instanceof ExpectationFailed)) {
      return { ...facts, outcome: "not observed", reason: mask(`the check itself failed: ${error}`), ...settled() };
    }
    const { expected, got } = error;
    const severity = lesserSeverity(facts.severity, error.atMost);
    const shownFacts = { expected: mask(expected), got: mask(got), mend: check.mend };
    return { ...facts, severity, outcome: "failed", ...shownFacts, ...settled() };
  }
}

/** Registered secrets are not the user's, but they are secrets. */
function shown(probe: IssuerProbe, mask: Mask): Evidence[] {
  const hidden = (text: string) =>
    shorten(mask(text.replace(/("(?:client_secret|[a-z_]*token)":\s*")[^"]+/g, "$1***")), MAX_TEXT);
  return probe
    .takeEvidence()
    .slice(-MAX_SHOWN)
    .map(({ sent, received }) => ({ sent: hidden(sent), received: hidden(received) }));
}
