/** Runs checks against a target: finds the revisions that it speaks, then every check in each of them. */
import { NEWEST_REVISION, REVISIONS, REVISIONS_OVER, type Revision } from "parley-requirements";
import {
  type Answer,
  errorOf,
  isLate,
  NO_ANSWER,
  resultOf,
  shorten,
  TIME_IS_OVER,
  TOO_LARGE,
} from "../target/answer.js";
import { initializeParams, isModern } from "../target/envelope.js";
import type { Peer, Target } from "../target/target.js";
import { DEFAULT_LIMITS } from "../wire/http-exchange.js";
import { appliesTo, type Check, type CheckArea, severityOf, sourceOf } from "./check.js";
import { evidenceOf, type Mask } from "./evidence.js";
import { ExpectationFailed, Undecided } from "./expectations.js";
import { assertNeeds } from "./needs.js";
import type { CallPermissions, Offer } from "./offer.js";
import { Probe, type ProbeOptions } from "./probe.js";
import { type Finding, lesserSeverity, type Report } from "./report.js";

export interface RunOptions {
  readonly areas: readonly CheckArea[];
  readonly permissions: CallPermissions;
  /** Revisions to check. Default: every one that the server claims. */
  readonly revisions?: readonly Revision[];
  /** Which checks to run, by id or area. Default: all. */
  readonly isSelected?: (check: Check, area: string) => boolean;
  readonly mask: Mask;
  /** The target refuses requests without credentials. */
  readonly isProtected?: boolean;
  /** How long one answer may take, as the target has it. Default: 5000. */
  readonly timeoutMs?: number;
  /** How long the run may take. Checks after that are not observed. */
  readonly maxRunMs?: number;
  readonly onProgress?: (done: number, total: number, finding: Finding) => void;
  /** Called in each revision before its checks. */
  readonly onOffer?: (revision: Revision, offer: Offer) => void;
}

/** Thrown when no revision of the target could be spoken to. */
class CannotRun extends Error {
  override readonly name = "CannotRun";
}

/** @throws {CannotRun} if the target answers neither `server/discover` nor `initialize`. */
export async function runChecks(target: Target, options: RunOptions): Promise<Report> {
  const opened = new Map<Revision, Peer>();
  try {
    return await checkRevisions(target, options, opened);
  } finally {
    await closeAll([...opened.values()]);
  }
}

/** @param opened gets the programs that go on: the checks of their revision share them. */
async function checkRevisions(target: Target, options: RunOptions, opened: Map<Revision, Peer>): Promise<Report> {
  const started = performance.now();
  const { claimed, last } = await claimedRevisions(target, opened);
  if (claimed.length === 0) throw new CannotRun(options.mask(whyNot(target, last)));
  // Newer revisions have another transport. A server may still agree on them over HTTP+SSE.
  const asked = target.kind === "sse" ? REVISIONS_OVER.sse : claimed;
  const checked = asked.filter(
    (revision) => claimed.includes(revision) && (options.revisions?.includes(revision) ?? true),
  );
  await closeAll([...opened].filter(([revision]) => !checked.includes(revision)).map(([, peer]) => peer));
  if (checked.length === 0) {
    throw new CannotRun(
      `${options.mask(target.name)} speaks ${claimed.join(", ")}, and none of the revisions that were asked for`,
    );
  }
  const cells = checked.map((revision) => ({ revision, selected: selectedFor(revision, target, options) }));
  const total = cells.reduce((sum, { selected }) => sum + selected.length, 0);
  const findings: Finding[] = [];
  const slowTools = new Set<string>();
  const firstExchanges: ProbeOptions["firstExchanges"] = new Map();
  const isOver = () => performance.now() - started > (options.maxRunMs ?? Number.POSITIVE_INFINITY);
  for (const { revision, selected } of cells) {
    const probe = new Probe({
      target,
      revision,
      claimed,
      permissions: options.permissions,
      isProtected: options.isProtected ?? false,
      timeoutMs: options.timeoutMs ?? DEFAULT_LIMITS.timeoutMs,
      isOver,
      slowTools,
      firstExchanges,
      opened: opened.get(revision),
    });
    try {
      const offer = await probe.discover();
      options.onOffer?.(revision, offer);
      await probe.settle();
      for (const { check, area } of selected) {
        const began = performance.now();
        const verdict = await judge(check, area, probe, options.mask, isOver());
        const finding = { ...verdict, durationMs: Math.round(performance.now() - began) };
        findings.push(finding);
        options.onProgress?.(findings.length, total, finding);
      }
    } finally {
      await probe.close();
    }
  }
  const durationMs = Math.round(performance.now() - started);
  return { target: options.mask(target.name), kind: target.kind, claimed, checked, findings, durationMs };
}

interface SelectedCheck {
  readonly check: Check;
  readonly area: string;
}

/** Active checks first: watching ones judge the answers that active ones got. */
function selectedFor(revision: Revision, target: Target, options: RunOptions): SelectedCheck[] {
  const all = options.areas
    .flatMap(({ area, checks }) => checks.map((check) => ({ check, area })))
    .filter(
      ({ check, area }) => appliesTo(check, revision, target.kind) && (options.isSelected?.(check, area) ?? true),
    );
  return [...all.filter(({ check }) => "run" in check), ...all.filter(({ check }) => "watch" in check)];
}

