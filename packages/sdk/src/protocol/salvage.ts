/**
 * Keeps the valid part of a result with malformed items. A malformed optional field is dropped, or else the item. A fault of
 * the result itself stays. The received value is never changed; changed parts are copies.
 */
import type { JsonObject } from "../runtime/json.js";
import { explain, type Fault, type Shape } from "./shape.js";

/** The list that a result is about. */
export interface ResultItems {
  readonly field: string;
  readonly shape: Shape;
  /** The items together are the answer, so that one of which nothing is left is no answer. */
  readonly isAnswer?: true;
  /** The field that is an answer by itself, whatever is left of the items. */
  readonly besides?: string;
}

export interface Salvaged {
  /** The valid part; undefined if it is no answer. */
  readonly result: JsonObject | undefined;
  /** The first few dropped parts, with the reasons. */
  readonly complaints: readonly string[];
  /** The number of dropped parts. */
  readonly dropped: number;
}

type Path = readonly (string | number)[];

/** An item with more malformed fields than that is dropped, so that repairing one costs no more than so many checks. */
const MAX_DROPPED_FIELDS = 8;
const MAX_COMPLAINTS = 3;

export function salvage(result: JsonObject, { field, shape, isAnswer, besides }: ResultItems): Salvaged {
  const given = result[field];
  const items = Array.isArray(given) ? given : [];
  const sound: unknown[] = [];
  const complaints: string[] = [];
  let dropped = 0;
  for (const [index, item] of items.entries()) {
    const kept = repair(item, shape, (fault, what) => {
      dropped += 1;
      const where = explain({ ...fault, path: [field, index, ...fault.path] }, "result");
      if (complaints.length < MAX_COMPLAINTS) complaints.push(`${where}; the ${what} was left out`);
    });
    if (kept !== undefined) sound.push(kept);
  }
  if (dropped === 0) return { result, complaints, dropped };
  const isSaidBesides = besides !== undefined && result[besides] !== undefined;
  const isNoAnswer = isAnswer && sound.length === 0 && !isSaidBesides;
  return { result: isNoAnswer ? undefined : { ...result, [field]: sound }, complaints, dropped };
}

/** The item without its malformed fields; undefined if it needs one of them. */
function repair(item: unknown, shape: Shape, onDropped: (fault: Fault, what: "item" | "field") => void): unknown {
  const first = shape(item);
  const faults: Fault[] = [];
  let repaired = item;
  for (let fault = first; fault !== undefined; fault = shape(repaired)) {
    faults.push(fault);
    repaired = faults.length > MAX_DROPPED_FIELDS ? undefined : withoutFault(repaired, fault.path, shape);
    if (repaired !== undefined) continue;
    // The first fault is in what was received; later ones may come from what was dropped.
    onDropped(first as Fault, "item");
    return undefined;
  }
  for (const fault of faults) onDropped(fault, "field");
  return repaired;
}

/** The item without the smallest part around the fault that it can do without; undefined if there is none. */
function withoutFault(item: unknown, path: Path, shape: Shape): unknown {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const part = path.slice(0, depth);
    const candidate = without(item, part);
    // A list can do without any of its items. A field that is missed is required.
    if (typeof part.at(-1) === "number" || !isSameFault(shape(candidate), part)) return candidate;
  }
  return undefined;
}

function isSameFault(fault: Fault | undefined, path: Path): boolean {
  return fault?.path.length === path.length && path.every((key, index) => fault.path[index] === key);
}

/** A copy of a value without the part at a path. */
function without(value: unknown, [key, ...rest]: Path): unknown {
  if (Array.isArray(value)) {
    return rest.length === 0
      ? value.filter((_, index) => index !== key)
      : value.map((item, index) => (index === key ? without(item, rest) : item));
  }
  // A fault lies in an object or a list, and its path leads there.
  const { [String(key)]: inner, ...others } = value as JsonObject;
  return rest.length === 0 ? others : { ...others, [String(key)]: without(inner, rest) };
}
