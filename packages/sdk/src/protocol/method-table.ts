/** Lookups by revision in the tables of requests and notifications. */
import { isJsonObject } from "../runtime/json.js";
import type { MethodSender, NotificationSpec, RequestSpec } from "./method-spec.js";
import { NOTIFICATIONS } from "./notification-table.js";
import { REQUESTS } from "./request-table.js";
import type { Revision } from "./revisions.js";
import { isAtLeast, isModernRevision, REVISIONS } from "./revisions.js";

export type { MethodSender, NotificationSpec, RequestSpec } from "./method-spec.js";

type Index<Spec> = ReadonlyMap<Revision, Readonly<Record<MethodSender, ReadonlyMap<string, Spec>>>>;

const REQUEST_INDEX: Index<RequestSpec> = indexed(REQUESTS);
const NOTIFICATION_INDEX: Index<NotificationSpec> = indexed(NOTIFICATIONS);
const SPEC_METHODS: ReadonlySet<string> = new Set([...REQUESTS, ...NOTIFICATIONS].map(({ method }) => method));
const REQUIRED_RESULT_FIELDS: ReadonlyMap<Revision, ReadonlyMap<string, readonly string[]>> = new Map(
  REVISIONS.map((revision) => [revision, resultFieldsOf(revision)]),
);
/** In the specification of 2025-11-25 alone; since then they belong to its tasks extension. */
const MOVED_TO_EXTENSION: ReadonlySet<string> = new Set(["tasks/get", "tasks/cancel"]);
const RESULT_TYPE_ALONE: readonly string[] = ["resultType"];
const NO_FIELDS: readonly string[] = [];

const CONTENT_TYPES: ReadonlyMap<string, Revision> = new Map<string, Revision>([
  ["text", "2024-11-05"],
  ["image", "2024-11-05"],
  ["resource", "2024-11-05"],
  ["audio", "2025-03-26"],
  ["resource_link", "2025-06-18"],
  ["tool_use", "2025-11-25"],
  ["tool_result", "2025-11-25"],
]);

/** The request of that name which `sender` may send in `revision`. */
export function findRequest(revision: Revision, sender: MethodSender, method: string): RequestSpec | undefined {
  return REQUEST_INDEX.get(revision)?.[sender].get(method);
}

/** The notification of that name which `sender` may send in `revision`. */
export function findNotification(
  revision: Revision,
  sender: MethodSender,
  method: string,
): NotificationSpec | undefined {
  return NOTIFICATION_INDEX.get(revision)?.[sender].get(method);
}

/** Whether any revision knows the method, in either direction. All other methods are custom. */
export function isSpecMethod(method: string): boolean {
  return SPEC_METHODS.has(method);
}

/** Whether a revision has a request or notification of that name, in either direction. */
export function isInRevision(revision: Revision, method: string): boolean {
  return (["client", "server"] as const).some(
    (sender) => findRequest(revision, sender, method) ?? findNotification(revision, sender, method),
  );
}

/** Whether a definition of an author's own may have the name. */
export function isDefinable(method: string): boolean {
  return !SPEC_METHODS.has(method) || MOVED_TO_EXTENSION.has(method);
}

/** The fields that a finished result must carry when it is sent. */
export function requiredResultFields(revision: Revision, method: string): readonly string[] {
  const fields = REQUIRED_RESULT_FIELDS.get(revision)?.get(method);
  return fields ?? (isModernRevision(revision) ? RESULT_TYPE_ALONE : NO_FIELDS);
}

/** Whether a capability is declared, given as a dotted path such as `resources.subscribe`. */
export function hasCapability(capabilities: object, path: string): boolean {
  if (isDeclared(capabilities, path)) return true;
  // Forms came first, so a client that names no kind of elicitation means them.
  return (
    path === "elicitation.form" &&
    isDeclared(capabilities, "elicitation") &&
    !isDeclared(capabilities, "elicitation.url")
  );
}

/** Whether several messages may travel as one array. */
export function hasBatches(revision: Revision): boolean {
  return revision === "2025-03-26";
}

/** Whether the revision has this type of content block. */
export function hasContentType(revision: Revision, type: string): boolean {
  const since = CONTENT_TYPES.get(type);
  return since !== undefined && isAtLeast(revision, since);
}

function isDeclared(capabilities: object, path: string): boolean {
  let value: unknown = capabilities;
  for (const key of path.split(".")) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return false;
    value = value[key];
  }
  return value !== undefined && value !== null && value !== false;
}

function indexed<Spec extends RequestSpec | NotificationSpec>(specs: readonly Spec[]): Index<Spec> {
  return new Map(
    REVISIONS.map((revision) => {
      const bySender = (sender: MethodSender): ReadonlyMap<string, Spec> =>
        new Map(
          specs.filter((spec) => spec.sender === sender && holdsIn(spec, revision)).map((spec) => [spec.method, spec]),
        );
      return [revision, { client: bySender("client"), server: bySender("server") }];
    }),
  );
}

function resultFieldsOf(revision: Revision): ReadonlyMap<string, readonly string[]> {
  const added = (spec: RequestSpec): readonly string[] => {
    if (!isModernRevision(revision)) return [];
    return spec.cacheable ? ["resultType", "ttlMs", "cacheScope"] : ["resultType"];
  };
  return new Map(
    REQUESTS.filter((spec) => holdsIn(spec, revision)).map((spec) => [
      spec.method,
      [...spec.resultFields, ...added(spec)],
    ]),
  );
}

function holdsIn(spec: RequestSpec | NotificationSpec, revision: Revision): boolean {
  return isAtLeast(revision, spec.since) && (spec.until === undefined || isAtLeast(spec.until, revision));
}
