/** Names inside `_meta` that the specification reserves, and the grammar of all others. */
import { isJsonObject } from "../runtime/json.js";
import { shorten } from "../runtime/shorten.js";

export const MetaKey = {
  progressToken: "progressToken",
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
  /** 2025-11-25 only. */
  relatedTask: "io.modelcontextprotocol/related-task",
  traceparent: "traceparent",
  tracestate: "tracestate",
  baggage: "baggage",
} as const;

const LABEL = /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const NAME = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$/;

/** Whether a `_meta` key follows the naming rules: an optional dotted prefix, a slash, a name. */
export function isMetaKey(key: string): boolean {
  const slash = key.indexOf("/");
  const name = key.slice(slash + 1);
  if (!NAME.test(name)) return false;
  return (
    slash < 0 ||
    key
      .slice(0, slash)
      .split(".")
      .every((label) => LABEL.test(label))
  );
}

/** Whether the key's prefix is kept for the protocol itself: its second label is `modelcontextprotocol` or `mcp`. */
export function isReservedMetaKey(key: string): boolean {
  const slash = key.indexOf("/");
  const label = slash < 0 ? undefined : key.slice(0, slash).split(".")[1];
  return label === "modelcontextprotocol" || label === "mcp";
}

/** Why a value must not go out as `_meta`, by the first key against the naming rules; undefined if it may. */
export function metaComplaint(meta: unknown): string | undefined {
  if (!isJsonObject(meta)) return undefined;
  const key = Object.keys(meta).find((name) => !isMetaKey(name));
  if (key === undefined) return undefined;
  return `_meta[${JSON.stringify(shorten(key))}]: expected a key such as "com.example/trace": labels of letters, digits and "-" joined by ".", a slash, and a name`;
}