async function judge(
  check: Check,
  area: string,
  probe: Probe,
  mask: Mask,
  isOver: boolean,
): Promise<Omit<Finding, "durationMs">> {
  const facts = {
    check: check.id,
    area,
    title: check.title,
    revision: probe.revision,
    requirement: check.requirement,
    source: sourceOf(check),
    severity: severityOf(check),
  };
  try {
    if (isOver) throw new Undecided("not observed", TIME_IS_OVER);
    if ("run" in check) await runActive(check.needs ?? [], check.run, probe);
    else watchAll(check, probe);
    return { ...facts, outcome: "passed", evidence: evidenceOf((await probe.settle()).slice(-1), mask) };
  } catch (error) {
    const answers = await probe.settle();
    const evidence = evidenceOf(answers, mask);
    const limit = answers.find(({ problem }) => problem === TOO_LARGE || problem === TIME_IS_OVER)?.problem;
    if (error instanceof ExpectationFailed && limit !== undefined) {
      return { ...facts, outcome: "not observed", reason: limit, evidence: [] };
    }
    if (error instanceof ExpectationFailed) {
      const { expected, got } = error;
      const severity = lesserSeverity(facts.severity, error.atMost);
      const mend = mendOf(check.mend, answers.at(-1));
      const shown = { expected: mask(expected), got: mask(got), mend, evidence };
      return { ...facts, severity, outcome: "failed", ...shown };
    }
    if (error instanceof Undecided)
      return { ...facts, outcome: error.outcome, reason: mask(error.message), evidence: [] };
    const reason = `the check itself failed: ${error instanceof Error ? error.message : String(error)}`;
    return { ...facts, outcome: "not observed", reason: mask(reason), evidence };
  }
}

/** A server that is slow looks like one that does not answer. */
function mendOf(mend: string, last: Answer | undefined): string {
  return last && isLate(last) ? `${mend} If the server is only slow, --timeout 30000 waits longer.` : mend;
}

async function runActive(
  needs: Parameters<typeof assertNeeds>[0],
  run: (probe: Probe) => Promise<void>,
  probe: Probe,
): Promise<void> {
  if (await probe.hasGivenUp()) throw new Undecided("not observed", "the server has stopped answering");
  assertNeeds(needs, probe.offer);
  await probe.settle();
  await run(probe);
}

function watchAll(check: Extract<Check, { watch: unknown }>, probe: Probe): void {
  assertNeeds(check.needs ?? [], probe.offer);
  let seen = 0;
  for (const answer of probe.log) {
    try {
      if (check.watch(answer, probe)) seen += 1;
    } catch (error) {
      probe.touch(answer);
      throw error;
    }
  }
  if (seen === 0) throw new Undecided("not observed", "no answer of the server was of this kind");
}

interface ClaimedRevisions {
  /** Newest last. */
  readonly claimed: readonly Revision[];
  /** The last answer, for the case that no revision is claimed. */
  readonly last: Answer | undefined;
}

/** Asks which revisions the server says it speaks. */
async function claimedRevisions(target: Target, opened: Map<Revision, Peer>): Promise<ClaimedRevisions> {
  const possible = target.kind === "http" ? REVISIONS_OVER.http : REVISIONS;
  const claimed: Revision[] = [];
  let last: Answer | undefined;
  const settle = async (peer: Peer, isClaimed: boolean) => {
    if (isClaimed) claimed.unshift(peer.revision);
    if (isClaimed && peer.kind === "stdio") opened.set(peer.revision, peer);
    else await peer.close();
  };
  if (target.kind !== "sse") {
    const modern = await target.open(NEWEST_REVISION);
    last = await modern.request("server/discover");
    await settle(modern, Array.isArray(resultOf(last)?.supportedVersions));
  }
  for (const revision of possible.filter((candidate) => !isModern(candidate)).toReversed()) {
    const peer = await target.open(revision, { initialize: initializeParams(revision) });
    last = peer.opening ?? last;
    const result = peer.opening && resultOf(peer.opening);
    await settle(peer, result?.protocolVersion === revision);
  }
  return { claimed, last };
}

async function closeAll(peers: readonly Peer[]): Promise<void> {
  await Promise.all(peers.map((peer) => peer.close()));
}

function whyNot(target: Target, last: Answer | undefined): string {
  const said = last && (errorOf(last)?.message ?? last.problem ?? (last.http ? `HTTP ${last.http.status}` : undefined));
  const hint = hintFor(target, last);
  return `${target.name} answers neither server/discover nor initialize (${String(said ?? "no answer")}); ${hint}`;
}

/** What to try next with a target that did not answer. */
function hintFor({ kind }: Target, last: Answer | undefined): string {
  const { problem = "", garbage = [], http } = last ?? {};
  if (http?.status === 401) return "log in with --login, or give a token with --header 'Authorization: Bearer $TOKEN'";
  if (/ECONNREFUSED/.test(problem)) return "start the server first, or check the port";
  if (/could not be started/.test(problem)) return "check the command after --";
  if (/exited/.test(problem)) return "run the command by itself to see why it ends";
  if (kind === "stdio" && garbage[0] !== undefined)
    return `its standard output has lines that are no messages, such as ${JSON.stringify(shorten(garbage[0], 60))}: write logs to standard error`;
  if (problem === NO_ANSWER) return "--timeout 30000 waits longer for each answer";
  if (http !== undefined) return "check the path of the URL: many servers have their endpoint at /mcp";
  return "is it an MCP server?";
}
