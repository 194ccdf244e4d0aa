/**
 * The host's end of the connection to a page in a frame. It answers `ui/initialize`, tells the page the input and the result of its
 * tool, and ends the page. view-requests.ts serves the requests of the page. The frame itself belongs to the host.
 */
import type { CallOptions } from "../client/call-options.js";
import type { InboundRequest, Receiver } from "../dispatch/dispatcher.js";
import { JsonRpcDispatcher } from "../dispatch/json-rpc-dispatcher.js";
import { RequestLimits } from "../dispatch/request-limits.js";
import { invalidParams, invalidRequest } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { Implementation } from "../protocol/implementation.js";
import { implementationShape } from "../protocol/lifecycle.js";
import type { LoggingMessageParams } from "../protocol/logging.js";
import { loggingMessageParamsShape } from "../protocol/logging.js";
import { anything, array, explain, numberFrom, object, optional, type Shape, string } from "../protocol/shape.js";
import type { CallToolResult } from "../protocol/tools.js";
import { canonicalJson } from "../runtime/canonical-json.js";
import { createErrorCallback, type ErrorCallback, runGuarded } from "../runtime/error-callback.js";
import type { JsonObject } from "../runtime/json.js";
import { markHandled } from "../runtime/maybe-promise.js";
import { type RateLimit, TokenBucket } from "../runtime/token-bucket.js";
import {
  type AppHostOptions,
  checkAppHostOptions,
  DEFAULT_MAX_REQUESTS,
  DEFAULT_TEARDOWN_MS,
  hostCapabilities,
} from "./app-host-options.js";
import { permissionsObject } from "./apps-extension.js";
import {
  type AppPageSize,
  checkContext,
  checkMode,
  type DisplayMode,
  displayModeOf,
  type HostContext,
  isAvailable,
  withinContainer,
} from "./host-context.js";
import { ViewRequests } from "./view-requests.js";

/** The revision of the extension that this side speaks. */
export const APPS_REVISION = "2026-01-26";

/** A page as it introduced itself. */
export interface ViewInfo {
  readonly info: Implementation;
  /** The capabilities of the page, as it sent them. */
  readonly capabilities: JsonObject;
}

/** Bytes of the page's requests in progress. */
const MAX_REQUEST_BYTES = 33_554_432;
/** Answers to equal handshakes. Each has the whole context of the host. */
const MAX_HANDSHAKES = 4;
/** Errors that are reported. A page in a loop would fill the log of its host. */
const REPORTED: RateLimit = { perSecond: 10, burst: 100 };
/** Pixels. Browsers lay out no larger element. */
const MAX_PIXELS = 33_554_428;

interface InitializeParams {
  appInfo: Implementation;
  appCapabilities: JsonObject;
  protocolVersion: string;
}

const initializeShape: Shape = object<InitializeParams>({
  appInfo: implementationShape,
  appCapabilities: object<{ availableDisplayModes: unknown }>({ availableDisplayModes: optional(array(string)) }),
  protocolVersion: string,
});
const pixels = optional(numberFrom(0, MAX_PIXELS));
const NOTIFICATIONS: ReadonlyMap<string, Shape> = new Map([
  ["ui/notifications/sandbox-proxy-ready", anything],
  ["ui/notifications/initialized", anything],
  ["ui/notifications/size-changed", object<AppPageSize>({ width: pixels, height: pixels })],
  ["notifications/message", loggingMessageParamsShape],
]);

/**
 * A page that a host shows.
 *
 * @example
 * const transport = PostMessageTransport.overPort(new MessageChannel().port1);
 * for (const tool of (await client.listTools()).tools) {
 *   const host = AppHost.open({ info: { name: "chat", version: "1.0.0" }, client, tool, transport });
 *   await host.run({});
 * }
 */
export class AppHost {
  /** Resolves when the page is initialized. Rejects if the host is closed before. */
  readonly ready: Promise<ViewInfo>;
  /** Resolves when the connection has ended, also because the frame shows another document. Then remove the frame. */
  readonly closed: Promise<void>;
  readonly #options: AppHostOptions;
  readonly #report: ErrorCallback;
  readonly #requests: ViewRequests;
  readonly #dispatcher: JsonRpcDispatcher;
  #resolveReady!: (view: ViewInfo) => void;
  #rejectReady!: (error: SdkError) => void;
  #resolveClosed!: () => void;
  #context: HostContext;
  /** Undefined until `ui/initialize`. */
  #view: ViewInfo | undefined;
  #handshakes = 0;
  #isInitialized = false;
  #hasSentPage = false;
  #hasDroppedLogs = false;
  #input: JsonObject | undefined;
  /** The last notification about the tool: its result, or that it was cancelled. */
  #outcome: { readonly method: string; readonly params: JsonObject } | undefined;
  #closing: Promise<void> | undefined;

