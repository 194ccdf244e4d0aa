/**
 * The extensions of a client. It sends and accepts requests and notifications of an extension only if the server declared the
 * extension. A server whose capabilities are unknown counts as having declared all extensions.
 */
import type { ClientIdentity } from "../era/era-codec.js";
import { ProtocolError, receivedError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { HttpHeader, mirroredName } from "../protocol/http-headers.js";
import { type InputRequest, inputRequestShape } from "../protocol/input-required.js";
import { findRequest, isInRevision } from "../protocol/method-table.js";
import { eraOf } from "../protocol/revisions.js";
import { explain } from "../protocol/shape.js";
import { ownFields, readAnswer } from "../routing/defined-message.js";
import type { Extension } from "../routing/extension.js";
import { declaredSettings, ExtensionSet, existsIn, type OwnedResultType } from "../routing/extension-set.js";
import type { ListenFilterDefinition, ListenFilterValue } from "../routing/listen-filter-definition.js";
import { type MethodDefinition, nameOf } from "../routing/method-definition.js";
import { type PeerExtension, peerExtension } from "../routing/peer-extension.js";
import type { CallSubscription, ExtensionCall, ExtensionRequestOptions } from "../routing/result-type.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import type { Schema, SchemaOutput } from "../schema/schema.js";
import { validatorOf } from "../schema/schema-validator.js";
import { encodeHeaderValue } from "../wire/header-value.js";
import type { ClientRequestOptions } from "./call-options.js";
import type { ClientCall, ConnectionCall, SendCall } from "./client-call.js";
import { type ClientOptions, DEFAULT_MAX_INPUT_REQUESTS } from "./client-options.js";
import type { InputContext } from "./input-handlers.js";
import type { TaskSupport } from "./known-tools.js";
import type { ListenFilter } from "./listen-filter.js";
import type { Negotiated, NegotiationResult } from "./negotiation.js";
import type { Subscription } from "./subscriptions.js";
import type { UnfinishedCalls } from "./unfinished-calls.js";

/** The parts of a client that an extension uses while it finishes a call. */
export interface ExtensionServices {
  /** Answers a question of the server with the client's handlers. */
  answer(request: InputRequest, context: InputContext): Promise<JsonObject>;
  listen(filter: ListenFilter): Promise<Subscription>;
  /** The `execution.taskSupport` of a tool. Lists the tools once if the tool is not known. */
  taskSupport(name: string, options: ClientRequestOptions): Promise<TaskSupport | undefined>;
  /** Holds the calls that extensions are finishing. */
  readonly unfinished: UnfinishedCalls;
}

/** Calls of one client that listen at the same time. Each takes a stream of the server. */
const MAX_LISTENING_CALLS = 8;

export class ClientExtensions extends ExtensionSet<"client"> {
  readonly #services: ExtensionServices;
  readonly #maxInputRequests: number;
  #listening = 0;

  constructor(
    options: Pick<ClientOptions, "extensions" | "capabilities" | "maxInputRequests">,
    services: ExtensionServices,
  ) {
    super("client", options.extensions, options.capabilities?.extensions);
    this.#maxInputRequests = options.maxInputRequests ?? DEFAULT_MAX_INPUT_REQUESTS;
    this.#services = services;
  }

  /** The client's capabilities with its extensions, by era. */
  declareIn(capabilities: ClientCapabilities): Pick<ClientIdentity, "capabilities" | "legacyCapabilities"> {
    return {
      capabilities: this.declaredIn("modern", capabilities),
      legacyCapabilities: this.declaredIn("legacy", capabilities),
    };
  }

  /** An extension as the server declared it. @throws {SdkError} `invalid-result` for settings that break its schema. */
  peer<Settings extends Schema>(
    extension: Extension<Schema, Settings>,
    { revision, server }: NegotiationResult,
  ): PeerExtension<SchemaOutput<Settings>> | undefined {
    const settings = declaredSettings(extension, eraOf(revision), server.capabilities ?? {});
    if (!settings) return undefined;
    return peerExtension(
      extension,
      extension.serverSettings,
      settings,
      (_where, complaint) => new SdkError("invalid-result", `The server sent: ${complaint}`),
    );
  }

  /** The extension that defines a method or notification, if the server is known to lack the extension. */
  lackingAt(method: string, { revision, server }: NegotiationResult): Extension | undefined {
    const owner = this.ownerOf(method);
    // Where the specification has the method, its own entry applies.
    if (!owner || isInRevision(revision, method)) return undefined;
    return server.capabilities && !declaredSettings(owner, eraOf(revision), server.capabilities) ? owner : undefined;
  }

  /** The `Mcp-Name` header of a request, if the definition of its method mirrors a param. */
  nameHeader(method: string, params: JsonObject): Readonly<Record<string, string>> | undefined {
    const param = this.definitionOf(method)?.mirrors;
    const name = param === undefined ? undefined : mirroredName(method, params, param);
    return name === undefined ? undefined : { [HttpHeader.name]: encodeHeaderValue(name) };
  }

  /** The listen filter whose notification has this method. */
  filterOf(notification: string): ListenFilterDefinition | undefined {
    const filters = this.ownerOf(notification)?.listenFilters;
    return filters?.find((filter) => filter.notification.method === notification);
  }

  /** The listen filters whose extension the server is not known to lack. */
  supportedFilters(filters: readonly ListenFilterValue[], negotiated: NegotiationResult): readonly ListenFilterValue[] {
    return filters.filter(({ filter }) => !this.lackingAt(filter.notification.method, negotiated));
  }

  /** The error for a request that must not be sent. */
  refusal(method: string, negotiated: NegotiationResult): SdkError | undefined {
    const lacking = this.lackingAt(method, negotiated);
    if (!lacking) return undefined;
    return new SdkError(
      "capability-not-supported",
      existsIn(lacking, eraOf(negotiated.revision))
        ? `${method} was not sent: the server did not declare the extension ${lacking.id}`
        : `${method} was not sent: the extension ${lacking.id} does not exist in protocol revision ${negotiated.revision}`,
      { wireCode: ErrorCode.methodNotFound },
    );
  }

  /** @throws {SdkError} `invalid-message` for a notification of an extension that the server did not declare. */
  checkIncoming(method: string, negotiated: NegotiationResult): void {
    const lacking = this.lackingAt(method, negotiated);
    if (!lacking) return;
    throw new SdkError("invalid-message", `${method} was dropped: the server did not declare ${lacking.id}`);
  }

  /**
   * A step of a call: if the server lacks the extension of the method, runs the extension's fallback instead of sending.
   * @param again sends a request of the fallback over the same connection
   */
  fallBack(call: ConnectionCall, next: SendCall<ConnectionCall>, again: SendCall<ConnectionCall>): Promise<JsonObject> {
    const { connection } = call;
    const fallback = this.lackingAt(call.method, connection.negotiated)?.fallback.client;
    if (!fallback) return next(call);
    const request: SendCall = (given) => again({ ...given, connection });
    return this.#runExtension(call, connection, request, "call", async (own) => ({ ...(await fallback(own)) }));
  }

  /** The result type of an answer, if an extension defines the type and the server declared the extension. */
  resultTypeOf(
    method: string,
    answer: JsonObject,
    { revision, server }: NegotiationResult,
  ): OwnedResultType | undefined {
    const owned = this.resultType(method, answer.resultType);
    const era = eraOf(revision);
    const isIn = owned && era === "modern";
    return isIn && (!server.capabilities || declaredSettings(owned.extension, era, server.capabilities))
      ? owned
      : undefined;
  }

  /**
   * A step of a call: turns a result of an extension's type into a complete result of the method.
   * @param request sends a request of the extension
   * @param mode `resume` for a call whose first answer the caller has kept
   */
  settle(
    call: ClientCall,
    next: SendCall,
    request: SendCall,
    connection: Negotiated,
    mode: "call" | "resume" = "call",
  ): Promise<JsonObject> {
    if (mode === "call" && !this.hasResultTypes && !this.aroundOf(call.method)) return next(call);
    return this.#runExtension(call, connection, request, mode, (extensionCall) =>
      this.#settle(call, next, extensionCall, connection),
    );
  }

  /** A step of a call whose caller takes results of an extension's type as they are. */
  start(call: ClientCall, next: SendCall, request: SendCall, connection: Negotiated): Promise<JsonObject> {
    return this.#runExtension(call, connection, request, "start", (extensionCall) =>
      this.#around(call, next, extensionCall),
    );
  }

  /** Runs an extension's part of a call, until its caller aborts it or the client is closed. */
  #runExtension(
    call: ClientCall,
    connection: Negotiated,
    request: SendCall,
    mode: ExtensionCall["mode"],
    run: (extensionCall: ExtensionCall) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const { method, options } = call;
    return this.#services.unfinished.run(method, options.signal, ({ signal }) =>
      run(this.#extensionCall(call, signal, connection, request, mode)),
    );
  }

  #extensionCall(
    { method, params, options }: ClientCall,
    signal: AbortSignal,
    connection: Negotiated,
    send: SendCall,
    mode: ExtensionCall["mode"],
  ): ExtensionCall {
    const { timeoutMs, onProgress } = options;
    const { revision, server } = connection.negotiated;
    const request = async (
      asked: string | MethodDefinition,
      own: JsonObject = {},
      { ignoresAbort, timeoutMs: ownTimeoutMs = timeoutMs, signal: ownSignal = signal }: ExtensionRequestOptions = {},
    ): Promise<unknown> => {
      // A fallback must not lead back to itself.
      const refusal = this.refusal(nameOf(asked), connection.negotiated);
      if (refusal) throw refusal;
      const given: ClientRequestOptions = {
        ...(ownTimeoutMs !== undefined && { timeoutMs: ownTimeoutMs }),
        ...(ignoresAbort !== true && { signal: ownSignal }),
      };
      const answer = await send({ method: nameOf(asked), params: own, options: given });
      return typeof asked === "string" ? answer : readAnswer(asked, answer);
    };
    return {
      method,
      params,
      revision,
      mode,
      serverCapabilities: server.capabilities,
      signal,
      maxInputRequests: this.#maxInputRequests,
      onProgress,
      // One implementation of two overloads.
      request: request as ExtensionCall["request"],
      answer: async (question, { signal: ownSignal = signal } = {}) => {
        checkQuestion(method, question);
        return this.#services.answer(question, { signal: ownSignal, revision });
      },
      listen: (filters) => this.#listen(filters),
      taskSupport: () => this.#services.taskSupport(String(params.name), { signal }),
    };
  }

  /** Sends a call, and has the extension of its result's type make a complete result of the answer. */
  async #settle(
    call: ClientCall,
    next: SendCall,
    extensionCall: ExtensionCall,
    { negotiated }: Negotiated,
  ): Promise<JsonObject> {
    const { method } = call;
    let sent: JsonObject | undefined;
    const sending: SendCall = async (given) => {
      sent = await next(given);
      return sent;
    };
    const answer = await this.#around(call, sending, extensionCall);
    const owned = this.resultTypeOf(method, answer, negotiated);
    // The connection has checked the answer to a call, but not a result that the caller has kept.
    if (!owned && answer === sent && extensionCall.mode === "call") return answer;
    const settled = owned
      ? { ...(await owned.type.settle(await readResult(owned, method, answer), extensionCall)) }
      : answer;
    const fault = findRequest(negotiated.revision, "client", method)?.result(settled);
    const complaint = fault ? explain(fault, "result") : unfinished(settled);
    if (complaint === undefined) return settled;
    const by = owned ? `, settled by ${owned.extension.id}` : "";
    throw new SdkError("invalid-result", `${method}${by}: ${complaint}`);
  }

  /** Sends a call through the function that an extension puts around it. */
  #around(call: ClientCall, next: SendCall, extensionCall: ExtensionCall): Promise<JsonObject> {
    const { method, options } = call;
    const around = this.aroundOf(method);
    if (!around) return next(call);
    const { id: _used, ...again } = options;
    const send = (params?: JsonObject) => next(params === undefined ? call : { method, params, options: again });
    return (async () => around(extensionCall, send))();
  }

  async #listen(extensions: readonly ListenFilterValue[]): Promise<CallSubscription | undefined> {
    if (this.#listening >= MAX_LISTENING_CALLS) return undefined;
    this.#listening += 1;
    let subscription: Subscription | undefined;
    try {
      subscription = await this.#services.listen({ extensions });
    } finally {
      if (!subscription) this.#listening -= 1;
    }
    return this.#counted(subscription);
  }

  /** Counts a subscription until it is closed. */
  #counted(subscription: Subscription): CallSubscription {
    let isOpen = true;
    return {
      honored: subscription.honored,
      [Symbol.asyncIterator]: () => subscription[Symbol.asyncIterator](),
      close: () => {
        if (isOpen) this.#listening -= 1;
        isOpen = false;
        return subscription.close();
      },
    };
  }
}

