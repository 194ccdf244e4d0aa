/** Runs a client against the scenarios, and judges what each played server has seen. */
import type { Revision } from "parley-requirements";
import { requirementOf, severityOf, sourceOf } from "../judge/check.js";
import type { Mask } from "../judge/evidence.js";
import { ExpectationFailed, notObserved, Undecided } from "../judge/expectations.js";
import { type Evidence, type Finding, lesserSeverity, type Report } from "../judge/report.js";
import { shorten, TIME_IS_OVER } from "../target/answer.js";
import { isModern } from "../target/envelope.js";
import { KILLED } from "../wire/program-run.js";
import { CLIENT_AREAS, CLIENT_CHECKS, CLIENT_SCENARIOS } from "./areas/index.js";
import { PlayedServer } from "./played-server.js";
import { PlayedSse } from "./played-sse.js";
import { isModernRequest } from "./replies.js";
import type { ClientCheck, Scenario } from "./scenario.js";
import { requestsOf, type Sighting, SightingFailed } from "./sighting.js";
import { OVERDUE, Stage } from "./stage.js";

const MAX_SHOWN = 4;

/** How a client is started against one played server. */
export interface ClientTrial {
  /** The URL of the server, or the command that starts it. */
  readonly server: string | readonly [string, ...string[]];
  readonly scenario: string;
  readonly revision: Revision;
  /** Further variables of the environment. */
  readonly told: Readonly<Record<string, string>>;
}

export interface ClientRunOptions {
  /** Runs the client to its end, and tells how it ended. */
  readonly run: (trial: ClientTrial) => Promise<string>;
  /** Names the client in the report. */
  readonly name: string;
  /** Hides secrets in the evidence. @defaultValue hides nothing */
  readonly mask?: (text: string) => string;
  /** Whether a check runs, by its id and area. @defaultValue all checks */
  readonly isSelected?: (check: { readonly id: string }, area: string) => boolean;
  /** Revisions of the played servers. @defaultValue all revisions */
  readonly revisions?: readonly Revision[];
  /** Tells milliseconds. @defaultValue the time of the process */
  readonly clock?: () => number;
  /** How many clients run at the same time. @defaultValue 1 */
  readonly concurrency?: number;
  /** How long the run may take. Scenarios that have not begun by then are not observed. @defaultValue unlimited */
  readonly maxRunMs?: number;
  /** Called after each check. @defaultValue none */
  readonly onProgress?: (done: number, total: number, finding: Finding) => void;
}

interface Cell {
  readonly scenario: Scenario;
  readonly revision: Revision;
  readonly checks: readonly { readonly check: ClientCheck; readonly area: string }[];
}

interface Trial {
  readonly sightings: number;
  /** The client sent initialize. */
  readonly hasHandshake: boolean;
  readonly ending: string;
  readonly findings: readonly Finding[];
}

/** @throws {Error} if the client sends nothing to any server. */
export async function runClientChecks(options: ClientRunOptions): Promise<Report> {
  const started = performance.now();
  const cells = cellsOf(options);
  const total = cells.reduce((sum, { checks }) => sum + checks.length, 0);
  const findings = new Map<Cell, readonly Finding[]>();
  const ends = new Set<string>();
  let done = 0;
  let seen = 0;
  let isLegacyKnown = false;
  const waiting = [...cells];
  const work = async () => {
    for (let cell = waiting.shift(); cell; cell = waiting.shift()) {
      const isOver = performance.now() - started > (options.maxRunMs ?? Number.POSITIVE_INFINITY);
      const trial = isOver ? notRun(cell) : await runScenario(cell, options);
      seen += trial.sightings;
      isLegacyKnown ||= trial.hasHandshake;
      ends.add(trial.ending);
      findings.set(cell, trial.findings);
      for (const finding of trial.findings) {
        done += 1;
        options.onProgress?.(done, total, finding);
      }
    }
  };
  await Promise.all(Array.from({ length: options.concurrency ?? 1 }, work));
  if (seen === 0)
    throw new Error(
      `${options.name} sends nothing to the server that its last argument names (${[...ends].slice(0, 2).join("; ")}); connect to the URL in MCP_SERVER_URL, or write {server} where the program takes a URL`,
    );
  const all = cells
    .flatMap((cell) => findings.get(cell) ?? [])
    .map((finding) => (isLegacyKnown ? finding : withoutFallback(finding)));
  const checked = [...new Set(all.filter(({ outcome }) => outcome !== "not observed").map(({ revision }) => revision))];
  const durationMs = Math.round(performance.now() - started);
  return { target: options.name, kind: "http", claimed: [], checked: checked.sort(), findings: all, durationMs };
}

function cellsOf({ isSelected = () => true, revisions }: ClientRunOptions): Cell[] {
  const all = CLIENT_AREAS.flatMap(({ area, checks }) => checks.map((check) => ({ check, area })));
  return CLIENT_SCENARIOS.flatMap((scenario) =>
    scenario.revisions
      .filter((revision) => revisions?.includes(revision) ?? true)
      .map((revision) => ({
        scenario,
        revision,
        checks: all.filter(
          ({ check, area }) => check.scenario === scenario.name && concerns(check, revision) && isSelected(check, area),
        ),
      }))
      .filter(({ checks }) => checks.length > 0),
  );
}

