/**
 * Replaces content blocks that an older revision has no type for by text that names them. Clients of such a revision refuse
 * the whole result because of one unknown block.
 */

import { hasContentType } from "../protocol/method-table.js";
import type { Revision } from "../protocol/revisions.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";

/** Replaces unknown blocks in a tool's `content` and in prompt `messages`. Returns the same object if there are none. */
export function downgradeContent(result: JsonObject, revision: Revision): JsonObject {
  if (Array.isArray(result.content)) {
    const content = replaceChanged(result.content, (block) => downgradeBlock(block, revision));
    return content === result.content ? result : { ...result, content };
  }
  if (Array.isArray(result.messages)) {
    const messages = replaceChanged(result.messages, (message) => downgradeMessage(message, revision));
    return messages === result.messages ? result : { ...result, messages };
  }
  return result;
}

function downgradeMessage(message: unknown, revision: Revision): unknown {
  if (!isJsonObject(message)) return message;
  const content = downgradeBlock(message.content, revision);
  return content === message.content ? message : { ...message, content };
}

function downgradeBlock(block: unknown, revision: Revision): unknown {
  if (!isJsonObject(block) || typeof block.type !== "string" || hasContentType(revision, block.type)) return block;
  const text =
    block.type === "resource_link"
      ? `${String(block.title ?? block.name)}: ${String(block.uri)}`
      : `[${block.type} content, ${String(block.mimeType)}: not available in protocol revision ${revision}]`;
  return { type: "text", text };
}

function replaceChanged(items: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  return items.some((item) => change(item) !== item) ? items.map(change) : items;
}
