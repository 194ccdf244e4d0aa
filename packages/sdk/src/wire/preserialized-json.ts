/**
 * Parts of a message whose JSON text is known are not serialized again. Lists that are sent many times and never change are
 * serialized once, and so is a value that a text block repeats. A message with a long list stays in segments up to the socket,
 * since joining them would copy the list each time.
 */
import type { JsonObject } from "../runtime/json.js";
import type { JsonRpcMessage, JsonRpcResult } from "./json-rpc.js";
import { serializeJson, serializeMember } from "./json-text.js";

/** A text in two segments, of which the second one is preserialized. */
export class SegmentedText {
  readonly #start: string;
  readonly #list: Required<Preserialized>;

  constructor(start: string, list: Required<Preserialized>) {
    this.#start = start;
    this.#list = list;
  }

  /** The second segment is encoded once and shared. */
  get pieces(): readonly [string, Uint8Array] {
    return [this.#start, this.#list.toEnd];
  }

  /** In UTF-8. */
  get byteLength(): number {
    return utf8.encode(this.#start).length + this.#list.toEnd.length;
  }

  toString(): string {
    return `${this.#start}${this.#list.text}${END}`;
  }
}

interface Preserialized {
  /** Undefined until the list is first sent. */
  text?: string;
  /** The same with the end of its message, in UTF-8. */
  toEnd?: Uint8Array;
}

const known = new WeakMap<object, Preserialized>();
const utf8 = new TextEncoder();
/** The end of a message whose result ends with a list. */
const END = "}}";
/** The same with `null` in place of the list. */
const PLACE = `null${END}`;
/** Shorter lists are joined: segments would cost more than they save. */
const LONG = 16_384;

/** Marks a list or an object for serializing once. Neither it nor its members may change afterwards. */
export function preserialize<Value extends object>(value: Value): Value {
  known.set(value, {});
  return value;
}

/**
 * A text block of the JSON of a value. A result with both is serialized from the text of the block, so neither may change
 * afterwards.
 */
export class JsonTextBlock {
  readonly type = "text";
  readonly text: string;
  readonly #value: unknown;

  static {
    // In process, users see the block itself. Without the property it prints as a plain object.
    Reflect.deleteProperty(JsonTextBlock.prototype, "constructor");
  }

  constructor(value: unknown, text: string) {
    this.text = text;
    this.#value = value;
  }

  /** The block that is the whole content of a result, if its text is the JSON of the structured content. */
  static in({ content, structuredContent }: JsonObject): JsonTextBlock | undefined {
    const block: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined;
    return block instanceof JsonTextBlock && block.#value === structuredContent ? block : undefined;
  }
}

/** @throws {SdkError} `invalid-argument` for a value that JSON cannot express. */
export function serializeMessage(message: JsonRpcMessage | readonly JsonRpcMessage[]): string {
  return String(messageText(message));
}

/** `serializeMessage` for callers that can write segments. @throws {SdkError} `invalid-argument`, as above. */
export function messageText(message: JsonRpcMessage | readonly JsonRpcMessage[]): string | SegmentedText {
  if (!("result" in message)) return serializeJson(message);
  const block = JsonTextBlock.in(message.result);
  if (block !== undefined) return textWith(block, message);
  const key = preserializedKey(message.result);
  return key === undefined ? serializeJson(message) : textAround(message, key);
}

/** Half the time of `serializeJson`, which would walk the structured content again. */
function textWith({ text }: JsonTextBlock, { id, result }: JsonRpcResult): string {
  let members = `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}`;
  for (const key of Object.keys(result)) {
    if (key === "content" || key === "structuredContent") continue;
    const member = memberText(result[key]);
    if (member !== undefined) members += `,${JSON.stringify(key)}:${member}`;
  }
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${members}}}`;
}

/** Undefined for a member that JSON leaves out. */
function memberText(value: unknown): string | undefined {
  const isKnown = typeof value === "object" && value !== null && known.has(value);
  return isKnown ? textOf(value).text : serializeMember(value);
}

function preserializedKey(result: JsonObject): string | undefined {
  for (const key in result) if (Array.isArray(result[key]) && known.has(result[key])) return key;
  return undefined;
}

/** Serializes the message with `null` in place of the list, and replaces that text. Works only if the list comes last. */
function textAround(message: { readonly result: JsonObject }, key: string): string | SegmentedText {
  const { [key]: list, ...others } = message.result;
  const around = serializeJson({ ...message, result: { ...others, [key]: null } });
  if (!around.endsWith(PLACE)) return serializeJson(message);
  const start = around.slice(0, -PLACE.length);
  const preserialized = textOf(list as readonly unknown[]);
  if (preserialized.text.length < LONG) return `${start}${preserialized.text}${END}`;
  preserialized.toEnd ??= utf8.encode(`${preserialized.text}${END}`);
  return new SegmentedText(start, preserialized as Required<Preserialized>);
}

function textOf(value: object): Preserialized & { readonly text: string } {
  // Only marked values get here.
  const preserialized = known.get(value) as Preserialized;
  preserialized.text ??= serializeJson(value);
  return preserialized as Preserialized & { readonly text: string };
}
