/** What can be set about a client, with the defaults of a careful person. */
import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { Implementation } from "../protocol/implementation.js";
import type { Revision } from "../protocol/revisions.js";
import type { DeclaredExtension, Extension } from "../routing/extension.js";
import type { JsonSchemaValidator } from "../schema/json-schema-validator.js";
import type { SchemaLimits } from "../schema/schema-document.js";
import type { InputHandlers } from "./input-handlers.js";
import type { Verdict } from "./negotiation.js";
import type { ReconnectOptions } from "./reconnecting.js";
import type { ClientCacheOptions } from "./result-cache.js";

export interface ClientOptions extends Implementation, InputHandlers {
  /** Declared besides what the handlers and extensions imply: experiments. */
  capabilities?: ClientCapabilities | undefined;
  /** What this client knows beyond the protocol: an extension by itself, or with settings as `extension.onClient(…)`. */
  extensions?: readonly (Extension | DeclaredExtension<"client">)[] | undefined;
  /** The revisions to accept; all of them by default. Modern ones are tried first. */
  revisions?: readonly Revision[] | undefined;
  /**
   * Speak exactly this revision. A modern one is used from the first call on, without asking the server anything
   * before; a legacy one is what the handshake asks for, and the server may still settle on an older one.
   */
  revision?: Revision | undefined;
  /** What an earlier connection to the same server found out (`client.verdict`): saves asking again. */
  prior?: Verdict | undefined;
  /** Refuse calls to what the server did not advertise instead of sending them. */
  strictCapabilities?: boolean | undefined;
  /**
   * Checks structured output against the tool's own schema: `"known"` for tools that this client has listed, `"always"`
   * lists them first where needed, `"never"` does not check. A tool that the client has forgotten (see `maxKnownTools`) is
   * not checked under `"known"` and listed again under `"always"`.
   * @defaultValue "known"
   */
  outputChecks?: "known" | "always" | "never" | undefined;
  /**
   * How many listed tools the client remembers for checking output and mirroring arguments. The tools used or listed longest
   * ago are forgotten first; `onError` hears of it once.
   * @defaultValue 10_000
   */
  maxKnownTools?: number | undefined;
  /**
   * How many bytes the client remembers of listed tools: output schemas, compiled ones included, and mirrored arguments. A
   * tool whose schema alone is larger fails its checks as `unusable-schema`.
   * @defaultValue 67_108_864
   */
  maxKnownToolBytes?: number | undefined;
  /**
   * How many bytes the list may take that `onToolsChanged` and its siblings collect with `refresh`. A longer list is reported
   * to `onError` as `too-large`, and the callback is not called.
   * @defaultValue 67_108_864
   */
  maxRefreshBytes?: number | undefined;
  /** How long a request may take, unless it says otherwise. Default 60 seconds. */
  timeoutMs?: number | undefined;
  /**
   * How long a server may leave the modern probe unanswered before it counts as legacy. Default 5 seconds, or
   * `timeoutMs` for a client that speaks no legacy revision.
   */
  probeTimeoutMs?: number | undefined;
  /** How many messages a batch from the server may hold, which 2025-03-26 alone has. Default 1,000. */
  maxBatchItems?: number | undefined;
  /** How many pages of a list are walked at most. Default 1,000. */
  maxPages?: number | undefined;
  /** How many rounds of questions one call may take. Default 8. */
  maxInputRounds?: number | undefined;
  /**
   * How many questions one round of a call may hold. A call that asks more rejects as `too-large`, before any handler runs.
   * @defaultValue 64
   */
  maxInputRequests?: number | undefined;
  /**
   * Legacy only: when a call is refused until the user has been to a page (-32042), show it through `elicitUrl`, wait so
   * long for the server to say that the user is done, and call again. Default: the call rejects; see `requiredUrls`.
   */
  urlRetryMs?: number | undefined;
  /** Legacy only: the user is done with a page that this client was asked to open. Called once per page. */
  onElicitationComplete?: ((elicitationId: string) => void) | undefined;
  /** Keep the lists and resources that the server allows to be kept, and serve them while they are fresh. Default: no. */
  cache?: boolean | ClientCacheOptions | undefined;
  /** How deep, how large and how costly the output schemas of a server may be. */
  schemaLimits?: SchemaLimits | undefined;
  /** Checks values against JSON Schemas; the built-in one needs no `eval`. */
  jsonSchemaValidator?: JsonSchemaValidator | undefined;
  /** Hears of every error that no call rejects with: late answers, malformed messages, crashed handlers. Default: the console. */
  onError?: ((error: Error) => void) | undefined;
  /**
   * What to do about a lost connection or subscription: open it again, within limits, as far as the target allows. What
   * was pending rejects; subscriptions are restored and say so. `false` leaves it lost. Default: try again.
   */
  reconnect?: boolean | ReconnectOptions | undefined;
  /** The connection has ended for good, whoever ended it. */
  onClose?: (() => void) | undefined;
}

export const DEFAULT_MAX_PAGES = 1_000;
export const DEFAULT_MAX_INPUT_ROUNDS = 8;
export const DEFAULT_MAX_INPUT_REQUESTS = 64;