/** Whether a check holds in a revision: within the requirement and within its own bounds. */
export function concerns(check: ClientCheck, revision: Revision): boolean {
  if (check.revisions !== undefined) return check.revisions.includes(revision);
  const { since, until } = requirementOf(check);
  return (
    [since, check.since].every((from) => from === undefined || revision >= from) &&
    [until, check.until].every((to) => to === undefined || revision <= to)
  );
}

/** Runs the client once, and judges the checks of one scenario. */
export async function runScenario(
  { scenario, revision, checks }: Cell,
  options: Pick<ClientRunOptions, "run" | "mask" | "clock">,
): Promise<Trial> {
  const { mask = (text: string) => text } = options;
  await using stage = new Stage(revision, options.clock);
  const script = scenario.script(stage);
  const server = new PlayedServer(stage, scenario.isOverStdio ? { ...script, hasNoSessions: true } : script);
  const answer = (sighting: Sighting) => server.play(sighting);
  const sse = script.sse && new PlayedSse(script.sse, answer);
  const play = sse ? (sighting: Sighting) => sse.play(sighting) : answer;
  await (scenario.isOverStdio ? stage.openPipe(play, script.pipe ?? {}) : stage.open(play));
  const began = performance.now();
  const ending = await options.run({
    server: stage.server,
    scenario: scenario.name,
    revision,
    told: scenario.told ?? {},
  });
  await stage.settled();
  if (ending.includes(KILLED)) stage.notes.add(OVERDUE);
  const durationMs = Math.round(performance.now() - began);
  const findings = checks.map(({ check, area }) => ({ ...judge(check, area, stage, mask), durationMs }));
  const hasHandshake = requestsOf(stage.sightings, "initialize").length > 0;
  return { sightings: stage.sightings.length, hasHandshake, ending, findings };
}

/** The findings of a scenario whose time did not come. */
function notRun({ revision, checks }: Cell): Trial {
  const findings = checks.map(({ check, area }) => ({
    ...factsOf(check, area, revision),
    outcome: "not observed" as const,
    reason: TIME_IS_OVER,
    evidence: [],
    durationMs: 0,
  }));
  return { sightings: 0, hasHandshake: false, ending: TIME_IS_OVER, findings };
}

const NEED_BOTH_ERAS = new Set(CLIENT_CHECKS.filter(({ needsBothEras }) => needsBothEras).map(({ id }) => id));

/** A client that never makes a handshake may be one of the modern era alone. */
function withoutFallback(finding: Finding): Finding {
  if (finding.outcome !== "failed" || !NEED_BOTH_ERAS.has(finding.check)) return finding;
  const { expected: _expected, got: _got, mend: _mend, ...facts } = finding;
  return { ...facts, outcome: "not observed", reason: "the client makes no handshake with any server", evidence: [] };
}

function factsOf(check: ClientCheck, area: string, revision: Revision) {
  const { id, title, requirement } = check;
  return { check: id, area, title, revision, requirement, source: sourceOf(check), severity: severityOf(check) };
}

function judge(check: ClientCheck, area: string, stage: Stage, mask: Mask): Omit<Finding, "durationMs"> {
  const facts = factsOf(check, area, stage.revision);
  try {
    if (isModern(stage.revision) && !requestsOf(stage.sightings).some(isModernRequest))
      notObserved("the client sent no request of this revision");
    check.judge(stage.sightings, stage);
    return { ...facts, outcome: "passed", evidence: [] };
  } catch (error) {
    if (error instanceof Undecided)
      return { ...facts, outcome: error.outcome, reason: mask(error.message), evidence: [] };
    if (!(error instanceof ExpectationFailed))
      return { ...facts, outcome: "not observed", reason: `the check itself failed: ${error}`, evidence: [] };
    const guilty = error instanceof SightingFailed && error.sightings.length > 0 ? error.sightings : stage.sightings;
    const evidence = guilty.slice(0, MAX_SHOWN).map((sighting) => shown(sighting, mask));
    const { expected, got } = error;
    const severity = lesserSeverity(facts.severity, error.atMost);
    const shownFacts = { expected: mask(expected), got: mask(got), mend: check.mend, evidence };
    return { ...facts, severity, outcome: "failed", ...shownFacts };
  }
}

/** What the client sent, and the status that it was answered with. */
function shown({ origin, verb, path, headers, body, status }: Sighting, mask: Mask): Evidence {
  if (origin === "pipe") return { sent: shorten(mask(`${verb}: ${body}`), 1500), received: "(standard streams)" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return { sent: shorten(mask([`${verb} ${path}`, ...lines, "", body].join("\n")), 1500), received: `HTTP ${status}` };
}
