/** Encodes events of a `text/event-stream`. sse-decoder.ts decodes them. */
import { SdkError } from "../errors/sdk-error.js";

export interface SseEvent {
  readonly data: string;
  readonly id?: string | undefined;
  /** Type of the event. @defaultValue "message", as clients assume */
  readonly event?: string | undefined;
  /** Milliseconds that the client waits before it reconnects. */
  readonly retry?: number | undefined;
}

const LINE_END = /\r\n|\r|\n/;
const UNSAFE = /[\r\n\0]/;

/** @throws {SdkError} `invalid-argument` for an id or a type with a line break. */
export function encodeEvent({ data, id, event, retry }: SseEvent): string {
  let text = event === undefined ? "" : `event: ${oneLine("event", event)}\n`;
  if (id !== undefined) text += `id: ${oneLine("id", id)}\n`;
  if (retry !== undefined) text += `retry: ${retry}\n`;
  return `${text}${dataLines(data)}\n`;
}

/** A comment, which clients ignore. Keeps proxies from closing a silent stream. */
export const SSE_KEEP_ALIVE = ":\n\n";

function dataLines(data: string): string {
  if (!LINE_END.test(data)) return `data: ${data}\n`;
  return data
    .split(LINE_END)
    .map((line) => `data: ${line}\n`)
    .join("");
}

function oneLine(field: string, value: string): string {
  if (!UNSAFE.test(value)) return value;
  throw new SdkError("invalid-argument", `An event's ${field} must have no line breaks, got ${JSON.stringify(value)}`);
}
