/**
 * Limits on the depth and the number of nodes of JSON, checked on the text before it is parsed, or on a parsed value. They bound
 * the cost of parsing. A limit in bytes does not: brackets and keys take a hundred times as long to parse as one long string of
 * the same length.
 */
import { ProtocolError } from "../errors/protocol-error.js";
import { ErrorCode } from "../protocol/error-codes.js";

export interface JsonLimits {
  /** Nesting depth of arrays and objects in a message. @defaultValue 512 */
  readonly maxJsonDepth?: number | undefined;
  /**
   * Arrays, objects and strings (keys among them) in a message. Five numbers in a list count as one, two of more than 15
   * characters do, and so do 25 digits of a number. A number with an exponent counts as one.
   * @defaultValue 150_000
   */
  readonly maxJsonNodes?: number | undefined;
}

export const DEFAULT_MAX_JSON_DEPTH = 512;
/** Measured: small objects with keys that all differ cost most to parse, about half a microsecond for each node. */
export const DEFAULT_MAX_JSON_NODES = 150_000;

/** No limits, for text that this process has written. */
export const UNBOUNDED: JsonLimits = {
  maxJsonDepth: Number.POSITIVE_INFINITY,
  maxJsonNodes: Number.POSITIVE_INFINITY,
};

/** Digits of a number that cost as much as a node. No double needs so many digits, and rounding longer numbers is slow. */
const DIGITS_PER_NODE = 25;

/** Digits of a number that the engine reads without rounding. A number of more, or with an exponent, may lie between two doubles. */
const EXACT_DIGITS = 15;

/**
 * Weights in proportion to the worst cost of parsing. Commas count numbers, booleans and null. Numbers that lie between two doubles
 * are compared with large integers: 16 digits take 15 times as long as one, and an exponent 40 times.
 */
const WEIGHT = { node: 10, comma: 2, longNumber: 3, exponent: 8 } as const;

/** The error of a JSON text over a limit. Counts of text that is not JSON may be wrong; the parser refuses it anyway. */
export function excessOfText(text: string, limits: JsonLimits): ProtocolError | undefined {
  const { maxJsonDepth = DEFAULT_MAX_JSON_DEPTH, maxJsonNodes = DEFAULT_MAX_JSON_NODES } = limits;
  // Each level or node takes at least two characters, so most texts are too short to need the scan.
  if (text.length <= 2 * Math.min(maxJsonDepth, maxJsonNodes)) return undefined;
  const maxWeight = WEIGHT.node * maxJsonNodes;
  let depth = 0;
  let weight = 0;
  for (let index = 0; index < text.length && weight <= maxWeight; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
      weight += WEIGHT.node;
    } else if (code === COMMA) {
      weight += WEIGHT.comma;
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      weight += WEIGHT.node;
      depth += 1;
      if (depth > maxJsonDepth) return tooDeep(maxJsonDepth);
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
      depth -= 1;
    } else if (isDigit(code)) {
      // Written out, since a message may have a million numbers.
      let end = index + 1;
      let next = text.charCodeAt(end);
      while (isDigit(next) || next === POINT) next = text.charCodeAt(++end);
      const digits = end - index;
      if (digits > EXACT_DIGITS) weight += WEIGHT.longNumber + WEIGHT.node * Math.floor(digits / DIGITS_PER_NODE);
      if (next === LOWER_E || next === UPPER_E) weight += WEIGHT.exponent;
      index = end - 1;
    }
  }
  return weight > maxWeight ? tooMuch(maxJsonNodes) : undefined;
}

/** The error of a parsed value over a limit. */
export function excessOfValue(value: unknown, limits: JsonLimits): ProtocolError | undefined {
  const { maxJsonDepth = DEFAULT_MAX_JSON_DEPTH, maxJsonNodes = DEFAULT_MAX_JSON_NODES } = limits;
  const maxWeight = WEIGHT.node * maxJsonNodes;
  let weight = 0;
  const visit = (part: unknown, depth: number): ProtocolError | undefined => {
    const isContainer = typeof part === "object" && part !== null;
    if (isContainer || typeof part === "string") weight += WEIGHT.node;
    if (isContainer && depth === maxJsonDepth) return tooDeep(maxJsonDepth);
    const members: unknown[] = isContainer ? Object.values(part) : [];
    if (members.length > 0) weight += WEIGHT.comma * (members.length - 1);
    if (!Array.isArray(part)) weight += WEIGHT.node * members.length;
    if (weight > maxWeight) return tooMuch(maxJsonNodes);
    for (const member of members) {
      const excess = visit(member, depth + 1);
      if (excess) return excess;
    }
    return undefined;
  };
  return visit(value, 0);
}

function tooDeep(maxDepth: number): ProtocolError {
  const message = `Invalid request: the JSON is nested deeper than ${maxDepth} levels`;
  return new ProtocolError(ErrorCode.invalidRequest, message);
}

function tooMuch(maxNodes: number): ProtocolError {
  const message = `Invalid request: the JSON holds more than ${maxNodes} arrays, objects, keys and strings (five numbers count as one)`;
  return new ProtocolError(ErrorCode.invalidRequest, message);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_E = 0x45;
const LOWER_E = 0x65;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** The index of the quote that closes the string opened at `start`, or the text's length. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (index - first) % 2 === 1;
}
