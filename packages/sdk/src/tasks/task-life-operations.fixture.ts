/** The operations of the model test on tasks: random bursts. */
import fc from "fast-check";

/** A call of the task's principal, or of a stranger. */
export interface CallerOperation {
  readonly kind: "update" | "cancel" | "get" | "wait";
  readonly task: number;
  readonly isOwner: boolean;
  /** The keys that an update answers. */
  readonly keys: readonly string[];
}

export type LifeOperation =
  | { readonly kind: "create"; readonly principal: string; readonly mayRerun: boolean; readonly ttlMs: number }
  | { readonly kind: "ask" | "withdraw" | "once"; readonly task: number; readonly key: string }
  | CallerOperation
  | { readonly kind: "status" | "complete" | "fail"; readonly task: number }
  | { readonly kind: "advance"; readonly ms: number }
  | { readonly kind: "tick"; readonly turns: number };

/** How a process ends after a burst, if it does. */
export type LifeEnd = "kill" | "close" | undefined;

export interface LifeBurst {
  readonly operations: readonly LifeOperation[];
  readonly end: LifeEnd;
}

const task = fc.nat(3);
const key = fc.constantFrom("a", "b", "c");
// The owner far more often than a stranger, who can do nothing.
const isOwner = fc.nat(5).map((drawn) => drawn > 0);

function callerOperation(kind: fc.Arbitrary<CallerOperation["kind"]>): fc.Arbitrary<CallerOperation> {
  const keys = fc.uniqueArray(fc.constantFrom("a", "b", "c", "unknown"), { minLength: 1 });
  return fc.record({ kind, task, isOwner, keys });
}

const operation: fc.Arbitrary<LifeOperation> = fc.oneof(
  fc.record({
    kind: fc.constant("create" as const),
    principal: fc.constantFrom("alice", "bob"),
    mayRerun: fc.nat(3).map((drawn) => drawn > 0),
    ttlMs: fc.constantFrom(1_000, 1_000_000),
  }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("ask" as const, "once" as const), task, key }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("withdraw" as const), task, key }) },
  { weight: 3, arbitrary: callerOperation(fc.constant("update")) },
  callerOperation(fc.constantFrom("cancel", "get", "wait")),
  fc.record({ kind: fc.constantFrom("status" as const, "complete" as const, "fail" as const), task }),
  fc.record({ kind: fc.constant("advance" as const), ms: fc.constantFrom(300, 1_000) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("tick" as const), turns: fc.nat(12) }) },
);

const burst: fc.Arbitrary<LifeBurst> = fc.record({
  operations: fc.array(operation, { maxLength: 8 }),
  end: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.constantFrom("kill" as const, "close" as const)),
});

export const taskLife: fc.Arbitrary<readonly LifeBurst[]> = fc.array(burst, { minLength: 1, maxLength: 6 });
