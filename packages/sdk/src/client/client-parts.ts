/** Creates and connects the parts of one client from its options. client.ts is the public class in front of them. */
import { RequestLimits } from "../dispatch/request-limits.js";
import type { ClientIdentity } from "../era/era-codec.js";
import { SdkError } from "../errors/sdk-error.js";
import type { Implementation } from "../protocol/implementation.js";
import type { InputRequest } from "../protocol/input-required.js";
import { isModernRevision, REVISIONS } from "../protocol/revisions.js";
import type { DeclaredExtension, Extension } from "../routing/extension.js";
import { RateLimits } from "../routing/rate-limits.js";
import type { RequestContext } from "../routing/request-context.js";
import { Router } from "../routing/router.js";
import { createErrorCallback, type ErrorCallback } from "../runtime/error-callback.js";
import { type CompileSchemaOptions, checkSchemaLimits } from "../schema/compile-schema.js";
import type { ClientTasks } from "../tasks/client-tasks.js";
import { type CallPipeline, createCallPipeline } from "./call-pipeline.js";
import { ChangeListeners } from "./change-listeners.js";
import {
  type ClientOptions,
  checkClientOptions,
  checkNumbers,
  checkRevisions,
  DEFAULT_INPUT_RATES,
  DEFAULT_MAX_INBOUND_REQUESTS,
  DEFAULT_MAX_INPUT_REQUESTS,
  DEFAULT_MAX_INPUT_ROUNDS,
  DEFAULT_MAX_PAGES,
  MAX_INBOUND_BYTES,
} from "./client-options.js";
import { ClientReceiver } from "./client-receiver.js";
import { ClientExtensions } from "./extensions.js";
import { declareCapabilities, InputResponder } from "./input-handlers.js";
import { KnownTools } from "./known-tools.js";
import { resolveReconnectOptions } from "./reconnect-attempts.js";
import { ReconnectingConnection } from "./reconnecting-connection.js";
import { openCache } from "./result-cache.js";
import { Subscriptions } from "./subscriptions.js";
import { ToolSteps } from "./tool-steps.js";
import { UnfinishedCalls } from "./unfinished-calls.js";
import { UrlElicitations } from "./url-elicitations.js";

/** The result of `ClientExtensions.declareIn`. */
type DeclaredCapabilities = ReturnType<ClientExtensions["declareIn"]>;

const TASK_METHODS = ["tasks/get", "tasks/result", "tasks/cancel", "tasks/list"] as const;
const INPUT_METHODS = ["elicitation/create", "sampling/createMessage", "roots/list"] as const;

export interface ClientParts {
  readonly options: ClientOptions;
  readonly identity: ClientIdentity;
  readonly compileOptions: CompileSchemaOptions;
  readonly report: ErrorCallback;
  readonly router: Router<RequestContext>;
  readonly extensions: ClientExtensions;
  readonly urls: UrlElicitations;
  readonly responder: InputResponder;
  readonly unfinished: UnfinishedCalls;
  readonly listeners: ChangeListeners;
  readonly connection: ReconnectingConnection;
  readonly pipeline: CallPipeline;
  readonly subscriptions: Subscriptions;
  /** The tasks that the client runs for its server. */
  readonly tasks: ClientTasks | undefined;
  readonly maxPages: number;
  /** Adds an extension and declares it, for a connection that is opened later. */
  extend(extension: Extension | DeclaredExtension<"client">): void;
}

