/** Answers a server's questions (elicitation, sampling, roots) with the client's handlers, or with an error without a handler. */
import type { ClientIdentity } from "../era/era-codec.js";
import { invalidParams, invalidRequest, methodNotFound } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import {
  missingCapabilities,
  pageUrlComplaint,
  requiredCapabilities,
  rootsComplaint,
  samplingAnswerComplaint,
  samplingRequestComplaint,
} from "../protocol/answer-rules.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import { warnDeprecated } from "../protocol/deprecations.js";
import type {
  ElicitFormParams,
  ElicitParams,
  ElicitResult,
  ElicitSchema,
  ElicitUrlParams,
} from "../protocol/elicitation.js";
import { elicitResultShape } from "../protocol/elicitation.js";
import type { InputRequest } from "../protocol/input-required.js";
import type { Result } from "../protocol/message-base.js";
import { metaComplaint } from "../protocol/meta-keys.js";
import { LATEST_MODERN_REVISION, type Revision } from "../protocol/revisions.js";
import type { ListRootsParams, ListRootsResult, Root } from "../protocol/roots.js";
import { listRootsResultShape } from "../protocol/roots.js";
import type { CreateMessageParams, CreateMessageResult } from "../protocol/sampling.js";
import { createMessageResultShape } from "../protocol/sampling.js";
import { explain, type Shape } from "../protocol/shape.js";
import type { RateLimits } from "../routing/rate-limits.js";
import type { JsonObject } from "../runtime/json.js";
import { applyDefaults, checkOf } from "../schema/form-schema.js";

/** The context of a handler. */
export interface InputContext {
  /** Aborts when the answer is no longer needed: the call or the client has ended, or another question of the call failed. */
  readonly signal: AbortSignal;
  /** The revision of the connection. Some answers depend on it: sampling allows lists of content since 2025-11-25. */
  readonly revision: Revision;
}

type Handler<Params, Answer> = (params: Params, context: InputContext) => Answer | Promise<Answer>;

/** The handlers of a client. Each declares its capability. */
export interface InputHandlers {
  /**
   * Shows the user a form. Missing fields of an accepted form get the defaults of its schema.
   * @defaultValue none: the client declares no forms
   */
  elicit?: Handler<ElicitFormParams, ElicitResult> | undefined;
  /** Asks the user to open a page. Never open it without their consent. @defaultValue none: the client declares no pages */
  elicitUrl?: Handler<ElicitUrlParams, Pick<ElicitResult, "action">> | undefined;
  /**
   * Schemes of the pages that `elicitUrl` gets, without their colon. The client refuses a page of another scheme, such as
   * `javascript`, with -32602.
   * @defaultValue ["https", "http"]
   */
  elicitUrlSchemes?: readonly string[] | undefined;
  /**
   * Asks a model on the server's behalf.
   * @defaultValue none: the client declares no sampling
   * @deprecated since 2026-07-28 (SEP-2577): servers call models themselves. Earliest removal: 2027-07-28.
   */
  sample?: Handler<CreateMessageParams, CreateMessageResult> | undefined;
  /**
   * Lists the directories and files that the server may work on.
   * @defaultValue none: the client declares no roots
   * @deprecated since 2026-07-28 (SEP-2577): servers take them as arguments. Earliest removal: 2027-07-28.
   */
  listRoots?: Handler<ListRootsParams, Root[]> | undefined;
}

/** The capabilities that the handlers imply. Declared ones replace them. */
export function declareCapabilities(handlers: InputHandlers, declared: ClientCapabilities): ClientCapabilities {
  const { elicit, elicitUrl, sample, listRoots } = handlers;
  const implied: ClientCapabilities = {};
  if (elicit || elicitUrl) implied.elicitation = { ...(elicit && { form: {} }), ...(elicitUrl && { url: {} }) };
  if (sample) implied.sampling = {};
  if (listRoots) implied.roots = {};
  const capabilities = { ...implied, ...declared };
  if (capabilities.sampling) warnDeprecated("SAMPLING");
  if (capabilities.roots) warnDeprecated("ROOTS");
  return capabilities;
}

export interface InputResponderOptions {
  readonly handlers: InputHandlers;
  /** The client's own capabilities. */
  readonly identity: Pick<ClientIdentity, "capabilities">;
  readonly rates: RateLimits;
  /** Called with each question before its handler. */
  onAsked(request: InputRequest): void;
}

/** Answers the questions of a server with the client's handlers. */
export class InputResponder {
  readonly #options: InputResponderOptions;
  #listRoots: InputHandlers["listRoots"];

  constructor(options: InputResponderOptions) {
    this.#options = options;
    this.#listRoots = options.handlers.listRoots;
  }

  /** Replaces the `listRoots` handler by one that returns these roots. */
  setRoots(roots: Root[]): void {
    this.#listRoots = () => roots;
  }

