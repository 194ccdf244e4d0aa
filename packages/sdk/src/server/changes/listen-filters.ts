/**
 * The listen filters of extensions that a server serves. listen-streams.ts runs them on a stream: `honor` before the
 * acknowledgment, `notify` for each change of a topic.
 */
import { invalidParams } from "../../errors/protocol-error.js";
import { SdkError } from "../../errors/sdk-error.js";
import { describeIssues } from "../../json-schema/index.js";
import { sendDefined } from "../../routing/defined-message.js";
import type { ListenFilterDefinition } from "../../routing/listen-filter-definition.js";
import type { ErrorCallback } from "../../runtime/error-callback.js";
import type { JsonObject } from "../../runtime/json.js";
import type { Schema, SchemaInput, SchemaOutput } from "../../schema/schema.js";
import { validatorOf } from "../../schema/schema-validator.js";
import { requireExtension, type ServerExtensions } from "../extensions.js";
import type { ServerContext } from "../server-context.js";
import { TopicNotifications } from "./topic-notifications.js";

/** How a server serves a listen filter of an extension. */
export interface ListenFilterHandlers<Filter extends Schema, Params extends Schema> {
  /**
   * Returns the part of the filter's value that the server honors. The acknowledgment carries it. `undefined` and an empty
   * array: the server does not honor the filter.
   */
  honor(
    value: SchemaOutput<Filter>,
    context: ServerContext,
  ): SchemaInput<Filter> | undefined | Promise<SchemaInput<Filter> | undefined>;
  /** The topics of the honored part. `server.announce.changed` names them. */
  topics(honored: SchemaInput<Filter>): readonly string[];
  /** The params of the notification after a change of a topic, for one stream. `undefined`: the server sends none. */
  params(
    topic: string,
    context: ServerContext,
  ): SchemaInput<Params> | undefined | Promise<SchemaInput<Params> | undefined>;
}

/** The honored part of one filter on one stream. */
export interface HonoredFilter {
  readonly name: string;
  readonly value: unknown;
  readonly topics: readonly string[];
  readonly notifications: TopicNotifications;
}

/** A filter that a request names and the server serves. */
export interface RequestedFilter {
  /**
   * Undefined if the server does not honor the filter.
   * @throws {ProtocolError} -32602 for a value that does not match the filter's schema.
   * @throws {SdkError} `invalid-result` for an honored part that does not match it or is no JSON, and for topics that are no strings.
   */
  honor(meta: JsonObject): Promise<HonoredFilter | undefined>;
}

type AnyHandlers = ListenFilterHandlers<Schema, Schema>;

export class ListenFilters {
  readonly #extensions: ServerExtensions;
  readonly #report: ErrorCallback;
  readonly #handlers = new Map<string, AnyHandlers>();

  constructor(extensions: ServerExtensions, report: ErrorCallback) {
    this.#extensions = extensions;
    this.#report = report;
  }

  /** Sets or replaces the handlers of a filter. @throws {SdkError} `invalid-argument` for a filter of no extension. */
  serve(definition: ListenFilterDefinition, handlers: AnyHandlers): void {
    const { name } = definition;
    if (this.#extensions.listenFilter(name)?.definition !== definition) {
      const complaint =
        "no extension of this server has the filter; add its extension first, with extend or extensions";
      throw new SdkError("invalid-argument", `serveListenFilter("${name}"): ${complaint}`);
    }
    this.#handlers.set(name, handlers);
  }

  /**
   * The filters that a `subscriptions/listen` request names and the server serves.
   * @throws {ProtocolError} -32021 for a filter of an extension that the client did not declare.
   */
  requested(notifications: JsonObject, context: ServerContext): readonly RequestedFilter[] {
    const requested: RequestedFilter[] = [];
    for (const { extension, definition } of this.#extensions.listenFilters()) {
      const { name } = definition;
      if (!Object.hasOwn(notifications, name)) continue;
      requireExtension(extension, context, `subscriptions/listen with ${name}`);
      const handlers = this.#handlers.get(name);
      if (!handlers) continue;
      requested.push({ honor: (meta) => this.#honor(definition, handlers, notifications[name], context, meta) });
    }
    return requested;
  }

  async #honor(
    definition: ListenFilterDefinition,
    handlers: AnyHandlers,
    given: unknown,
    context: ServerContext,
    meta: JsonObject,
  ): Promise<HonoredFilter | undefined> {
    const { name, filter } = definition;
    const validate = validatorOf(filter);
    const checked = await validate(given);
    if (!checked.ok) throw invalidParams(describeIssues(checked.issues, `params.notifications.${name}`));
    // A schema's output has the type that the schema declares.
    const value: unknown = await handlers.honor(checked.value as JsonObject, context);
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
    const outcome = await validate(value);
    if (!outcome.ok) {
      const complaint = describeIssues(outcome.issues, "value");
      throw new SdkError("invalid-result", `honor of the listen filter ${name} returned: ${complaint}`);
    }
    const honored = jsonCopy(value, name);
    const topics = topicsOf(handlers.topics(value), name);
    return { name, value: honored, topics, notifications: this.#notifications(definition, handlers, context, meta) };
  }

  #notifications(
    { name, notification }: ListenFilterDefinition,
    handlers: AnyHandlers,
    context: ServerContext,
    meta: JsonObject,
  ): TopicNotifications {
    const send = async (topic: string): Promise<void> => {
      const params: unknown = await handlers.params(topic, context);
      if (params === undefined || context.signal.aborted) return;
      await sendDefined(notification, params, (method, { _meta, ...own }) =>
        context.notify(method, { ...own, _meta: { ...(_meta as JsonObject | undefined), ...meta } }),
      );
    };
    return new TopicNotifications(send, (topic, cause) => {
      const message = `The listen filter ${name} sent no notification for ${JSON.stringify(topic)}`;
      this.#report(new SdkError("handler-failed", message, { cause }));
    });
  }
}

/** The honored value as the acknowledgment carries it. Copied here, since a failure to send the acknowledgment has no answer. */
function jsonCopy(value: unknown, name: string): unknown {
  const complaint = `honor of the listen filter ${name} returned a value that is no JSON`;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new SdkError("invalid-result", complaint, { cause });
  }
  if (text === undefined) throw new SdkError("invalid-result", `${complaint}: ${typeof value}`);
  return JSON.parse(text);
}

/** The topics without repetitions. */
function topicsOf(returned: unknown, name: string): readonly string[] {
  if (Array.isArray(returned) && returned.every((topic) => typeof topic === "string")) return [...new Set(returned)];
  const owner = `topics of the listen filter ${name}`;
  throw new SdkError("invalid-result", `${owner} must return an array of strings, got ${describeTopics(returned)}`);
}

function describeTopics(returned: unknown): string {
  if (!Array.isArray(returned)) return returned === null ? "null" : typeof returned;
  return `an array with ${typeof returned.find((topic) => typeof topic !== "string")}`;
}
