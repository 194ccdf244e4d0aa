/**
 * Lists the steps of a client's call in the order in which they run. The methods of spec-methods.ts start a call. The last step
 * passes the call to its connection (negotiated-connection.ts), which sends it.
 */
import type { BatchCall } from "../dispatch/dispatcher.js";
import { type Middleware, requireResult, runThrough } from "../routing/middleware.js";
import type { RequestContext } from "../routing/request-context.js";
import type { JsonObject } from "../runtime/json.js";
import { isPromiseLike } from "../runtime/maybe-promise.js";
import { addMeta } from "./call-options.js";
import { type CallStep, type ClientCall, type ConnectionCall, chain, type SendCall } from "./client-call.js";
import type { ClientExtensions } from "./extensions.js";
import type { InputResponder } from "./input-handlers.js";
import { answerInputRequests } from "./input-rounds.js";
import { requestBatch } from "./outgoing-batch.js";
import type { ReconnectingConnection } from "./reconnecting-connection.js";
import type { ResultCache } from "./result-cache.js";
import type { ToolSteps } from "./tool-steps.js";
import type { UnfinishedCalls } from "./unfinished-calls.js";
import { type UrlElicitations, visitRequiredUrls } from "./url-elicitations.js";

export interface CallPipelineParts {
  readonly connection: ReconnectingConnection;
  readonly middleware: readonly Middleware<RequestContext>[];
  readonly extensions: ClientExtensions;
  readonly tools: ToolSteps;
  readonly urls: UrlElicitations;
  readonly responder: InputResponder;
  readonly unfinished: UnfinishedCalls;
  readonly cache: ResultCache | undefined;
  readonly maxInputRounds: number;
  readonly maxInputRequests: number;
  readonly urlSchemes: readonly string[] | undefined;
  readonly urlRetryMs: number | undefined;
}

/** The entry points of a call. Each one says which of the steps it runs. */
export interface CallPipeline {
  /** Runs all steps. Resolves with a complete result of the method. */
  readonly call: SendCall;
  /** Skips the steps that complete a result. For `client.request` with a method name. */
  readonly request: SendCall;
  /** Runs all steps but those that settle a result of an extension's type and check output. For `client.startCall`. */
  readonly start: SendCall;
  /** Runs the steps that `start` skips, with a result that `start` returned. */
  resume(call: ClientCall, result: JsonObject): Promise<JsonObject>;
  /** Skips the step for tools and all that `request` skips. For pings and subscriptions. */
  readonly send: SendCall;
  /** Sends several requests as one message. */
  batch(calls: readonly BatchCall[]): Promise<PromiseSettledResult<JsonObject>[]>;
}

export function createCallPipeline(parts: CallPipelineParts): CallPipeline {
  const { connection, extensions, tools, responder, unfinished, cache } = parts;
  const { maxInputRequests: maxRequests, maxInputRounds: maxRounds, urlSchemes: schemes, urlRetryMs: retryMs } = parts;

  // For calls that resolve with a complete result: `call`.
  const finishing: readonly CallStep[] = [
    tools.checkOutput,
    (call, next) => extensions.settle(call, next, request, connection),
  ];
  // For `call` and `start`.
  const asking: readonly CallStep[] = [
    visitRequiredUrls(parts.urls, { responder, connection, unfinished, maxRequests, schemes, retryMs }),
    answerInputRequests({ responder, connection, unfinished, maxRequests, maxRounds }),
    addMeta(connection),
  ];
  // For `call`, `start` and `request`. Afterwards `connection.send` picks the connection.
  const beforeSending: readonly CallStep[] = [tools.remember];
  // For all requests, on the connection that was picked.
  const perConnection: readonly CallStep<ConnectionCall>[] = [
    runMiddleware(parts.middleware),
    (call, next) => extensions.fallBack(call, next, exchange),
    checkRequest,
  ];
  // For requests that are not part of a batch.
  const innermost: readonly CallStep<ConnectionCall>[] = cache ? [cache.serve] : [];

  const sendAlone = chain(innermost, (call) => call.connection.exchange(call));
  const exchange = chain(perConnection, sendAlone);
  const send: SendCall = (call) => connection.send(call, exchange);
  const request = chain(beforeSending, send);
  return {
    call: chain([...finishing, ...asking], request),
    request,
    start: chain([(call, next) => extensions.start(call, next, request, connection), ...asking], request),
    resume: (call, result) => {
      const settle: CallStep = (given, next) => extensions.settle(given, next, request, connection, "resume");
      // `checkOutput` may list the tools.
      const last: SendCall = async (given) => (given.method === call.method ? result : request(given));
      return chain([tools.checkOutput, settle], last)(call);
    },
    send,
    batch: async (calls) => {
      const found = connection.connectionFor("A batch");
      return requestBatch(isPromiseLike(found) ? await found : found, calls, perConnection, sendAlone);
    },
  };
}

function runMiddleware(middleware: readonly Middleware<RequestContext>[]): CallStep<ConnectionCall> {
  return (call, next) => (middleware.length === 0 ? next(call) : throughMiddleware(middleware, call, next));
}

async function throughMiddleware(
  middleware: readonly Middleware<RequestContext>[],
  call: ConnectionCall,
  next: SendCall<ConnectionCall>,
): Promise<JsonObject> {
  const { method, params, connection } = call;
  const { revision } = connection.negotiated;
  const seen = { kind: "request", direction: "outbound", revision, method, params, context: undefined } as const;
  const result = await runThrough(middleware, seen, (given) => next({ ...call, params: given }));
  return requireResult(method, result);
}

function checkRequest(call: ConnectionCall, next: SendCall<ConnectionCall>): Promise<JsonObject> {
  const refusal = call.connection.requestRefusal(call);
  return refusal ? Promise.reject(refusal) : next(call);
}
