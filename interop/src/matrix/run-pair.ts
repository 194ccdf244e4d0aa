/** Tries every feature on one pair of peers, over one connection. */
import { setTimeout as wait } from "node:timers/promises";
import { checks } from "../checks/checks.js";
import { CheckFailure, HeardLog, type Trial } from "../checks/trial.js";
import type { Departure } from "../departures.js";
import { type Feature, features } from "../features.js";
import type { ClientPeer, Endpoint, PeerClient } from "../peer-client.js";
import type { ServerMode, ServerPeer } from "../server-peer.js";
import { HttpTap } from "../wire/http-tap.js";
import { StdioTap } from "../wire/stdio-tap.js";
import type { Tap } from "../wire/wire-log.js";
import type { Cell, Outcome, PairName } from "./cell.js";
import { departureFor, judge } from "./judge.js";

export interface Pair {
  readonly client: ClientPeer;
  readonly server: ServerPeer;
  readonly mode: ServerMode;
}

/** Ample, since machines are busy; what is known to stay away is not waited for as long. */
const DEADLINE_MS = 15_000;
const DEPARTURE_DEADLINE_MS = 3_000;
/** A check may wait more than once; its own complaints say more than that nothing came of it. */
const WAITS_PER_CHECK = 3;
const AT_ONCE = 3;

export function nameOf({ client, server, mode }: Pair): PairName {
  return { client: client.name, server: server.name, mode: mode.name };
}

/** As `runPair`, for many, a few at once: most of the time is spent waiting. */
export async function runPairs(
  pairs: readonly Pair[],
  departures: readonly Departure[],
  onDone: (pair: Pair, cells: readonly Cell[]) => void = () => undefined,
): Promise<Cell[]> {
  const results = new Map<Pair, Cell[]>();
  const waiting = [...pairs];
  const work = async () => {
    for (let pair = waiting.shift(); pair; pair = waiting.shift()) {
      const cells = await runPair(pair, departures);
      results.set(pair, cells);
      onDone(pair, cells);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return pairs.flatMap((pair) => results.get(pair) ?? []);
}

export async function runPair(pair: Pair, departures: readonly Departure[]): Promise<Cell[]> {
  const { client, server, mode } = pair;
  const name = nameOf(pair);
  await client.prepare?.();
  await using running = await mode.start();
  await using tapped = await tapInto(running.endpoint);
  const { tap, http } = tapped;
  const { era, revision, asksForRevision, withoutRoots } = mode;
  const heard = new HeardLog();
  const wanted = { era, withoutRoots, ...(asksForRevision && { revision }) };
  const open = () => attempt(() => client.connect(tapped.endpoint, wanted, heard.hear), DEADLINE_MS);

  let opened = await open();
  const tryFeature = async (feature: Feature, seen: number): Promise<Outcome> => {
    const why = mode.lacks[feature] ?? client.lacks[feature];
    if (why !== undefined) return { verdict: "not offered", why };
    if (!opened.ok) return { verdict: "failed", complaint: opened.complaint };
    const departure = departureFor(departures, name, feature);
    const deadlineMs = departure ? DEPARTURE_DEADLINE_MS : DEADLINE_MS;
    const trial: Trial = { client: opened.value, era, revision, exhibit: server.exhibit, heard, tap, http, deadlineMs };
    const result = await attempt(() => checks[feature](trial), WAITS_PER_CHECK * deadlineMs);
    return judge(result.ok ? undefined : result.complaint, departure, tap.entries().slice(seen));
  };

  const cells: Cell[] = [];
  for (const feature of features) {
    const seen = feature === "connect" ? 0 : tap.entries().length;
    const outcome = await tryFeature(feature, seen);
    const isTroubled = outcome.verdict === "failed" || outcome.verdict === "departure";
    const wire = isTroubled ? tap.entries().slice(seen) : [];
    cells.push({ ...name, feature, revision: opened.ok ? opened.value.revision : undefined, outcome, wire });
    // Whatever went wrong is not to spoil what follows.
    const isClosed = feature === "session deletion" && outcome.verdict === "passed";
    if (isTroubled || isClosed) opened = await reopen(opened, open);
  }
  await closeQuietly(opened);
  return cells;
}

async function reopen(
  opened: Attempt<PeerClient>,
  open: () => Promise<Attempt<PeerClient>>,
): Promise<Attempt<PeerClient>> {
  await closeQuietly(opened);
  return open();
}

async function closeQuietly(opened: Attempt<PeerClient>): Promise<void> {
  if (opened.ok) await attempt(() => opened.value.close(), DEADLINE_MS);
}

interface Tapped extends AsyncDisposable {
  readonly tap: Tap;
  readonly http: HttpTap | undefined;
  readonly endpoint: Endpoint;
}

async function tapInto(endpoint: Endpoint): Promise<Tapped> {
  if (endpoint.kind === "stdio") {
    const tap = new StdioTap(endpoint);
    return { tap, http: undefined, endpoint: tap.endpoint, [Symbol.asyncDispose]: () => tap[Symbol.asyncDispose]() };
  }
  const tap = await HttpTap.start(endpoint.url);
  const { kind } = endpoint;
  return { tap, http: tap, endpoint: { kind, url: tap.url }, [Symbol.asyncDispose]: () => tap[Symbol.asyncDispose]() };
}

type Attempt<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly complaint: string };

async function attempt<Value>(run: () => Promise<Value>, deadlineMs: number): Promise<Attempt<Value>> {
  const stop = new AbortController();
  const late = wait(deadlineMs, undefined, { signal: stop.signal }).then(() => {
    throw new CheckFailure(`nothing came of it within ${deadlineMs} ms`);
  });
  try {
    return { ok: true, value: await Promise.race([run(), late]) };
  } catch (error) {
    return { ok: false, complaint: error instanceof Error ? error.message : String(error) };
  } finally {
    late.catch(() => undefined);
    stop.abort();
  }
}
