/** A server that logs, and a client that collects its messages. */
import type { Client } from "parley-mcp/client";
import type { JsonObject } from "parley-mcp/types";

export const LOGGING = { version: "1.0.0", capabilities: { logging: {} } };

/** The log messages that reach a client from now on. */
export function listen(client: Client): JsonObject[] {
  const messages: JsonObject[] = [];
  client.onNotification("notifications/message", (params) => void messages.push(params));
  return messages;
}

/** Modern requests ask one by one; a legacy connection is at `info` until somebody says otherwise. */
export const INFO = { logLevel: "info" } as const;
