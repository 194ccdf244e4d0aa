/** Says what the outcome of a check is, given what is known about the peer. */
import type { Departure } from "../departures.js";
import type { Feature } from "../features.js";
import type { WireEntry } from "../wire/wire-log.js";
import type { Cell, Outcome, PairName } from "./cell.js";
import { pairTitle } from "./cell.js";

export function departureFor(
  departures: readonly Departure[],
  pair: PairName,
  feature: Feature,
): Departure | undefined {
  return departures.find(({ occurs }) => {
    const isSame = (wanted: string | undefined, actual: string) => wanted === undefined || wanted === actual;
    return occurs.some(
      (place) =>
        place.features.includes(feature) &&
        isSame(place.client, pair.client) &&
        isSame(place.server, pair.server) &&
        (place.modes?.includes(pair.mode) ?? true),
    );
  });
}

/**
 * A known departure excuses only the complaint that it is known by, if the wire shows it as well. It is to be taken off the list once it
 * is gone.
 */
export function judge(
  complaint: string | undefined,
  departure: Departure | undefined,
  wire: readonly WireEntry[],
): Outcome {
  if (!departure) return complaint === undefined ? { verdict: "passed" } : { verdict: "failed", complaint };
  if (complaint === undefined) {
    return { verdict: "failed", complaint: `the departure "${departure.id}" no longer occurs: take it off the list` };
  }
  if (!departure.complaint.test(complaint)) return { verdict: "failed", complaint };
  if (!departure.wire.test(wire.map(({ text }) => text).join("\n"))) {
    return { verdict: "failed", complaint: `${complaint}; the wire does not show the departure "${departure.id}"` };
  }
  return { verdict: "departure", departure: departure.id, complaint };
}

/** Entries that no cell has needed. */
export function unseen(departures: readonly Departure[], cells: readonly Cell[]): readonly Departure[] {
  const seen = new Set(cells.map(({ outcome }) => (outcome.verdict === "departure" ? outcome.departure : "")));
  return departures.filter(({ id }) => !seen.has(id));
}

export function problemsIn(cells: readonly Cell[]): readonly string[] {
  return cells.flatMap((cell) =>
    cell.outcome.verdict === "failed" ? [`${pairTitle(cell)}, ${cell.feature}: ${cell.outcome.complaint}`] : [],
  );
}
