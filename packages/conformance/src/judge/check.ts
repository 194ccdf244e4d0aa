/** A check: one sentence about servers, the requirement that it decides, and how to see whether it holds. */
import { type Requirement, type Revision, requirements, type Strength } from "parley-requirements";
import type { Answer } from "../target/answer.js";
import type { TargetKind } from "../target/target.js";
import type { Need } from "./needs.js";
import type { Probe } from "./probe.js";
import { lesserSeverity, type Severity } from "./report.js";

/** What is said of every check, of servers and of clients. */
export interface CheckFacts {
  /** Stable name in kebab-case. */
  readonly id: string;
  /** Id of an entry of the manifest. The severity follows from its strength. */
  readonly requirement: string;
  /** The highest severity, where the requirement joins sentences and the one that this check decides is weaker. */
  readonly atMost?: Severity;
  /** What a right server does, in one sentence. */
  readonly title: string;
  /** How to mend a server that fails. */
  readonly mend: string;
  /** The kind of target, for checks that concern one kind only. */
  readonly over?: TargetKind;
  /** Bounds within the revisions of the requirement. */
  readonly since?: Revision;
  readonly until?: Revision;
  /** The revisions of the check, in place of those of the requirement. */
  readonly revisions?: readonly Revision[];
  readonly needs?: readonly Need[];
}

/** Sends something and judges the answer. Expectations throw, see `expectations.ts`. */
export interface ActiveCheck extends CheckFacts {
  readonly run: (probe: Probe) => Promise<void>;
}

/** Looks at every answer that other checks got. */
export interface WatchingCheck extends CheckFacts {
  /** Whether the check concerns this answer. Expectations throw. */
  readonly watch: (answer: Answer, probe: Probe) => boolean;
}

export type Check = ActiveCheck | WatchingCheck;

/** Checks of one area, in the order in which they run. */
export interface CheckArea {
  readonly area: string;
  readonly checks: readonly Check[];
}

const SEVERITY_OF: Readonly<Record<Strength, Severity>> = {
  must: "failure",
  should: "warning",
  stated: "warning",
  may: "note",
  decision: "note",
};

/** @throws {Error} if the manifest has no such requirement. */
export function requirementOf(check: CheckFacts): Requirement {
  const requirement = requirements[check.requirement];
  if (!requirement) throw new Error(`Check "${check.id}" names no requirement of the manifest: ${check.requirement}`);
  return requirement;
}

export function severityOf(check: CheckFacts): Severity {
  return lesserSeverity(SEVERITY_OF[requirementOf(check).strength], check.atMost);
}

/** Whether a check concerns a revision over a kind of target. */
export function appliesTo(check: Check, revision: Revision, kind: TargetKind): boolean {
  if (check.over !== undefined && check.over !== kind) return false;
  if (check.revisions !== undefined) return check.revisions.includes(revision);
  const { since, until } = requirementOf(check);
  const isIn = (from: Revision | undefined, to: Revision | undefined) =>
    (from === undefined || revision >= from) && (to === undefined || revision <= to);
  return isIn(since, until) && isIn(check.since, check.until);
}

/** The decisions of this project, for readers who have no checkout of it. */
export const DECISIONS = "https://parley-mcp.example/docs/decisions.md";

/** Where to read the sentence that a check decides. */
export function sourceOf(check: CheckFacts): string {
  const { source } = requirementOf(check);
  return typeof source === "string" ? source : `${DECISIONS}#${source.decision}`;
}
