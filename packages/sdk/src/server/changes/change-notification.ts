/** The notification and the capability of each kind of change. */
import type { JsonObject } from "../../runtime/json.js";
import type { AnnouncedChange } from "./change-bus.js";

const LIST_METHODS = {
  tools: "notifications/tools/list_changed",
  prompts: "notifications/prompts/list_changed",
  resources: "notifications/resources/list_changed",
} as const;

/** The changes whose notifications the specification defines. */
export type SpecChange = Exclude<AnnouncedChange, { kind: "extension" } | { kind: "missed" }>;

/** A change of each list. */
export const LISTS: readonly SpecChange[] = [{ kind: "tools" }, { kind: "prompts" }, { kind: "resources" }];

export interface ChangeNotification {
  readonly method: string;
  readonly params: JsonObject;
}

export function notificationOf(change: SpecChange): ChangeNotification {
  if (change.kind === "resource") return { method: "notifications/resources/updated", params: { uri: change.uri } };
  if (change.kind === "elicitation") {
    return { method: "notifications/elicitation/complete", params: { elicitationId: change.elicitationId } };
  }
  return { method: LIST_METHODS[change.kind], params: {} };
}

/** The capability under which a server announces a change. */
export function capabilityOf(change: Exclude<SpecChange, { kind: "elicitation" }>): string {
  return change.kind === "resource" ? "resources.subscribe" : `${change.kind}.listChanged`;
}
