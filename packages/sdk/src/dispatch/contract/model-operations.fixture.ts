/** What the model test does to a connection: bursts of operations, drawn at random. */
import fc from "fast-check";
import type { RequestId } from "../dispatcher.js";
import type { Side } from "./connection.fixture.js";

/** How one request is made, and what its handler does with it. */
export interface CallShape {
  readonly id: RequestId | undefined;
  /** The second one must never be cancelled on the wire. */
  readonly method: "work" | "server/discover";
  /** `hold`: until an operation answers. The others answer while the request arrives. */
  readonly handler: "hold" | "return" | "throw";
  readonly hasProgress: boolean;
  readonly timeoutMs: number | undefined;
  readonly maxTimeoutMs: number | undefined;
  readonly restarts: boolean;
  /** One of a few signals that requests share, or one that has aborted before. */
  readonly signal: number | "aborted" | undefined;
  /** Whether the handler looks at its signal from the start. */
  readonly isWatching: boolean;
}

/** `handler` is the number of a served request, counted round what there is. */
export type Operation =
  | { readonly kind: "request"; readonly from: Side; readonly shape: CallShape }
  | { readonly kind: "batch"; readonly from: Side; readonly shapes: readonly CallShape[] }
  | { readonly kind: "nested"; readonly handler: number; readonly shape: CallShape }
  | { readonly kind: "answer"; readonly handler: number; readonly answer: "result" | "error" | "crash" }
  | { readonly kind: "progress"; readonly handler: number }
  | { readonly kind: "notify-for"; readonly handler: number }
  | { readonly kind: "notify"; readonly from: Side }
  | { readonly kind: "close"; readonly from: Side }
  | { readonly kind: "abort"; readonly signal: number }
  | { readonly kind: "advance"; readonly ms: number }
  /** Lets a few microtasks pass, so that what follows meets messages under way. */
  | { readonly kind: "tick"; readonly turns: number };

export const SIGNALS = 3;

const side = fc.constantFrom<Side>("left", "right");
const handler = fc.nat(30);
const often = <T>(usual: T, rare: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: rare });

const shape: fc.Arbitrary<CallShape> = fc.record({
  id: often<RequestId | undefined>(undefined, fc.constantFrom<RequestId>(7, "7", 2, "2", "a", 0, "")),
  method: fc.oneof(
    { weight: 6, arbitrary: fc.constant("work" as const) },
    { weight: 1, arbitrary: fc.constant("server/discover" as const) },
  ),
  handler: often<CallShape["handler"]>("hold", fc.constantFrom<CallShape["handler"]>("return", "throw")),
  hasProgress: fc.boolean(),
  timeoutMs: fc.constantFrom(undefined, 10, 25),
  maxTimeoutMs: often<number | undefined>(undefined, fc.constantFrom(15, 30)),
  restarts: fc.boolean(),
  signal: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 6, arbitrary: fc.nat(SIGNALS - 1) },
    { weight: 1, arbitrary: fc.constant("aborted" as const) },
  ),
  isWatching: fc.boolean(),
});

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("request" as const), from: side, shape }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("batch" as const),
      from: side,
      shapes: fc.array(shape, { maxLength: 3 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("nested" as const), handler, shape }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("answer" as const),
      handler,
      answer: fc.constantFrom("result" as const, "error" as const, "crash" as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("progress" as const), handler }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("notify-for" as const), handler }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("notify" as const), from: side }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("abort" as const), signal: fc.nat(SIGNALS - 1) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("advance" as const), ms: fc.constantFrom(1, 9, 10, 16) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("tick" as const), turns: fc.integer({ min: 1, max: 4 }) }) },
);

const close: fc.Arbitrary<Operation> = fc.record({ kind: fc.constant("close" as const), from: side });

const burst = fc.array(operation, { minLength: 1, maxLength: 5 });

/** What happens before one side closes, the burst in which it does, and what is tried afterwards. */
export interface Story {
  readonly before: readonly (readonly Operation[])[];
  readonly closing: readonly Operation[];
  readonly after: readonly (readonly Operation[])[];
}

export const story: fc.Arbitrary<Story> = fc.record({
  before: fc.array(burst, { maxLength: 24 }),
  closing: fc
    .tuple(fc.array(operation, { maxLength: 3 }), close, fc.array(operation, { maxLength: 3 }))
    .map(([before, end, after]) => [...before, end, ...after]),
  after: fc.array(burst, { maxLength: 2 }),
});
