/** The context of a server's request handlers: the request, its client, and questions to the client. */
import { insufficientScope, invalidParams } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import { warnDeprecated } from "../protocol/deprecations.js";
import type { ElicitUrlParams } from "../protocol/elicitation.js";
import type { Implementation } from "../protocol/implementation.js";
import type { InputResponses } from "../protocol/input-required.js";
import type { Root } from "../protocol/roots.js";
import type { CreateMessageParams, CreateMessageResult } from "../protocol/sampling.js";
import type { Extension } from "../routing/extension.js";
import { declaredSettings } from "../routing/extension-set.js";
import { type PeerExtension, peerExtension } from "../routing/peer-extension.js";
import { RequestContext } from "../routing/request-context.js";
import { isJsonObject } from "../runtime/json.js";
import { markHandled } from "../runtime/maybe-promise.js";
import { compileFormOnce, downgradeForm } from "../schema/form-schema.js";
import type { Schema, SchemaOutput } from "../schema/schema.js";
import type { AuthInfo } from "../transport/auth-info.js";
import { holdsScopes } from "../transport/caller.js";
import { type ClientFeature, clientCan, requireOfClient } from "./client-features.js";
import type { ContextLog } from "./context-log.js";
import { adaptSampling, page } from "./input/question-rules.js";
import {
  type FormAnswer,
  formQuestion,
  type Question,
  type QuestionOptions,
  rootsQuestion,
  samplingQuestion,
  type UrlAnswer,
  urlQuestion,
} from "./input/questions.js";
import { askForPages, pagesRequired } from "./input/required-pages.js";
import { checkScopes } from "./registration-checks.js";
import type { ServerRequest } from "./server-request.js";

/** A form for the user to fill in. */
export interface FormElicitation<Form extends Schema> {
  readonly message: string;
  /** Schema of a flat object. Each property is a primitive or a choice. */
  readonly schema: Form;
}

/** A page for the user to open, for data that must not pass through the client. */
export interface UrlElicitation {
  readonly message: string;
  /** The scheme must be one of the server's `elicitUrlSchemes`, or `http` for a loopback host. */
  readonly url: string;
  /** Legacy only: the id to pass to `server.announce.elicitationComplete`. @defaultValue a random UUID */
  readonly elicitationId?: string;
}

/** A page that the user has to open before the request can be served. */
export interface RequiredUrlElicitation extends UrlElicitation {
  /** Identifies the question across rounds. @defaultValue the URL */
  readonly key?: string | undefined;
}

/** The context of a handler: its request, its client, and questions to the client. */
export class ServerContext extends RequestContext {
  /** @internal */
  declare routed: ServerRequest;
  /** Turns the call into a task; undefined for a tool without the option `task`. @internal */
  beginTask: (() => Promise<void>) | undefined;

  /** Self-reported and optional. Use it for display and logs, not for decisions. */
  get clientInfo(): Implementation | undefined {
    return this.routed.envelope.clientInfo;
  }

  get clientCapabilities(): ClientCapabilities {
    return this.routed.envelope.clientCapabilities;
  }

  /**
   * Sends log messages to the client, from the level on that it asked for. Legacy clients send `logging/setLevel`, modern
   * ones name a level in each request.
   * @deprecated since 2026-07-28 (SEP-2577): log to stderr, or use OpenTelemetry. Earliest removal: 2027-07-28.
   */
  get log(): ContextLog {
    warnDeprecated("LOGGING");
    return this.routed.log;
  }

  /**
   * Closes the HTTP response stream while the handler continues. The client reconnects after the host's `retryMs` and resumes.
   * For long work over HTTP. Does nothing unless the client can resume: that needs 2025-11-25 and an event store.
   */
  closeStream(this: ServerContext): void {
    if (!this.routed.inbound.isSettled) this.caller?.closeStream?.();
  }

  /**
   * The answers to the questions of `inputRequired`, by key; undefined in the first round. Without a `requestState`, the
   * server cannot check that they belong to the previous round.
   */
  get inputResponses(): Readonly<InputResponses> | undefined {
    return this.routed.run?.inputResponses;
  }

  /** The `requestState` that the handler passed to `inputRequired` in the previous round. */
  get requestState(): string | undefined {
    return this.routed.run?.requestState;
  }