  private constructor(options: AppHostOptions) {
    const { context = {}, tool, onError = console.error, maxRequests = DEFAULT_MAX_REQUESTS } = options;
    this.#options = options;
    this.#report = limitReports(createErrorCallback(onError));
    this.#context = { toolInfo: { tool }, ...context };
    this.#requests = new ViewRequests(options, (wanted) => this.#changeMode(wanted));
    this.ready = markHandled(
      new Promise((resolve, reject) => {
        this.#resolveReady = resolve;
        this.#rejectReady = reject;
      }),
    );
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    const limits = new RequestLimits({ level: "connection", maxRequests, maxBytes: MAX_REQUEST_BYTES });
    const receiver: Receiver = {
      request: (inbound) => this.#serve(inbound),
      notification: (method, params = {}) => this.#receive(method, params),
      closed: () => {
        this.#rejectReady(new SdkError("connection-closed", "The page was closed"));
        this.#resolveClosed();
      },
    };
    this.#dispatcher = JsonRpcDispatcher.open(options.transport, () => receiver, { limits, onError: this.#report });
  }

  /**
   * Starts to listen. Call it before the frame loads, so that no message of the page is lost.
   * @throws {SdkError} `invalid-argument` for a missing or wrong option.
   */
  static open(options: AppHostOptions): AppHost {
    checkAppHostOptions(options);
    return new AppHost(options);
  }

  /** The state that the page knows, or will get. */
  get context(): HostContext {
    return this.#context;
  }

