/** The capabilities of clients and servers. A capability is declared by being present, even as an empty object. */
import type { JsonObject } from "../runtime/json.js";

/** Settings by extension or experiment name. */
export interface NamedCapabilities {
  [name: string]: JsonObject;
}

/** Whether changes to a list are announced. */
export interface ListCapability {
  listChanged?: boolean | undefined;
}

/** The server's capabilities for resources. */
export interface ResourcesCapability extends ListCapability {
  /** Whether single resources can be watched. */
  subscribe?: boolean | undefined;
}

/**
 * The parts of sampling that a client supports beyond plain text and media.
 * @deprecated since 2026-07-28 (SEP-2577): servers call models themselves. Earliest removal: 2027-07-28.
 */
export interface SamplingCapability {
  context?: JsonObject | undefined;
  tools?: JsonObject | undefined;
}

/** Which kinds of elicitation a client supports; an empty object means forms. */
export interface ElicitationCapability {
  form?: JsonObject | undefined;
  url?: JsonObject | undefined;
}

/** Which requests a client runs as tasks (2025-11-25 alone). */
export interface ClientTasksCapability {
  list?: JsonObject | undefined;
  cancel?: JsonObject | undefined;
  requests?:
    | {
        /** @deprecated since 2026-07-28 (SEP-2577): servers call models themselves. Earliest removal: 2027-07-28. */
        sampling?: { createMessage?: JsonObject | undefined } | undefined;
        elicitation?: { create?: JsonObject | undefined } | undefined;
      }
    | undefined;
}

/** Which requests a server runs as tasks (2025-11-25 alone). */
export interface ServerTasksCapability {
  list?: JsonObject | undefined;
  cancel?: JsonObject | undefined;
  requests?: { tools?: { call?: JsonObject | undefined } | undefined } | undefined;
}

/** The capabilities of a client. */
export interface ClientCapabilities {
  experimental?: NamedCapabilities | undefined;
  extensions?: NamedCapabilities | undefined;
  /** @deprecated since 2026-07-28 (SEP-2577): servers take them as arguments. Earliest removal: 2027-07-28. */
  roots?: ListCapability | undefined;
  /** @deprecated since 2026-07-28 (SEP-2577): servers call models themselves. Earliest removal: 2027-07-28. */
  sampling?: SamplingCapability | undefined;
  elicitation?: ElicitationCapability | undefined;
  tasks?: ClientTasksCapability | undefined;
}

/** The capabilities of a server. */
export interface ServerCapabilities {
  experimental?: NamedCapabilities | undefined;
  extensions?: NamedCapabilities | undefined;
  /** @deprecated since 2026-07-28 (SEP-2577): log to stderr, or use OpenTelemetry. Earliest removal: 2027-07-28. */
  logging?: JsonObject | undefined;
  completions?: JsonObject | undefined;
  prompts?: ListCapability | undefined;
  resources?: ResourcesCapability | undefined;
  tools?: ListCapability | undefined;
  tasks?: ServerTasksCapability | undefined;
}
