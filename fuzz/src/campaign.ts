/** Runs one target with inputs of one seed, and tells what it found and what came out. */
import { Random, streamOf } from "./random.js";
import { shrink, violationOf } from "./shrink.js";
import { type FuzzInput, type Target, Violation } from "./target.js";

export interface Finding {
  readonly target: string;
  readonly property: string;
  readonly message: string;
  readonly seed: number;
  readonly index: number;
  /** As small as it could be made. */
  readonly input: FuzzInput;
}

export interface Campaign {
  readonly target: Target;
  readonly executions: number;
  readonly elapsedMs: number;
  /** How often each came out. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
}

export interface CampaignOptions {
  readonly seed: number;
  readonly executions: number;
  /** Different properties to find before it stops. */
  readonly maxFindings?: number;
}

/** The same thing over and over says nothing new. */
const MAX_VIOLATIONS = 20;

export function generate(target: Target, seed: number, index: number): FuzzInput {
  return target.generate(new Random(seed, streamOf(target.name), index));
}

export async function runCampaign(target: Target, options: CampaignOptions): Promise<Campaign> {
  const { seed, executions, maxFindings = 3 } = options;
  const outcomes = new Map<string, number>();
  const found = new Map<string, Finding>();
  const startedAt = performance.now();
  const stray: unknown[] = [];
  const onStray = (reason: unknown) => stray.push(reason);
  process.on("unhandledRejection", onStray);
  let done = 0;
  let violations = 0;
  while (done < executions && found.size < maxFindings && violations < MAX_VIOLATIONS) {
    const index = done++;
    const input = generate(target, seed, index);
    try {
      const outcome = await execute(target, input);
      if (stray.length > 0) throw new Violation("leaves no rejection to nobody", String(stray.splice(0)[0]));
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    } catch (thrown) {
      violations += 1;
      const { property, message } = asViolation(thrown);
      if (found.has(property)) continue;
      const least = await shrink(target, input, property);
      found.set(property, { target: target.name, property, message, seed, index, input: least });
    }
  }
  process.off("unhandledRejection", onStray);
  return {
    target,
    executions: done,
    elapsedMs: performance.now() - startedAt,
    outcomes,
    findings: [...found.values()],
  };
}

async function execute(target: Target, input: FuzzInput): Promise<string> {
  const startedAt = performance.now();
  const pending = target.check(input);
  const outcome = typeof pending === "string" ? pending : await pending;
  if (performance.now() - startedAt > target.maxMs) await requireSpeed(target, input);
  requireCleanPrototypes();
  return outcome;
}

function asViolation(thrown: unknown): Violation {
  if (thrown instanceof Violation) return thrown;
  return new Violation("throws nothing but what is documented", String((thrown as Error)?.stack ?? thrown));
}

/** A busy machine makes anything slow once; what is slow three times more is slow. */
async function requireSpeed(target: Target, input: FuzzInput): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const startedAt = performance.now();
    const violation = await violationOf(target, input);
    if (violation) throw violation;
    if (performance.now() - startedAt <= target.maxMs) return;
  }
  throw new Violation("is quick", `took longer than ${target.maxMs} ms, four times in a row`);
}

const pristine = countPrototypeMembers();

function countPrototypeMembers(): number {
  const prototypes: readonly object[] = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
  return prototypes.reduce((sum, prototype) => sum + Reflect.ownKeys(prototype).length, 0);
}

function requireCleanPrototypes(): void {
  if (countPrototypeMembers() !== pristine)
    throw new Violation("leaves prototypes alone", "one of them has new members");
}
