/** Names inside `_meta` that the specification reserves, and the grammar of all others. */
export const MetaKey = {
  progressToken: "progressToken",
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
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
