/**
 * The least that enforces the schemas of the tool and answers with its result. It checks nothing else of a message, and knows neither
 * limits nor cancellation. What is between it and the floor is the work of the tool and of its schemas.
 */
import { REVISION } from "./contender.js";
import { MODERN_STAMP } from "./http/constant-answer.js";
import { inputSchema, outputSchema, quote } from "./workload.js";

export const BY_HAND_NOTE =
  "the floor with both schemas of the tool, its handler and its result; no other checks, no limits, no sessions";

interface Message {
  readonly id?: unknown;
  readonly method: string;
  readonly params: { readonly arguments: unknown; readonly _meta?: unknown };
}

const SERVER = { capabilities: { tools: {} }, serverInfo: { name: "bench", version: "1.0.0" } };
const RESULTS: ReadonlyMap<string, string> = new Map([
  ["initialize", JSON.stringify({ protocolVersion: REVISION.legacy, ...SERVER })],
  ["server/discover", JSON.stringify({ supportedVersions: [REVISION.modern], ...SERVER, ...MODERN_STAMP })],
]);
const STAMP_MEMBERS = `,${JSON.stringify(MODERN_STAMP).slice(1, -1)}`;

/** Undefined for a notification. The load writes nothing but messages. */
export function answerByHand(text: string): string | undefined {
  const message = JSON.parse(text) as Message;
  if (message.id === undefined) return undefined;
  const id = JSON.stringify(message.id);
  try {
    const result = RESULTS.get(message.method) ?? called(message.params);
    return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
  } catch {
    return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32602,"message":"The schema forbids this"}}`;
  }
}

/** The value is serialized once: its text is a part of the result, too. */
function called({ arguments: order, _meta }: Message["params"]): string {
  const value = outputSchema.parse(quote(inputSchema.parse(order)));
  const text = JSON.stringify(value);
  const stamp = _meta === undefined ? "" : STAMP_MEMBERS;
  return `{"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}${stamp}}`;
}
