/**
 * Lists that are sent many times and never change are serialized once. Their text is inserted into every message. A message
 * with a long list stays in segments up to the socket, since joining them would copy the list each time.
 */
import type { JsonObject } from "../runtime/json.js";
import type { JsonRpcMessage } from "./json-rpc.js";
import { serializeJson } from "./json-text.js";

/** A text in three segments, of which the middle one is preserialized. */
export class SegmentedText {
  readonly #before: string;
  readonly #middle: Required<Preserialized>;
  readonly #after: string;

  constructor(before: string, middle: Required<Preserialized>, after: string) {
    this.#before = before;
    this.#middle = middle;
    this.#after = after;
  }

  /** The middle segment is encoded once and shared. */
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
  /** Undefined until the list is first sent. */
  text?: string;
  /** The same in UTF-8. */
  bytes?: Uint8Array;
}

const known = new WeakMap<object, Preserialized>();
const utf8 = new TextEncoder();
/** The end of a message that has `null` in place of its list. */
const PLACE = "null}}";
/** Shorter lists are joined: segments would cost more than they save. */
const LONG = 16_384;

/** Marks a list for serializing once. Neither the list nor its items may change afterwards. */
export function preserialize<List extends readonly unknown[]>(list: List): List {
  known.set(list, {});
  return list;
}

/** @throws {SdkError} `invalid-argument` for a value that JSON cannot express. */
export function serializeMessage(message: JsonRpcMessage | readonly JsonRpcMessage[]): string {
  return String(messageText(message));
}

/** `serializeMessage` for callers that can write segments. @throws {SdkError} `invalid-argument`, as above. */
export function messageText(message: JsonRpcMessage | readonly JsonRpcMessage[]): string | SegmentedText {
  const key = "result" in message ? preserializedKey(message.result) : undefined;
  // `key` is defined only for a message with a result.
  return key === undefined ? serializeJson(message) : textAround(message as { result: JsonObject }, key);
}

function preserializedKey(result: JsonObject): string | undefined {
  for (const key in result) if (Array.isArray(result[key]) && known.has(result[key])) return key;
  return undefined;
}

/** Serializes the message with `null` in place of the list, and replaces that text. Works only if the list comes last. */
function textAround(message: { readonly result: JsonObject }, key: string): string | SegmentedText {
  const { [key]: list, ...others } = message.result;
  const preserialized = textOf(list as readonly unknown[]);
  const around = serializeJson({ ...message, result: { ...others, [key]: null } });
  if (!around.endsWith(PLACE)) return serializeJson(message);
  const before = around.slice(0, -PLACE.length);
  if (preserialized.text.length < LONG) return `${before}${preserialized.text}}}`;
  return new SegmentedText(before, preserialized, "}}");
}

function textOf(list: readonly unknown[]): Required<Preserialized> {
  // Only marked lists get here.
  const preserialized = known.get(list) as Preserialized;
  preserialized.text ??= serializeJson(list);
  preserialized.bytes ??= utf8.encode(preserialized.text);
  return preserialized as Required<Preserialized>;
}
