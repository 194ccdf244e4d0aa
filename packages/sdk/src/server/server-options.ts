/** What can be set about a server, with the defaults of a careful person. */
import type { CacheHint } from "../protocol/caching.js";
import type { ServerCapabilities } from "../protocol/capabilities.js";
import type { Implementation } from "../protocol/implementation.js";
import type { Revision } from "../protocol/revisions.js";
import type { DeclaredExtension, Extension } from "../routing/extension.js";
import type { JsonSchemaValidator } from "../schema/json-schema-validator.js";
import type { SchemaLimits } from "../schema/schema-document.js";
import type { ChangeBus } from "./changes/change-bus.js";
import type { UrlElicitationLimits } from "./changes/started-elicitations.js";
import type { StateSealOptions } from "./input/state-seal.js";

export interface McpServerOptions extends Implementation {
  /** How to use this server, for the model to read. */
  instructions?: string | undefined;
  /** The revisions to speak; all of them by default. */
  revisions?: readonly Revision[] | undefined;
  /** Declared besides what the registrations imply: for what will be registered later, and experiments. */
  capabilities?: ServerCapabilities | undefined;
  /** What this server adds to the protocol: an extension by itself, or with settings as `extension.onServer(…)`. */
  extensions?: readonly (Extension | DeclaredExtension<"server">)[] | undefined;
  /** How many items a page of a list has at most. Default 1,000. */
  pageSize?: number | undefined;
  /** How long, and by whom, results may be kept, unless a resource says otherwise. Default: not at all, privately. */
  cache?: CacheHint | undefined;
  /** `"any"` lifts the specification's advice on tool names, e.g. for a gateway that passes on names of others. */
  toolNames?: "strict" | "any" | undefined;
  /** How the state of requests that ask their client is sealed. Several processes that serve one endpoint share keys. */
  requestState?: StateSealOptions | undefined;
  /**
   * How many questions a handler may ask its client at once: in one round of the modern era, or without their answers in the
   * legacy era. A handler that asks more fails.
   * @defaultValue 64
   */
  maxInputRequests?: number | undefined;
  /** How deep, how large and how costly plain JSON Schemas may be. */
  schemaLimits?: SchemaLimits | undefined;
  /** Checks values against plain JSON Schemas; the built-in one needs no `eval`. */
  jsonSchemaValidator?: JsonSchemaValidator | undefined;
  /** Carries changes between the processes that serve one endpoint; reaches this process alone by default. */
  changeBus?: ChangeBus | undefined;
  /** How many listen streams the server, and how many watched resources a legacy connection, may have. Default 1,024. */
  maxSubscriptions?: number | undefined;
  /** How many pages that users open outside the client are remembered, and for how long, until they are finished with. */
  urlElicitations?: UrlElicitationLimits | undefined;
  /** The least time between two progress reports of one request; the last one always goes out. Default: none. */
  progressIntervalMs?: number | undefined;
  /** How many messages a batch may hold, which 2025-03-26 alone has. Default 1,000. */
  maxBatchItems?: number | undefined;
  /** How long requests of this server's own may take, unless they say otherwise. Default 60 seconds. */
  timeoutMs?: number | undefined;
  /** Hears of every error that no caller is told of: crashed handlers, malformed messages. Default: the console. */
  onError?: ((error: Error) => void) | undefined;
}

export const DEFAULT_MAX_SUBSCRIPTIONS = 1_024;
export const DEFAULT_PAGE_SIZE = 1_000;
export const DEFAULT_CACHE: Required<CacheHint> = { ttlMs: 0, cacheScope: "private" };