/** Schemas of extensions do not know the params of questions. @throws {SdkError} `invalid-result` for a malformed question. */
function checkQuestion(method: string, question: InputRequest): void {
  const fault = inputRequestShape(question);
  if (fault) throw new SdkError("invalid-result", `${method}: ${explain(fault, "question")}; it was not answered`);
}

/** Checks a result of an extension's type. @throws {SdkError} `invalid-result` */
export async function readResult({ type }: OwnedResultType, method: string, answer: JsonObject): Promise<JsonObject> {
  const checked = await validatorOf(type.result)(ownFields(answer));
  if (!checked.ok) throw new SdkError("invalid-result", `${method}: ${describeIssues(checked.issues, "result")}`);
  // The schema of the result type has produced the value.
  return checked.value as JsonObject;
}

function unfinished({ resultType = "complete" }: JsonObject): string | undefined {
  return resultType === "complete"
    ? undefined
    : `result.resultType: expected "complete", got ${JSON.stringify(resultType)}`;
}

/** Adds to a server's refusal of a client without an extension how the client declares it. Returns other errors as they are. */
export function withExtensionAdvice(error: unknown): unknown {
  if (!(error instanceof ProtocolError) || error.code !== ErrorCode.missingClientCapability) return error;
  const { code, message, data } = error;
  const required = isJsonObject(data) && isJsonObject(data.requiredCapabilities) ? data.requiredCapabilities : {};
  if (!isJsonObject(required.extensions)) return error;
  const ids = Object.keys(required.extensions).join(", ");
  const example = 'as in extensions: [tasks] with import { tasks } from "parley-mcp/tasks"';
  return receivedError(code, `${message}; the client needs the extension ${ids} in its options, ${example}`, data);
}
