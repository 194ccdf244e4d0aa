/**
 * How deep JSON may be nested and how much it may hold, told from its text before it is parsed, or from a value that
 * somebody else has parsed. Both bound what parsing costs: bytes alone do not, since a text of brackets or of keys takes
 * a hundred times as long as one of the same length that holds a picture.
 */
import { ProtocolError } from "../errors/protocol-error.js";
import { ErrorCode } from "../protocol/error-codes.js";

export interface JsonLimits {
  /** Levels to which arrays and objects nest in a message. @defaultValue 512 */
  readonly maxJsonDepth?: number | undefined;
  /**
   * Arrays, objects and strings (keys among them) in a message. Ten numbers in a list count as one,
   * and so do 25 digits of a number.
   * @defaultValue 150_000
   */
  readonly maxJsonNodes?: number | undefined;
}

export const DEFAULT_MAX_JSON_DEPTH = 512;
/** Measured: small objects with keys that all differ cost most to parse, about half a microsecond for each node. */
export const DEFAULT_MAX_JSON_NODES = 150_000;

/** For text of our own making. */
export const UNBOUNDED: JsonLimits = {
  maxJsonDepth: Number.POSITIVE_INFINITY,
  maxJsonNodes: Number.POSITIVE_INFINITY,
};

/** Digits of a number that cost as much as a node. No double needs as many; rounding takes far longer for those that have. */
const DIGITS_PER_NODE = 25;

/** In proportion to what parsing costs at its worst. Commas stand for the values that are neither. */
const WEIGHT = { node: 10, comma: 1 } as const;

/** What is wrong with a text, if it is one of JSON. On other text the counts may be off, which the parser settles. */
export function excessOfText(text: string, limits: JsonLimits): ProtocolError | undefined {
  const { maxJsonDepth = DEFAULT_MAX_JSON_DEPTH, maxJsonNodes = DEFAULT_MAX_JSON_NODES } = limits;
  // Both take an opening and a closing character per level or node, so most texts are too short to need the scan.
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
      const end = endOfDigits(text, index);
      weight += WEIGHT.node * Math.floor((end - index) / DIGITS_PER_NODE);
      index = end - 1;
    }
  }
  return weight > maxWeight ? tooMuch(maxJsonNodes) : undefined;
}

/** The same of a value that was parsed already. */
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
  const message = `Invalid request: the JSON holds more than ${maxNodes} arrays, objects, keys and strings (ten numbers count as one)`;
  return new ProtocolError(ErrorCode.invalidRequest, message);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function endOfDigits(text: string, start: number): number {
  let end = start + 1;
  while (isDigit(text.charCodeAt(end))) end += 1;
  return end;
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