  /**
   * Asks the user to fill in a form, or to open a page. In the modern era the run ends here, and the handler runs again with
   * the answer. Wrap side effects before this line in `once`.
   * @throws {ProtocolError} -32021 (legacy: -32602) when the client does not support it.
   * @throws {SdkError} `invalid-argument` for a question that is neither a form nor a page.
   *
   * @example
   * const { action, content } = await context.elicit({ message: "Deploy?", schema: z.object({ ok: z.boolean() }) });
   */
  elicit<Form extends Schema>(
    this: ServerContext,
    question: FormElicitation<Form>,
    options?: QuestionOptions,
  ): Promise<FormAnswer<SchemaOutput<Form>>>;
  elicit(this: ServerContext, question: UrlElicitation, options?: QuestionOptions): Promise<UrlAnswer>;
  elicit(
    this: ServerContext,
    question: FormElicitation<Schema> | UrlElicitation,
    options: QuestionOptions = {},
  ): Promise<FormAnswer<unknown> | UrlAnswer> {
    try {
      requireQuestion(question);
      const { message } = question;
      if (!("schema" in question)) return this.#ask(urlQuestion(this.#urlParams(question), options));
      const form = compileFormOnce(question.schema);
      const requestedSchema = downgradeForm(form.requestedSchema, this.revision);
      return this.#ask(formQuestion({ mode: "form", message, requestedSchema }, form, options));
    } catch (error) {
      return markHandled(Promise.reject(error));
    }
  }

  /**
   * Ends the request because the user has to visit pages first, e.g. to sign in. The server answers legacy clients with
   * -32042, and asks modern clients to open the pages. When the client calls again, the handler runs from its start. It must
   * check first whether the user is done.
   * @throws {ProtocolError} -32021 (legacy: -32602) when the client does not support it.
   *
   * @example
   * await context.requireUrl({ message: "Connect your account", url: "https://example.com/connect" });
   */
  requireUrl(
    this: ServerContext,
    ...pages: readonly [RequiredUrlElicitation, ...RequiredUrlElicitation[]]
  ): Promise<never> {
    return markHandled(this.#requirePages(pages));
  }

  /**
   * Asks the client's model for a message.
   * @deprecated since 2026-07-28 (SEP-2577): call a model yourself. Earliest removal: 2027-07-28.
   * @throws {ProtocolError} -32021 (legacy: -32602) when the client does not support it.
   */
  sample(
    this: ServerContext,
    params: CreateMessageParams,
    options: QuestionOptions = {},
  ): Promise<CreateMessageResult> {
    try {
      return this.#ask(samplingQuestion(adaptSampling(params, this.revision), this.revision, options));
    } catch (error) {
      return markHandled(Promise.reject(error));
    }
  }

  /**
   * Asks for the directories and files that the client lets this server work on.
   * @deprecated since 2026-07-28 (SEP-2577): take them as arguments. Earliest removal: 2027-07-28.
   * @throws {ProtocolError} -32021 (legacy: -32602) when the client does not support it.
   */
  listRoots(this: ServerContext, options: QuestionOptions = {}): Promise<Root[]> {
    warnDeprecated("ROOTS");
    return this.#ask(rootsQuestion(options));
  }

  /**
   * Whether the client answers a question. It must have declared the capability, its revision must have it, and the connection
   * must carry it.
   * @throws {SdkError} `invalid-argument` for an unknown feature.
   *
   * @example
   * const isAskable = context.canAsk("elicitation.form");
   */
  canAsk(this: ServerContext, feature: ClientFeature): boolean {
    return clientCan(feature, this, this.routed.connection.restrictions);
  }

  /**
   * Runs a side effect once per request, however often the handler runs for it. Later runs return the first result. The
   * result travels through the client, encrypted, so it must be JSON.
   */
  once<Value>(this: ServerContext, key: string, run: () => Value | Promise<Value>): Promise<Value> {
    return this.routed.run?.once(key, run) ?? markHandled(Promise.reject(cannotAsk(this.method)));
  }

  /** The id of the task that the handler runs in; undefined in a call that its client waits for. */
  get taskId(): string | undefined {
    return this.routed.taskId;
  }

  /**
   * Turns the call into a task, for a tool with `task: { starts: "later" }`. The client gets the task as its answer, and the
   * handler goes on. `signal` is that of the task from here on. Does nothing if the client waits for the result, or the handler
   * runs in a task already.
   * @throws {SdkError} `invalid-argument` for a tool without the option `task`, or while a question waits for its answer.
   */
  startTask(this: ServerContext): Promise<void> {
    return this.beginTask?.() ?? markHandled(Promise.reject(noTask(this.method)));
  }

  #ask<Answer>(question: Question<Answer>): Promise<Answer> {
    const request = this.routed;
    if (!request.run) return markHandled(Promise.reject(cannotAsk(this.method)));
    try {
      request.requireAskable(question.request);
      requireWanted(question);
    } catch (error) {
      return markHandled(Promise.reject(error));
    }
    return request.run.ask(question);
  }

