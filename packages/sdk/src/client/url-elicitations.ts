/**
 * URL mode elicitation of legacy servers (2025-11-25): the pages that the user has open, and the step that retries a call after
 * the user has visited them. In the modern era, input-rounds.ts answers the questions of a call.
 */
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { pageUrlComplaint } from "../protocol/answer-rules.js";
import type { ElicitUrlParams } from "../protocol/elicitation.js";
import { elicitParamsShape } from "../protocol/elicitation.js";
import { ErrorCode } from "../protocol/error-codes.js";
import type { InputRequest } from "../protocol/input-required.js";
import { BoundedMap } from "../runtime/bounded-map.js";
import { createDeferred, type Deferred } from "../runtime/deferred.js";
import { type ErrorCallback, runGuarded } from "../runtime/error-callback.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { markHandled } from "../runtime/maybe-promise.js";
import type { CallStep, ClientCall, SendCall } from "./client-call.js";
import { answerQuestions, checkNumberOfRequests, mayAskForInput, type QuestionAnswerer } from "./input-rounds.js";
import { withRequestTimeout } from "./request-timeout.js";

/** A page of the error -32042 that the user must visit. */
export interface RequiredUrl extends ElicitUrlParams {
  elicitationId: string;
}

/**
 * The pages that the user must visit before the client repeats a refused call. Empty for any other error than -32042. Pages of
 * other schemes are left out.
 * @param schemes the allowed schemes, without their colon. Default `["https", "http"]`.
 *
 * @example
 * await client.callTool("files").catch((error: unknown) => {
 *   for (const { message, url } of requiredUrls(error)) console.log(message, url);
 * });
 */
export function requiredUrls(error: unknown, schemes?: readonly string[]): readonly RequiredUrl[] {
  if (!(error instanceof ProtocolError) || error.code !== ErrorCode.urlElicitationRequired) return [];
  const elicitations = isJsonObject(error.data) ? error.data.elicitations : undefined;
  return Array.isArray(elicitations) ? elicitations.filter((page) => isRequiredUrl(page, schemes)) : [];
}

function isRequiredUrl(value: unknown, schemes: readonly string[] | undefined): value is RequiredUrl {
  if (!isJsonObject(value) || value.mode !== "url" || typeof value.elicitationId !== "string") return false;
  // The shape is checked first, so the URL is text.
  return elicitParamsShape(value) === undefined && pageUrlComplaint(String(value.url), schemes) === undefined;
}

/** Pages that may be open at a time, and characters of their ids. Beyond these bounds the oldest is forgotten. */
const OPEN_BOUNDS = { maxEntries: 1_024, maxWeight: 1_048_576 };

export interface RequiredUrlOptions extends QuestionAnswerer {
  /** Time for the user to finish. Undefined: the call rejects at once. */
  readonly retryMs: number | undefined;
  /** Schemes of the pages to show. */
  readonly schemes: readonly string[] | undefined;
  /** Pages that one refusal may name. */
  readonly maxRequests: number;
}

export class UrlElicitations {
  /** Resolved when the user is done with the page. */
  readonly #open = new BoundedMap<string, Deferred<void>>(OPEN_BOUNDS);
  readonly #onComplete: ((elicitationId: string) => void) | undefined;
  readonly #report: ErrorCallback;

  constructor(onComplete: ((elicitationId: string) => void) | undefined, report: ErrorCallback) {
    this.#onComplete = onComplete;
    this.#report = report;
  }

  /** Records the page of a question, if the question asks the user to open one. */
  asked({ method, params }: InputRequest): void {
    if (method !== "elicitation/create" || params.mode !== "url") return;
    if (params.elicitationId !== undefined) void this.started(params.elicitationId);
  }

  /** Records that the user is asked to open a page. Resolves when the server reports that the user is done. */
  started(elicitationId: string): Promise<void> {
    const known = this.#open.get(elicitationId);
    if (known) return known.promise;
    const visit = createDeferred<void>();
    this.#open.set(elicitationId, visit, elicitationId.length);
    return markHandled(visit.promise);
  }

  /** Handles the server's report that the user is done. Ignores unknown ids and repeated reports. */
  completed({ elicitationId }: JsonObject): void {
    const id = String(elicitationId);
    const page = this.#open.get(id);
    if (!page) return;
    this.#open.delete(id);
    page.resolve();
    runGuarded(
      () => this.#onComplete?.(id),
      (cause) => this.#report(new SdkError("handler-failed", "onElicitationComplete failed", { cause })),
    );
  }

  /** Rejects all open pages: the connection has ended, so the server will report nothing more. */
  end(): void {
    const open = this.#open.values();
    this.#open.clear();
    for (const page of open) {
      page.reject(new SdkError("connection-closed", "The connection closed while a page was open"));
    }
  }
}

/**
 * The step that sends a refused call (-32042) once more, after the user has visited the pages that the refusal names. The
 * call rejects with the refusal if the user declines, or does not finish in time.
 */
export function visitRequiredUrls(urls: UrlElicitations, options: RequiredUrlOptions): CallStep {
  return (call, next) =>
    mayAskForInput(call.method)
      ? next(call).catch((refusal: unknown) => callAfterVisits(urls, options, call, next, refusal))
      : next(call);
}

async function callAfterVisits(
  urls: UrlElicitations,
  options: RequiredUrlOptions,
  call: ClientCall,
  next: SendCall,
  refusal: unknown,
): Promise<JsonObject> {
  const pages = requiredUrls(refusal, options.schemes);
  checkNumberOfRequests(call.method, pages.length, options.maxRequests);
  const completions = pages.map(({ elicitationId }) => urls.started(elicitationId));
  if (pages.length === 0 || options.retryMs === undefined) throw refusal;
  await visit(pages, completions, refusal, call, { ...options, retryMs: options.retryMs });
  return next(call);
}

async function visit(
  pages: readonly RequiredUrl[],
  completions: readonly Promise<void>[],
  refusal: unknown,
  call: ClientCall,
  { retryMs, ...answerer }: RequiredUrlOptions & { readonly retryMs: number },
): Promise<void> {
  const {
    method,
    options: { signal },
  } = call;
  const questions = pages.map((params) => ({ method: "elicitation/create", params }) as const);
  const answers = await answerQuestions(call, questions, answerer);
  if (answers.some(({ action }) => action !== "accept")) throw refusal;
  try {
    await withRequestTimeout(Promise.all(completions), method, { signal, timeoutMs: retryMs });
  } catch (error) {
    // A server need not report that the user is done. With the refusal as its error, the caller can call again.
    throw error instanceof SdkError && error.code === "request-timeout" ? refusal : error;
  }
}
