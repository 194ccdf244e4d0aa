/** One cell of the matrix: how a feature fared between two peers. */
import type { Feature } from "../features.js";
import type { WireEntry } from "../wire/wire-log.js";

/** A column: a client, a server, and how they are connected. */
export interface PairName {
  readonly client: string;
  readonly server: string;
  readonly mode: string;
}

export type Outcome =
  | { readonly verdict: "passed" }
  | { readonly verdict: "not offered"; readonly why: string }
  | { readonly verdict: "departure"; readonly departure: string; readonly complaint: string }
  | { readonly verdict: "failed"; readonly complaint: string };

export type Cell = PairName & {
  readonly feature: Feature;
  readonly revision: string | undefined;
  readonly outcome: Outcome;
  /** What passed over the wire; kept for what did not pass. */
  readonly wire: readonly WireEntry[];
};

export function pairTitle({ client, server, mode }: PairName): string {
  return `${client} client, ${server} server, ${mode}`;
}
