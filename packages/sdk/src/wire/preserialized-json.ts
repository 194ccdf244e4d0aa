/**
 * Values that are sent many times and never change: their text is made once and put into every message that holds them.
 * A message with a long one is kept in pieces up to the socket, since joining them would copy all of it each time.
 */
import type { JsonObject } from "../protocol/json.js";
import type { JsonRpcMessage } from "./json-rpc.js";
import { serializeJson } from "./json-text.js";

/** A text whose middle lasts. */
export class SegmentedText {
  readonly #before: string;
  readonly #middle: Required<Preserialized>;
  readonly #after: string;

  constructor(before: string, middle: Required<Preserialized>, after: string) {
    this.#before = before;
    this.#middle = middle;
    this.#after = after;
  }

  /** The bytes of the middle are the same each time, and encoded once. */
  get pieces(): readonly (string | Uint8Array)[] {
    return [this.#before, this.#middle.bytes, this.#after];
  }

  /** In UTF-8. */
  get byteLength(): number {
    return utf8.encode(this.#before).length + this.#middle.bytes.length + utf8.encode(this.#after).length;
  }

  toString(): string {
    return `${this.#before}${this.#middle.text}${this.#after}`;
  }
}

interface Preserialized {
  /** Undefined until it is sent for the first time. */
  text?: string;
  /** The same in UTF-8. */
  bytes?: Uint8Array;
}

const known = new WeakMap<object, Preserialized>();
const utf8 = new TextEncoder();
/** Where the list goes. */
const PLACE = "null}}";
/** Below, joining costs less than it saves. */
const LONG = 16_384;

/** Declares that a list, with all that is in it, will never change. */
export function preserialize<List extends readonly unknown[]>(list: List): List {
  known.set(list, {});
  return list;
}

/** @throws {SdkError} `invalid-argument` for what JSON cannot express. */
export function serializeMessage(message: JsonRpcMessage | readonly JsonRpcMessage[]): string {
  return String(messageText(message));
}

/** The same for those who can make use of pieces. @throws {SdkError} `invalid-argument` for what JSON cannot express. */
export function messageText(message: JsonRpcMessage | readonly JsonRpcMessage[]): string | SegmentedText {
  const key = "result" in message ? preserializedKey(message.result) : undefined;
  // There is a key only for a result, and it is that of a lasting list.
  return key === undefined ? serializeJson(message) : textAround(message as { result: JsonObject }, key);
}

function preserializedKey(result: JsonObject): string | undefined {
  for (const key in result) if (Array.isArray(result[key]) && known.has(result[key])) return key;
  return undefined;
}

/** What comes last in a message can be changed for another text; somebody's own message may have something after it. */
function textAround(message: { readonly result: JsonObject }, key: string): string | SegmentedText {
  const { [key]: list, ...others } = message.result;
  const lasting = textOf(list as readonly unknown[]);
  const around = serializeJson({ ...message, result: { ...others, [key]: null } });
  if (!around.endsWith(PLACE)) return serializeJson(message);
  const before = around.slice(0, -PLACE.length);
  if (lasting.text.length < LONG) return `${before}${lasting.text}}}`;
  return new SegmentedText(before, lasting, "}}");
}

function textOf(list: readonly unknown[]): Required<Preserialized> {
  // Asked only of what is known.
  const lasting = known.get(list) as Preserialized;
  lasting.text ??= serializeJson(list);
  lasting.bytes ??= utf8.encode(lasting.text);
  return lasting as Required<Preserialized>;
}
