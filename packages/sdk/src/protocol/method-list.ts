/** The methods and capabilities of the specification as plain data, for gateways and other tools. */
import type { MethodSender } from "./method-spec.js";
import { NOTIFICATIONS } from "./notification-table.js";
import { REQUESTS } from "./request-table.js";
import type { Revision } from "./revisions.js";

/** A request or notification, as the revisions from `since` to `until` have it. */
export interface MethodInfo {
  readonly method: string;
  readonly kind: "request" | "notification";
  /** The side that sends it. */
  readonly sender: MethodSender;
  readonly since: Revision;
  /** The last revision that has it; undefined if the latest does. */
  readonly until: Revision | undefined;
  /**
   * The capability it needs, as a dotted path such as `resources.subscribe`. The receiver of a request declares it, and the
   * sender of a notification.
   */
  readonly capability: string | undefined;
  /** Whether a modern result may be `input_required`. */
  readonly mayRequireInput: boolean;
  /** Whether a modern result carries `ttlMs` and `cacheScope`. */
  readonly isCacheable: boolean;
}

/** A capability, and the methods that need it. */
export interface CapabilityInfo {
  /** A dotted path into the capabilities, such as `resources.subscribe`. */
  readonly capability: string;
  /** The side that declares it. */
  readonly declaredBy: MethodSender;
  readonly methods: readonly string[];
}

/** Every request and notification of every revision. A method that changed has one row per form. */
export const MCP_METHODS: readonly MethodInfo[] = /* @__PURE__ */ listMethods();

/** Every capability that a method needs. */
export const MCP_CAPABILITIES: readonly CapabilityInfo[] = /* @__PURE__ */ listCapabilities(MCP_METHODS);

/** A function, and its call marked as pure, so that bundlers leave the lists out of programs that read none of them. */
function listMethods(): readonly MethodInfo[] {
  return Object.freeze([
    ...REQUESTS.map(({ method, sender, since, until, capability, mayRequireInput, cacheable }) =>
      Object.freeze({
        ...{ method, kind: "request" as const, sender, since, until, capability },
        ...{ mayRequireInput, isCacheable: cacheable },
      }),
    ),
    ...NOTIFICATIONS.map(({ method, sender, since, until, capability }) =>
      Object.freeze({
        ...{ method, kind: "notification" as const, sender, since, until, capability },
        ...{ mayRequireInput: false, isCacheable: false },
      }),
    ),
  ]);
}

function listCapabilities(methods: readonly MethodInfo[]): readonly CapabilityInfo[] {
  const byCapability = new Map<string, Set<string>>();
  for (const { method, kind, sender, capability } of methods) {
    if (capability === undefined) continue;
    const isDeclaredByServer = (kind === "request") === (sender === "client");
    const key = `${isDeclaredByServer ? "server" : "client"} ${capability}`;
    byCapability.set(key, (byCapability.get(key) ?? new Set()).add(method));
  }
  const rows = [...byCapability].map(([key, names]) => {
    const [declaredBy, capability] = key.split(" ") as [MethodSender, string];
    return Object.freeze({ capability, declaredBy, methods: Object.freeze([...names]) });
  });
  return Object.freeze(rows);
}