  /** Whether the client declared the capabilities that a question needs. */
  declares(request: InputRequest): boolean {
    return missingCapabilities(requiredCapabilities(request), this.#options.identity.capabilities) === undefined;
  }

  /**
   * @throws {ProtocolError} 429 above the client's rate limits; see `answerInput`.
   * @throws {SdkError} see `answerInput`.
   */
  async answer(request: InputRequest, { signal, revision }: InputContext): Promise<JsonObject> {
    const { handlers, identity, rates, onAsked } = this.#options;
    // A client has no rate store, so there is nothing to await.
    void rates.count(request.method, undefined, this);
    onAsked(request);
    return answerInput({ ...handlers, listRoots: this.#listRoots }, identity.capabilities, request, {
      signal,
      revision,
    });
  }
}

/**
 * Answers one question of a server.
 * @throws {ProtocolError} if this client did not declare the capability, or the question is invalid.
 * @throws {SdkError} `invalid-argument` if a handler returned an invalid answer.
 */
export async function answerInput(
  handlers: InputHandlers,
  declared: ClientCapabilities,
  request: InputRequest,
  context: InputContext,
): Promise<JsonObject> {
  if (missingCapabilities(requiredCapabilities(request), declared)) throw undeclared(request);
  const answer = await answerOf(handlers, request, context);
  const complaint = metaComplaint(answer._meta);
  if (complaint === undefined) return { ...answer };
  throw new SdkError("invalid-argument", `The client answered ${request.method} with answer.${complaint}`);
}

function answerOf(handlers: InputHandlers, request: InputRequest, context: InputContext): Promise<Result> {
  switch (request.method) {
    case "elicitation/create":
      return answerElicitation(handlers, request.params, context);
    case "sampling/createMessage":
      return answerSampling(handlers, request.params, context);
    default:
      return answerRoots(handlers, request.params ?? {}, context);
  }
}

async function answerElicitation(
  handlers: InputHandlers,
  params: ElicitParams,
  context: InputContext,
): Promise<ElicitResult> {
  if (params.mode === "url") {
    if (!handlers.elicitUrl) throw undeclared({ method: "elicitation/create", params });
    const complaint = pageUrlComplaint(params.url, handlers.elicitUrlSchemes);
    if (complaint !== undefined) throw invalidParams(`params.url: ${complaint}`);
    const { action } = await handlers.elicitUrl(params, context);
    return checked("elicitUrl", elicitResultShape, { action });
  }
  if (!handlers.elicit) throw undeclared({ method: "elicitation/create", params });
  const check = formCheck(params.requestedSchema);
  const answer = checked("elicit", elicitResultShape, await handlers.elicit(params, context));
  const { content: typed = {}, ...rest } = answer;
  // The server does not get values that the user typed before declining.
  if (answer.action !== "accept") return rest;
  const content = applyDefaults(params.requestedSchema, typed);
  const entered = check(content);
  if (!entered.ok) throw unfit("elicit", describeIssues(entered.issues, "content"));
  // Checked against the form just above.
  return { ...rest, content: content as NonNullable<ElicitResult["content"]> };
}

/** Compiles the schema before the user sees the form. @throws {ProtocolError} -32602 for a schema that cannot be checked. */
function formCheck(requestedSchema: ElicitSchema): ReturnType<typeof checkOf> {
  try {
    return checkOf(requestedSchema);
  } catch (error) {
    // `checkOf` throws nothing else.
    throw invalidParams(`params.requestedSchema: ${(error as SdkError).message}`);
  }
}

async function answerSampling(
  { sample }: InputHandlers,
  params: CreateMessageParams,
  context: InputContext,
): Promise<CreateMessageResult> {
  if (!sample) throw undeclared({ method: "sampling/createMessage", params });
  // Checked by the latest revision, so that an older connection may carry newer content, but no invalid conversation.
  const complaint = samplingRequestComplaint(params, LATEST_MODERN_REVISION);
  if (complaint !== undefined) throw invalidParams(`params.${complaint}`);
  return checked("sample", createMessageResultShape, await sample(params, context), (answer) =>
    samplingAnswerComplaint(params, answer, context.revision),
  );
}

async function answerRoots(
  { listRoots }: InputHandlers,
  params: ListRootsParams,
  context: InputContext,
): Promise<ListRootsResult> {
  if (!listRoots) throw undeclared({ method: "roots/list" });
  return checked("listRoots", listRootsResultShape, { roots: await listRoots(params, context) }, rootsComplaint);
}

/** Checks the answer of a handler. The error names the handler, so that its author finds the mistake. */
function checked<Answer>(
  handler: keyof InputHandlers,
  shape: Shape,
  answer: Answer,
  complaintAbout: (answer: Answer) => string | undefined = () => undefined,
): Answer {
  const fault = shape(answer);
  const complaint = fault ? explain(fault, "answer") : complaintAbout(answer);
  if (complaint !== undefined) throw unfit(handler, complaint);
  return answer;
}

function unfit(handler: keyof InputHandlers, complaint: string): SdkError {
  return new SdkError("invalid-argument", `The client's ${handler} handler gave no valid answer: ${complaint}`);
}

/** The error that the specification prescribes for a question that the client does not support. */
function undeclared(request: InputRequest): Error {
  if (request.method === "roots/list") return methodNotFound(request.method);
  if (request.method === "elicitation/create") {
    return invalidParams(`This client does not support elicitation in ${request.params.mode ?? "form"} mode`);
  }
  const { tools, toolChoice } = request.params;
  if (tools || toolChoice) return invalidParams("This client does not support tools in sampling");
  return invalidRequest("This client does not support sampling");
}
