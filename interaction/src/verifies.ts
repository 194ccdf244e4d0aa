/** Declares a test of requirements: it runs once in every cell that the manifest admits them to. */
import { type Requirement, requirements } from "parley-requirements";
import { test } from "vitest";
import { type Cell, cellName, cellsOf } from "./cells.js";
import { Conversation } from "./conversation.js";
import { withDeadline } from "./deadline.js";
import { collectDeclaration } from "./declarations.js";
import { reportFailure } from "./failure-report.js";
import { wireComplaints } from "./judge/wire-judge.js";
import { formatTestName } from "./test-name.js";
import { isSpoiledByListening, judgingFault } from "./unjudged.js";
import { logInto } from "./wire-log.js";
import { tapInto } from "./wiretap/wiretap.js";

/** Why the messages of a test are not shown to the judges. */
export type JudgeWaiver =
  /** A handler or a middleware of the test makes our side say what it never would by itself. */
  | "our-side-is-made-to-misbehave"
  /** What is tested has no valid form in some revision. */
  | "no-valid-form"
  /** The test joins both sides by itself, and chance decides what is written down, or nothing is, unlike in other tests. */
  | "not-written-down";

export interface VerifiesOptions {
  readonly judge?: JudgeWaiver;
  /** How long the body may take in one cell. */
  readonly deadlineMs?: number;
  /** Whether connections are heard that the test opens by itself. @defaultValue true */
  readonly isTapped?: boolean;
}

export type Body = (conversation: Conversation) => Promise<void> | void;

export interface Verifies {
  (ids: string | readonly string[], sentence: string, body: Body): void;
  (ids: string | readonly string[], sentence: string, options: VerifiesOptions, body: Body): void;
  /** For a requirement with a recorded divergence: the body says what the source asks, and has to fail. */
  diverging(ids: string | readonly string[], sentence: string, body: Body): void;
}

/** A guard against what never ends. Generous, since what takes milliseconds takes seconds on a machine that is busy. */
const DEADLINE_MS = 10_000;

export const verifies: Verifies = Object.assign(
  (ids: string | readonly string[], sentence: string, first: VerifiesOptions | Body, second?: Body) => {
    const [options, body]: [VerifiesOptions, Body | undefined] =
      typeof first === "function" ? [{}, first] : [first, second];
    if (!body) throw new Error(`verifies(${JSON.stringify(ids)}): there is no body to run`);
    const isTapped = ![ids].flat().some(isSpoiledByListening);
    declare([ids].flat(), sentence, false, options.deadlineMs, (cell) =>
      runInCell(cell, body, { isTapped, ...options }),
    );
  },
  {
    diverging(ids: string | readonly string[], sentence: string, body: Body): void {
      declare([ids].flat(), sentence, true, undefined, (cell) => expectDivergence(cell, body));
    },
  },
);

function declare(
  ids: readonly string[],
  sentence: string,
  isDiverging: boolean,
  deadlineMs: number | undefined,
  run: (cell: Cell) => Promise<number | undefined>,
): void {
  const verified = new Map(ids.map((id) => [id, requirementOf(id)]));
  const cells = sharedCells(verified);
  if (collectDeclaration({ ids, sentence, isDiverging })) return;
  // The body and the closing have a deadline each, and say which of them was late.
  const timeout = 2 * (deadlineMs ?? DEADLINE_MS) + 1_000;
  for (const cell of cells) {
    test(formatTestName({ cell: cellName(cell), ids, sentence }), { timeout }, async () => {
      try {
        checkHeard(await run(cell), verified);
      } catch (error) {
        throw reportFailure(error, verified, cell);
      }
    });
  }
}

/** @throws when the judges heard nothing of a requirement that they should hear of, or the other way round. */
function checkHeard(heard: number | undefined, verified: ReadonlyMap<string, Requirement>): void {
  if (heard === undefined) return;
  const faults = [...verified].flatMap(([id, requirement]) => judgingFault(id, requirement, heard) ?? []);
  if (faults.length > 0) throw new Error(faults.join("\n"));
}

/** @throws at import: for ids that do not run in the same cells. */
function sharedCells(verified: ReadonlyMap<string, Requirement>): readonly Cell[] {
  const ids = [...verified.keys()];
  const [first, ...rest] = [...verified.values()].map((requirement) => cellsOf(requirement).admitted);
  const [names = "", ...otherNames] = [first ?? [], ...rest].map((cells) => cells.map(cellName).join(", "));
  const odd = otherNames.findIndex((other) => other !== names);
  if (odd >= 0) throw new Error(`${ids[0]} and ${ids[odd + 1]} run in different cells: give each a test of its own`);
  return first ?? [];
}

/** @throws at import: for an id the manifest lacks. */
function requirementOf(id: string): Requirement {
  const requirement = Object.hasOwn(requirements, id) ? requirements[id] : undefined;
  if (!requirement) throw new Error(`"${id}" is not in the manifest`);
  return requirement;
}

/**
 * Runs the body, closes what it opened, and fails if the judges or a client's `onError` have something to say. Returns how many
 * messages the judges heard; undefined if they were not asked.
 */
export async function runInCell(cell: Cell, body: Body, options: VerifiesOptions = {}): Promise<number | undefined> {
  const { judge, deadlineMs = DEADLINE_MS, isTapped = true } = options;
  const conversation = new Conversation(cell);
  logInto(conversation.wire);
  // The messages of other cells are written down where they are joined.
  tapInto(cell.connection === "none" && isTapped ? conversation.wire : undefined);
  try {
    await withDeadline(Promise.resolve(body(conversation)), deadlineMs, "the test's body");
  } finally {
    await withDeadline(conversation.close(), deadlineMs, "closing what the test opened");
  }
  const [unexpected] = conversation.unexpectedErrors;
  if (unexpected)
    throw new Error(`A client reported an error the test did not expect: ${unexpected}`, { cause: unexpected });
  if (judge !== undefined) return undefined;
  const complaints = conversation.wire.connections.flatMap((log) => wireComplaints(log, cell.revision));
  if (complaints.length > 0) throw new Error(`The wire was judged invalid.\n${complaints.join("\n")}`);
  return conversation.wire.heardMessages;
}

/** @throws when the body passes: the recorded divergence is stale. */
export async function expectDivergence(cell: Cell, body: Body): Promise<undefined> {
  const holds = await runInCell(cell, body).then(
    () => true,
    () => false,
  );
  if (holds) throw new Error("The requirement holds here: remove its divergence from the manifest and use verifies()");
}
