/** Derives a server's capabilities from its handlers: the method table names the capability of each method. */
import type { ServerCapabilities } from "../protocol/capabilities.js";
import { findRequest } from "../protocol/method-table.js";
import { isModernRevision, type Revision } from "../protocol/revisions.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";

/** The capabilities that the handled methods imply in a revision, merged with those that the author declared. */
export function deriveCapabilities(
  revision: Revision,
  methods: Iterable<string>,
  declared: ServerCapabilities,
): ServerCapabilities {
  const capabilities: JsonObject = {};
  for (const method of methods) {
    const path = findRequest(revision, "client", method)?.capability;
    if (path !== undefined) declare(capabilities, path.split("."));
  }
  // Always true: registries announce their changes, and authors announce others through `server.announce`.
  for (const area of ["tools", "prompts", "resources"])
    if (area in capabilities) declare(capabilities, [area, "listChanged"]);
  // In the legacy era the handler of `resources/subscribe` has declared it above.
  if ("resources" in capabilities && isModernRevision(revision)) declare(capabilities, ["resources", "subscribe"]);
  return mergeCapabilities(capabilities, { ...declared });
}

/** The capabilities for a connection that carries no change notifications: without `listChanged` and `subscribe`. */
export function withoutChanges(capabilities: ServerCapabilities): ServerCapabilities {
  const left: JsonObject = { ...capabilities };
  for (const area of ["tools", "prompts", "resources"]) {
    if (!isJsonObject(left[area])) continue;
    const { listChanged, subscribe, ...settings } = left[area];
    left[area] = settings;
  }
  return left;
}

/** `["tools"]` declares `tools: {}`, `["resources", "subscribe"]` declares `resources: { subscribe: true }`. */
function declare(capabilities: JsonObject, [area = "", feature]: readonly string[]): void {
  const settings = isJsonObject(capabilities[area]) ? capabilities[area] : {};
  // The features of tasks have settings of their own.
  capabilities[area] = feature === undefined ? settings : { ...settings, [feature]: area === "tasks" ? {} : true };
}

function mergeCapabilities(derived: JsonObject, declared: JsonObject): ServerCapabilities {
  const merged: JsonObject = { ...derived };
  for (const [area, settings] of Object.entries(declared)) {
    const existing = merged[area];
    merged[area] = isJsonObject(existing) && isJsonObject(settings) ? { ...existing, ...settings } : settings;
  }
  return merged;
}