  /**
   * Calls the tool of the page, with its input and its result for the page. Rejects if the call does, and tells the page that the tool
   * was cancelled. The page is told nothing more after a `sendCancelled` during the call.
   */
  async run(args: JsonObject = {}, options: CallOptions = {}): Promise<CallToolResult> {
    const { client, tool } = this.#options;
    this.sendInput(args);
    try {
      const result = await client.callTool(tool.name, args, options);
      if (this.#outcome === undefined) this.sendResult(result);
      return result;
    } catch (error) {
      if (this.#outcome === undefined) this.sendCancelled((error as Error).message);
      throw error;
    }
  }

  /** Shows arguments that the model is still writing. Dropped while the page is not initialized. */
  sendPartialInput(args: JsonObject): void {
    if (this.#input !== undefined) throw misused("sendPartialInput: the complete input was sent");
    if (this.#isInitialized) this.#notify("ui/notifications/tool-input-partial", { arguments: args });
  }

  /**
   * Gives the page the arguments of its tool, once. Before the page is initialized, the host keeps them.
   * @throws {SdkError} `invalid-argument` for a second input.
   */
  sendInput(args: JsonObject): void {
    if (this.#input !== undefined) throw misused("sendInput: the input was sent");
    this.#input = args;
    if (this.#isInitialized) this.#sendInput(args);
  }

  /** Gives the page the result of its tool. @throws {SdkError} `invalid-argument` before `sendInput`, and after another outcome. */
  sendResult(result: CallToolResult): void {
    this.#finish("sendResult", "ui/notifications/tool-result", { ...result });
  }

  /** Tells the page that its tool will give no result. @throws {SdkError} as `sendResult` does. */
  sendCancelled(reason: string): void {
    this.#finish("sendCancelled", "ui/notifications/tool-cancelled", { reason });
  }

  /**
   * Changes the state of the host, and tells the page the changed members.
   * @throws {SdkError} `invalid-argument` for an unknown member, and for a display mode that the page does not support.
   */
  update(changes: HostContext): void {
    checkContext("update", changes);
    checkMode(changes.displayMode, this.#modesOfPage());
    this.#context = { ...this.#context, ...changes };
    if (this.#isInitialized) this.#notify("ui/notifications/host-context-changed", { ...changes });
  }

  /** Gives the page up to `teardownMs` to save its state, and ends the connection. Remove the frame afterwards. */
  close(reason = "The host closes the page"): Promise<void> {
    this.#closing ??= this.#tearDown(reason);
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #tearDown(reason: string): Promise<void> {
    const { teardownMs = DEFAULT_TEARDOWN_MS } = this.#options;
    if (this.#isInitialized) {
      const asked = this.#dispatcher.request("ui/resource-teardown", { reason }, { timeoutMs: teardownMs });
      await asked.catch((error: Error) => this.#report(error));
    }
    await this.#dispatcher.close();
  }

  #serve(inbound: InboundRequest): JsonObject | Promise<JsonObject> {
    const { method, params = {} } = inbound;
    if (method === "ping") return {};
    if (method === "ui/initialize") return this.#initialize(params);
    if (this.#view === undefined) throw invalidRequest(`${method}: send ui/initialize first`);
    return this.#requests.serve(inbound);
  }

  /** A second handshake comes from another document, which must not get the messages for the first. */
  #initialize(params: JsonObject): JsonObject {
    if (this.#view !== undefined && !this.#isRepeated(params, this.#view)) {
      this.#report(secondHandshake());
      // Without a teardown, which the second document would get. After the answer to it.
      this.#closing ??= Promise.resolve().then(() => this.#dispatcher.close());
      throw invalidRequest("ui/initialize: the host talks to the first document of its frame alone");
    }
    const fault = initializeShape(params);
    if (fault) throw invalidParams(`ui/initialize: ${explain(fault, "params")}`);
    const { appInfo, appCapabilities } = params as unknown as InitializeParams;
    this.#view = { info: appInfo, capabilities: appCapabilities };
    this.#handshakes += 1;
    return {
      protocolVersion: APPS_REVISION,
      hostInfo: this.#options.info,
      hostCapabilities: hostCapabilities(this.#options),
      hostContext: this.#context,
    };
  }

  /** Whether a page repeats its handshake before it is initialized, as React does in its strict mode. */
  #isRepeated({ appInfo, appCapabilities }: JsonObject, { info, capabilities }: ViewInfo): boolean {
    if (this.#isInitialized || this.#handshakes === MAX_HANDSHAKES) return false;
    return canonicalJson([appInfo, appCapabilities]) === canonicalJson([info, capabilities]);
  }

  #receive(method: string, params: JsonObject): void {
    const fault = NOTIFICATIONS.get(method)?.(params);
    if (fault) {
      this.#report(new SdkError("invalid-message", `${method} of the page: ${explain(fault, "params")}`));
      return;
    }
    const { onSizeChanged } = this.#options;
    if (method === "ui/notifications/sandbox-proxy-ready") this.#sendPage();
    else if (method === "ui/notifications/initialized") this.#start();
    else if (method === "ui/notifications/size-changed") onSizeChanged?.(withinContainer(params, this.#context));
    else if (method === "notifications/message") this.#log(params as unknown as LoggingMessageParams);
  }

  #log(message: LoggingMessageParams): void {
    try {
      this.#requests.count("notifications/message");
    } catch (cause) {
      // Reported once: a page that floods its log would flood the reports.
      if (!this.#hasDroppedLogs)
        this.#report(new SdkError("too-large", "Log messages of the page are dropped", { cause }));
      this.#hasDroppedLogs = true;
      return;
    }
    this.#options.onLog?.(message);
  }

  #sendPage(): void {
    const { page, sandbox } = this.#options;
    if (page === undefined || this.#hasSentPage) return;
    this.#hasSentPage = true;
    const { html, csp } = page;
    const permissions = permissionsObject(page.permissions);
    // An empty `sandbox` is the strictest one.
    const attribute = sandbox !== undefined && { sandbox };
    this.#notify("ui/notifications/sandbox-resource-ready", { html, csp, permissions, ...attribute });
  }

  #start(): void {
    if (this.#view === undefined || this.#isInitialized) return;
    this.#isInitialized = true;
    this.#resolveReady(this.#view);
    if (this.#input) this.#sendInput(this.#input);
    if (this.#outcome) this.#notify(this.#outcome.method, this.#outcome.params);
  }

  #finish(what: string, method: string, params: JsonObject): void {
    if (this.#input === undefined) throw misused(`${what}: call sendInput first`);
    if (this.#outcome !== undefined) throw misused(`${what}: the outcome was sent`);
    this.#outcome = { method, params };
    if (this.#isInitialized) this.#notify(method, params);
  }

  #sendInput(args: JsonObject): void {
    this.#notify("ui/notifications/tool-input", { arguments: args });
  }

  #notify(method: string, params: JsonObject): void {
    runGuarded(
      () => this.#dispatcher.notify(method, params),
      (cause) => this.#report(cause as Error),
    );
  }

  async #changeMode(wanted: DisplayMode): Promise<DisplayMode> {
    const { onDisplayMode } = this.#options;
    if (onDisplayMode && isAvailable(wanted, this.#context, this.#modesOfPage())) {
      const displayMode = await onDisplayMode(wanted);
      checkMode(displayMode, this.#modesOfPage());
      this.#context = { ...this.#context, displayMode };
    }
    return displayModeOf(this.#context);
  }

  #modesOfPage(): readonly unknown[] | undefined {
    const modes = this.#view?.capabilities.availableDisplayModes;
    return Array.isArray(modes) ? modes : undefined;
  }
}

/** Leaves errors above the rate out, and says so once. */
function limitReports(report: ErrorCallback): ErrorCallback {
  const bucket = new TokenBucket(REPORTED, performance.now());
  let hasDropped = false;
  return (error) => {
    if (bucket.take(performance.now()) === 0) report(error);
    else if (!hasDropped) {
      hasDropped = true;
      const complaint = `More than ${REPORTED.perSecond} errors per second of the page are left out`;
      report(new SdkError("too-large", complaint, { cause: error }));
    }
  };
}

function secondHandshake(): SdkError {
  const advice = `or the first one sent it more than ${MAX_HANDSHAKES} times`;
  return new SdkError("connection-closed", `A second document in the frame sent ui/initialize, ${advice}`);
}

function misused(message: string): SdkError {
  return new SdkError("invalid-argument", message);
}