/** @throws {SdkError} `invalid-argument` for unknown revisions, and for options that exclude each other. */
export function createClientParts(options: ClientOptions): ClientParts {
  checkOptions(options);
  const { outputChecks = "known", maxPages = DEFAULT_MAX_PAGES, timeoutMs, maxBatchItems } = options;
  const { revisions = REVISIONS, revision: pinned, resumeFrom, probeTimeoutMs } = options;
  const { onError = console.error, maxInboundRequests: maxRequests = DEFAULT_MAX_INBOUND_REQUESTS } = options;
  const compileOptions = { validator: options.jsonSchemaValidator, limits: options.schemaLimits };
  const report = createErrorCallback(options.onError ?? console.error);
  const router = new Router<RequestContext>("server");
  const listeners = new ChangeListeners();
  const urls = new UrlElicitations(options.onElicitationComplete, report);
  const unfinished = new UnfinishedCalls();
  // The parts call each other: closures name parts that are created further down.
  const extensions = new ClientExtensions(options, {
    answer: (request, context) => responder.answer(request, context),
    listen: (filter) => subscriptions.open(filter),
    taskSupport: (name, request) => tools.taskSupport(name, request, pipeline.send),
    unfinished,
  });
  const capabilities = declareCapabilities(options, options.capabilities ?? {});
  const tasks = options.tasks?.(report);
  const declare = () => withTasks(extensions.declareIn(capabilities), tasks);
  const identity = { info: implementationOf(options), ...declare() };
  const responder = new InputResponder({
    handlers: options,
    identity,
    rates: new RateLimits(options.rateLimits, DEFAULT_INPUT_RATES),
    onAsked: (request) => urls.asked(request),
  });
  const cache = openCache(options, identity, extensions);
  const reconnect = resolveReconnectOptions(options.reconnect);
  const isStrict = options.strictCapabilities ?? false;
  const limits = new RequestLimits({ level: "connection", maxRequests, maxBytes: MAX_INBOUND_BYTES });
  const connection = new ReconnectingConnection({
    negotiation: { identity, revisions, pinned, resumeFrom, probeTimeoutMs },
    connection: { identity, isStrict, middleware: router.middleware, extensions, report },
    dispatcher: { onError, timeoutMs, maxBatchItems, limits },
    reconnect,
    pingIntervalMs: options.pingIntervalMs,
    ping: (timeoutMs) => pipeline.send({ method: "ping", params: {}, options: { timeoutMs } }),
    receiver: (onClosed) =>
      new ClientReceiver(router, listeners, cache, extensions, options.progressIntervalMs, onClosed),
    onLost: (isFinal) => {
      urls.end();
      listeners.end(new SdkError("connection-closed", "The connection was lost while a subscription was open"));
      if (isFinal) options.onClose?.();
    },
  });
  const known = new KnownTools({
    maxTools: options.maxKnownTools,
    maxBytes: options.maxKnownToolBytes,
    checksOutput: outputChecks !== "never",
    compile: compileOptions,
    report,
  });
  const tools = new ToolSteps(connection, known, { outputChecks, maxPages });
  const pipeline = createCallPipeline({
    connection,
    middleware: router.middleware,
    extensions,
    tools,
    urls,
    responder,
    unfinished,
    cache,
    maxInputRounds: options.maxInputRounds ?? DEFAULT_MAX_INPUT_ROUNDS,
    maxInputRequests: options.maxInputRequests ?? DEFAULT_MAX_INPUT_REQUESTS,
    urlSchemes: options.elicitUrlSchemes,
    urlRetryMs: options.urlRetryMs,
  });
  const subscriptions = new Subscriptions(connection, pipeline.send, listeners, { timeoutMs, reconnect, extensions });
  handleServerMessages(router, urls, responder, tasks);
  return {
    options,
    identity,
    compileOptions,
    report,
    router,
    extensions,
    urls,
    responder,
    unfinished,
    listeners,
    connection,
    pipeline,
    subscriptions,
    tasks,
    maxPages,
    extend: (extension) => {
      extensions.add(extension);
      Object.assign(identity, declare());
    },
  };
}

/** Declares the tasks that a client runs for its server. Only legacy revisions have them. */
function withTasks(declared: DeclaredCapabilities, tasks: ClientTasks | undefined): DeclaredCapabilities {
  if (!tasks) return declared;
  const legacyCapabilities = { tasks: tasks.capability(declared.capabilities), ...declared.legacyCapabilities };
  return { ...declared, legacyCapabilities };
}

/** Handlers of the requests and notifications of the specification that a server may send. */
function handleServerMessages(
  router: Router<RequestContext>,
  urls: UrlElicitations,
  responder: InputResponder,
  tasks: ClientTasks | undefined,
): void {
  router.handle("ping", () => ({}));
  router.onNotification("notifications/elicitation/complete", (params) => urls.completed(params));
  for (const method of INPUT_METHODS) {
    router.handle(method, (params, context) => {
      const { revision } = context;
      // The router has checked the params against the method's shape.
      const request = { method, params } as InputRequest;
      const isTask = params.task !== undefined && method !== "roots/list" && revision === "2025-11-25";
      // A question that the client did not declare is refused, and not run as a task that fails.
      if (!tasks || !isTask || !responder.declares(request)) return responder.answer(request, context);
      return tasks.start(method, params, (signal) => responder.answer(request, { signal, revision }));
    });
  }
  if (!tasks) return;
  for (const method of TASK_METHODS) {
    router.handle(method, (params, { signal }) => tasks.serve(method, params, signal));
  }
}

function checkOptions(options: ClientOptions): void {
  checkClientOptions(options);
  checkRevisions(options);
  if (options.strictCapabilities && isModernRevision(options.revision) && !describesPinned(options)) {
    throw new SdkError(
      "invalid-argument",
      `strictCapabilities with revision: "${options.revision}" would refuse every call, since a pinned modern ` +
        "revision asks the server nothing; give revisions instead, or resumeFrom an earlier connection in that revision as well",
    );
  }
  checkNumbers(options);
  checkSchemaLimits(options.schemaLimits);
}

/** Whether a stored negotiation result has the capabilities of the server in the pinned revision. */
function describesPinned({ resumeFrom, revision }: ClientOptions): boolean {
  return resumeFrom?.revision === revision && resumeFrom?.server.capabilities !== undefined;
}

function implementationOf({ name, version, title, description, websiteUrl, icons }: ClientOptions): Implementation {
  const entries = Object.entries({ name, version, title, description, websiteUrl, icons });
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined)) as unknown as Implementation;
}
