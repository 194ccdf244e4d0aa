/** Runs a client's program against the played servers, and judges what each has seen. */
import { severityOf, sourceOf } from "../judge/check.js";
import type { Mask } from "../judge/evidence.js";
import { ExpectationFailed, Undecided } from "../judge/expectations.js";
import type { Evidence, Finding, Report } from "../judge/report.js";
import { shorten } from "../target/answer.js";
import { listenHttp } from "../wire/http-listener.js";
import { CLIENT_CHECKS, type ClientCheck } from "./client-checks.js";
import { type PlayedEra, PlayedServer, type Sighting } from "./played-server.js";

const MAX_SHOWN = 4;

const PLAYED_REVISIONS: Readonly<Record<PlayedEra, string>> = { modern: "2026-07-28", legacy: "2025-11-25" };

export interface ClientRunOptions {
  /** Runs the program with the URL of a server, and tells how it ended. */
  readonly run: (url: string) => Promise<string>;
  readonly name: string;
  readonly mask: Mask;
  readonly isSelected: (check: ClientCheck) => boolean;
}

/** @throws {Error} if the program sends nothing to any server. */
export async function runClientChecks({ run, name, mask, isSelected }: ClientRunOptions): Promise<Report> {
  const started = performance.now();
  const findings: Finding[] = [];
  const ends: string[] = [];
  for (const era of ["legacy", "modern"] as const) {
    const server = new PlayedServer(era);
    await using listener = await listenHttp((call) => server.play(call));
    ends.push(await run(listener.url));
    if (server.sightings.length > 0)
      findings.push(
        ...judgeSightings(era, server.sightings, mask).filter(({ check }) =>
          CLIENT_CHECKS.some((item) => item.id === check && isSelected(item)),
        ),
      );
  }
  if (findings.length === 0)
    throw new Error(`${name} sends nothing to the URL that is its last argument (${ends.join("; ")})`);
  const checked = [...new Set(findings.map(({ revision }) => revision))];
  const durationMs = Math.round(performance.now() - started);
  return { target: name, kind: "http", claimed: [], checked, findings, durationMs };
}

/** A finding for each check of an era. */
export function judgeSightings(era: PlayedEra, sightings: readonly Sighting[], mask: Mask): Finding[] {
  return CLIENT_CHECKS.filter((check) => check.era === era).map((check) => {
    const facts = {
      check: check.id,
      area: "client",
      title: check.title,
      revision: PLAYED_REVISIONS[era],
      requirement: check.requirement,
      source: sourceOf(check),
      severity: severityOf(check),
      durationMs: 0,
    };
    try {
      check.judge(sightings);
      return { ...facts, outcome: "passed", evidence: [] };
    } catch (error) {
      if (error instanceof Undecided) return { ...facts, outcome: error.outcome, reason: error.message, evidence: [] };
      const { expected, got } =
        error instanceof ExpectationFailed ? error : new ExpectationFailed("a verdict", String(error));
      const evidence = sightings.slice(0, MAX_SHOWN).map((sighting) => shown(sighting, mask));
      return { ...facts, outcome: "failed", expected, got: mask(got), mend: check.mend, evidence };
    }
  });
}

/** What the client sent, and the status that it was answered with. */
function shown({ verb, headers, body, status }: Sighting, mask: Mask): Evidence {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return { sent: shorten(mask([verb, ...lines, "", body].join("\n")), 1500), received: `HTTP ${status}` };
}
