/** Sealed states: whatever is changed about one, or about what it is presented with, it does not open. */
import { ProtocolError } from "../../../packages/sdk/src/errors/protocol-error.js";
import type { JsonObject } from "../../../packages/sdk/src/runtime/json.js";
import { StateSeal } from "../../../packages/sdk/src/server/input/state-seal.js";
import { mutateText } from "../mutate-text.js";
import { demand, demandEqual, type FuzzInput, field, type Target } from "../target.js";

const seal = new StateSeal({ keys: [new Uint8Array(32).fill(7)], now: () => 1_000_000 });
const params: JsonObject = { name: "deploy", arguments: { env: "prod" } };
const binding = { principal: "ada", method: "tools/call", params };
const payload = { answers: { a1: { action: "accept" } } };

/** Sealing takes a nonce of its own each time, so an input holds the damage and not the damaged text. */
const sealed: Promise<string> = seal.seal(payload, binding);

export const requestStates: Target = {
  name: "request-states",
  share: 20,
  maxMs: 500,
  outcomes: ["opened", "refused"],
  generate(random) {
    const change = random.pick(["none", "bit", "cut", "insert", "principal", "method", "params", "noise"]);
    const noise = mutateText(random, random.text([..."AQB-_z09="], 0, 60));
    return { change, place: String(random.below(400)), bit: String(random.below(7)), noise };
  },
  async check(input) {
    const original = await sealed;
    const state = damage(original, input);
    const presented = {
      principal: field(input, "change") === "principal" ? field(input, "noise") : binding.principal,
      method: field(input, "change") === "method" ? field(input, "noise") : binding.method,
      params: field(input, "change") === "params" ? { ...params, [field(input, "noise")]: 1 } : params,
    };
    const isIntact = state === original && JSON.stringify(presented) === JSON.stringify(binding);
    try {
      const opened = await seal.open(state, presented);
      demand(isIntact, "opens for what it was sealed for alone", () => state);
      demandEqual(opened, payload, "yields what was sealed");
      return "opened";
    } catch (error) {
      const isRefusal = error instanceof ProtocolError && error.code === -32602 && !isIntact;
      if (!isRefusal) throw error;
      demand(error.message.length < 100 && error.data === undefined, "says nothing about why", () => error.message);
      return "refused";
    }
  },
};

function damage(state: string, input: FuzzInput): string {
  const place = Number(field(input, "place")) % state.length;
  switch (field(input, "change")) {
    case "bit": {
      const code = state.charCodeAt(place) ^ (1 << Number(field(input, "bit")));
      return state.slice(0, place) + String.fromCharCode(code) + state.slice(place + 1);
    }
    case "cut":
      return state.slice(0, place);
    case "insert":
      return state.slice(0, place) + field(input, "noise") + state.slice(place);
    case "noise":
      return field(input, "noise");
    default:
      return state;
  }
}