  async #requirePages(given: readonly RequiredUrlElicitation[]): Promise<never> {
    // Keyed by URL by default: different pages in different rounds are different questions.
    const pages = given.map((page) => ({ params: this.#urlParams(page), key: page.key ?? page.url }));
    if (this.era === "modern") return askForPages(pages, (question) => this.#ask(question));
    this.requireCapabilities({ elicitation: { url: {} } });
    for (const { params } of pages) this.routed.connection.watch.elicitations.start(String(params.elicitationId));
    throw pagesRequired(pages);
  }

  #urlParams({ message, url, elicitationId }: UrlElicitation): ElicitUrlParams {
    return page({ mode: "url", message, url, elicitationId }, this.revision, this.routed.connection.pageSchemes);
  }

  /**
   * Ends the request unless its client declared these capabilities, e.g. `{ sampling: {} }`.
   * @throws {ProtocolError} -32021 with `requiredCapabilities` in the modern era, -32602 in the legacy one. -32603 for a
   * legacy connection that cannot carry questions.
   */
  requireCapabilities(this: ServerContext, required: ClientCapabilities): void {
    requireOfClient(required, this, this.routed.connection.restrictions);
  }

  /** The claims of the caller's access token; undefined for a request without one. */
  get auth(): AuthInfo | undefined {
    return this.caller?.auth;
  }

  /**
   * Ends the request unless its access token has these scopes. For scopes that depend on arguments. Over HTTP the answer is a
   * 403 with a challenge that names the scopes, unless the response has already begun. Over stdio scopes are not checked.
   * @throws {ProtocolError} 403 with `data.scopes`.
   * @throws {SdkError} `invalid-argument` for a text that is not a scope.
   *
   * @example
   * context.requireScopes("project:7");
   */
  requireScopes(this: ServerContext, ...scopes: readonly string[]): void {
    const needed = checkScopes("requireScopes", scopes);
    if (!holdsScopes(this.caller, needed)) throw insufficientScope(needed);
  }

  /**
   * An extension as the client of this request declared it: its settings, and a reader for its `_meta` keys. Undefined if the
   * client did not declare it. @throws {ProtocolError} -32602 for settings that do not match the extension's schema.
   *
   * @example
   * const weather = defineExtension("com.example/weather", { clientSettings: z.object({ units: z.string() }) });
   * const units = context.extension(weather)?.settings.units ?? "C";
   */
  extension<Settings extends Schema>(
    this: ServerContext,
    extension: Extension<Settings>,
  ): PeerExtension<SchemaOutput<Settings>> | undefined {
    const settings = declaredSettings(extension, this.era, this.clientCapabilities);
    if (!settings) return undefined;
    return peerExtension(extension, extension.clientSettings, settings, (where, complaint) =>
      invalidParams(where === "_meta" ? `params.${complaint}` : complaint),
    );
  }
}

const OPTION_NAMES: readonly (keyof QuestionOptions)[] = ["key", "timeoutMs", "signal", "task"];

/** @throws {SdkError} `invalid-argument` for a question that is neither a form nor a page. */
function requireQuestion(question: unknown): void {
  const misplaced = isJsonObject(question) && OPTION_NAMES.find((name) => Object.hasOwn(question, name));
  if (misplaced) {
    const complaint = `elicit: "${misplaced}" is an option; write elicit({ message, schema }, { ${misplaced} })`;
    throw new SdkError("invalid-argument", complaint);
  }
  if (isJsonObject(question) && (question.schema ?? question.url) !== undefined) return;
  const complaint = "elicit: expected a form or a page; write elicit({ message, schema }) or elicit({ message, url })";
  throw new SdkError("invalid-argument", complaint);
}

/** @throws {SdkError} `request-aborted` for a question whose signal has aborted. */
function requireWanted({ request, requestOptions }: Question<unknown>): void {
  if (requestOptions?.signal?.aborted !== true) return;
  const message = `${request.method} was aborted by its caller`;
  throw new SdkError("request-aborted", message, { cause: requestOptions.signal.reason });
}

function noTask(method: string): SdkError {
  return new SdkError("invalid-argument", `startTask: ${method} cannot become a task; give the tool the option "task"`);
}

function cannotAsk(method: string): SdkError {
  return new SdkError(
    "method-not-in-revision",
    `${method} cannot ask its client: only tools, prompts and resource reads can`,
  );
}
