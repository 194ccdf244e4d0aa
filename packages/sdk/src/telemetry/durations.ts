/** Durations of calls, in the two histograms of the semantic conventions for MCP. */
import { type Attributes, type Context, type Histogram, type Meter, metrics } from "@opentelemetry/api";
import { ErrorCode } from "../protocol/error-codes.js";
import type { MiddlewareCall } from "../routing/middleware.js";
import { OTHER } from "./call-description.js";
import { isCallerFault, type Outcome } from "./outcome.js";

type Direction = MiddlewareCall<unknown>["direction"];

const BOUNDARIES_SECONDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

const NAMES: Readonly<Record<Direction, string>> = {
  inbound: "mcp.server.operation.duration",
  outbound: "mcp.client.operation.duration",
};

export class Durations {
  readonly #scope: string;
  readonly #meter: Meter | undefined;
  readonly #histograms = new Map<Direction, Histogram>();

  constructor(scope: string, meter: Meter | undefined) {
    this.#scope = scope;
    this.#meter = meter;
  }

  record(direction: Direction, ms: number, attributes: Attributes, outcome: Outcome, active: Context): void {
    this.#histogram(direction).record(
      ms / 1_000,
      direction === "inbound" ? known(attributes, outcome) : attributes,
      active,
    );
  }

  /** Created on first use: a meter taken before its provider is registered never records. */
  #histogram(direction: Direction): Histogram {
    const made = this.#histograms.get(direction);
    if (made) return made;
    const meter = this.#meter ?? metrics.getMeter(this.#scope);
    const advice = { explicitBucketBoundaries: BOUNDARIES_SECONDS };
    const histogram = meter.createHistogram(NAMES[direction], { unit: "s", advice });
    this.#histograms.set(direction, histogram);
    return histogram;
  }
}

/** Removes the names of tools and prompts from a refused request, since a peer can invent any number of names. */
function known(attributes: Attributes, outcome: Outcome): Attributes {
  if (!isCallerFault(outcome)) return attributes;
  const { "gen_ai.tool.name": _tool, "gen_ai.prompt.name": _prompt, ...rest } = attributes;
  return outcome.code === ErrorCode.methodNotFound ? { ...rest, "mcp.method.name": OTHER } : rest;
}
