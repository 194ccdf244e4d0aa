/** What a check works with: one open connection, what was heard over it, and its wire. */
import { setTimeout as wait } from "node:timers/promises";
import type { Exhibit } from "../exhibit.js";
import type { Era, PeerClient, Revision, ToolAnswer } from "../peer-client.js";
import type { HttpTap } from "../wire/http-tap.js";
import type { Tap } from "../wire/wire-log.js";

/** Throws where the peers do not understand each other. */
export type Check = (trial: Trial) => Promise<void>;

export interface Trial {
  readonly client: PeerClient;
  readonly era: Era;
  /** What both sides are to agree on. */
  readonly revision: Revision;
  readonly exhibit: Exhibit;
  readonly heard: HeardLog;
  readonly tap: Tap;
  /** The tap again where the connection is made of HTTP exchanges. */
  readonly http: HttpTap | undefined;
  /** How long something may stay away before it counts as missing. */
  readonly deadlineMs: number;
}

export interface HeardNotification {
  readonly method: string;
  readonly params: unknown;
}

/** Notifications in the order of their arrival. */
export class HeardLog {
  readonly #heard: HeardNotification[] = [];

  readonly hear = (method: string, params: unknown): void => {
    this.#heard.push({ method, params });
  };

  count(method: string): number {
    return this.#heard.filter((heard) => heard.method === method).length;
  }
}

export class CheckFailure extends Error {}

export function expect(holds: boolean, complaint: string): asserts holds {
  if (!holds) throw new CheckFailure(complaint);
}

export function expectEqual(actual: unknown, wanted: unknown, what: string): void {
  const [got, expected] = [JSON.stringify(actual), JSON.stringify(wanted)];
  expect(got === expected, `${what}: expected ${expected}, got ${got}`);
}

export function expectText(answer: ToolAnswer, wanted: string): void {
  expect(!answer.isError, `the tool failed: ${answer.text}`);
  expect(answer.text.includes(wanted), `expected text with "${wanted}", got "${answer.text.slice(0, 200)}"`);
}

/** Polls, since what is waited for happens on the other side of a connection. */
export async function eventually(
  { deadlineMs }: Pick<Trial, "deadlineMs">,
  holds: () => boolean | Promise<boolean>,
  complaint: string,
): Promise<void> {
  const timer = new AbortController();
  const late = wait(deadlineMs, false, { signal: timer.signal });
  late.catch(() => undefined);
  const end = Date.now() + deadlineMs;
  try {
    for (let pauseMs = 5; !(await Promise.race([holds(), late])); pauseMs = Math.min(2 * pauseMs, 250)) {
      expect(Date.now() < end, complaint);
      await wait(pauseMs);
    }
  } finally {
    timer.abort();
  }
}

/** The code that a call is refused with. */
export async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return { answered: await call };
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : String(error);
  }
}
