/**
 * Values that are sent many times and never change: their text is made once and put into every message that holds them.
 * A message with a long one is kept in pieces up to the socket, since joining them would copy all of it each time.
 */
import type { JsonObject } from "../protocol/json.js";
import type { JsonRpcMessage } from "./json-rpc.js";
import { serializeJson } from "./json-text.js";

/** A text in pieces. */
export class LongText {
  readonly pieces: readonly string[];
  /** In UTF-8. */
  readonly byteLength: number;

  constructor(pieces: readonly string[], byteLength: number) {
    this.pieces = pieces;
    this.byteLength = byteLength;
  }

  toString(): string {
    return this.pieces.join("");
  }
}

interface Lasting {
  /** Undefined until it is sent for the first time. */
  text?: string;
  byteLength?: number;
}

const known = new WeakMap<object, Lasting>();
const utf8 = new TextEncoder();
/** Where the list goes. */
const PLACE = "null}}";
/** Below, joining costs less than it saves. */
const LONG = 16_384;

/** Declares that a list, with all that is in it, will never change. */
export function lastingJson<List extends readonly unknown[]>(list: List): List {
  known.set(list, {});
  return list;
}

/** @throws {SdkError} `invalid-argument` for what JSON cannot express. */
export function serializeMessage(message: JsonRpcMessage | readonly JsonRpcMessage[]): string {
  return String(messageText(message));
}

/** The same for those who can make use of pieces. @throws {SdkError} `invalid-argument` for what JSON cannot express. */
export function messageText(message: JsonRpcMessage | readonly JsonRpcMessage[]): string | LongText {
  const key = "result" in message ? lastingKey(message.result) : undefined;
  // There is a key only for a result, and it is that of a lasting list.
  return key === undefined ? serializeJson(message) : textAround(message as { result: JsonObject }, key);
}

function lastingKey(result: JsonObject): string | undefined {
  for (const key in result) if (Array.isArray(result[key]) && known.has(result[key])) return key;
  return undefined;
}

/** What comes last in a message can be changed for another text; somebody's own message may have something after it. */
function textAround(message: { readonly result: JsonObject }, key: string): string | LongText {
  const { [key]: list, ...others } = message.result;
  const { text, byteLength } = textOf(list as readonly unknown[]);
  const around = serializeJson({ ...message, result: { ...others, [key]: null } });
  if (!around.endsWith(PLACE)) return serializeJson(message);
  const before = around.slice(0, -PLACE.length);
  if (text.length < LONG) return `${before}${text}}}`;
  return new LongText([before, text, "}}"], utf8.encode(before).length + byteLength + "}}".length);
}

function textOf(list: readonly unknown[]): Required<Lasting> {
  // Asked only of what is known.
  const lasting = known.get(list) as Lasting;
  lasting.text ??= serializeJson(list);
  lasting.byteLength ??= utf8.encode(lasting.text).length;
  return lasting as Required<Lasting>;
}
