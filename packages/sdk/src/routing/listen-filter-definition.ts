/**
 * Filters that an extension adds to `subscriptions/listen`, as values that both sides import. The server honors a filter with
 * `serveListenFilter`. The client names it in `listen`, and reads the changes that it selects.
 */
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import type { JsonObject } from "../runtime/json.js";
import type { Schema, SchemaInput, SchemaOutput } from "../schema/schema.js";
import { validateNow, validatorOf } from "../schema/schema-validator.js";
import { ownFields } from "./defined-message.js";
import type { NotificationDefinition } from "./method-definition.js";

/** The configuration of a listen filter. */
export interface ListenFilterConfig<Filter extends Schema, Params extends Schema> {
  /** Schema of the filter's value. Must validate synchronously. */
  filter: Filter;
  /** The notification that the filter selects. The schema of its params must validate synchronously. */
  notification: NotificationDefinition<Params>;
  /** The topic that a notification is about, such as an id. A client keeps the newest unread notification of each topic. */
  topicOf(params: SchemaOutput<Params>): string;
}

/** A filter and its value, made by the `of` of its definition. */
export interface ListenFilterValue {
  readonly filter: ListenFilterDefinition;
  readonly value: unknown;
}

/** A notification that an extension's listen filter selected. The `read` of the filter's definition types its params. */
export interface ExtensionChange {
  readonly kind: "extension";
  /** The name of the filter. */
  readonly filter: string;
  readonly topic: string;
  /** The params as the notification's schema yields them. */
  readonly params: unknown;
}

/** A listen filter that both sides know. */
export interface ListenFilterDefinition<Filter extends Schema = Schema, Params extends Schema = Schema> {
  /** The member of `notifications` in `subscriptions/listen`. */
  readonly name: string;
  readonly filter: Filter;
  readonly notification: NotificationDefinition<Params>;
  /** The filter with a value, for `client.listen({ extensions: […] })`. The server checks the value. */
  of(value: SchemaInput<Filter>): ListenFilterValue;
  /** The params of a change that this filter selected; undefined for any other change. */
  read(change: ExtensionChange | { readonly kind: string }): SchemaOutput<Params> | undefined;
  /** The part of this filter's value that the server honors; undefined if it does not honor the filter. */
  honoredIn(honored: { readonly extensions?: readonly ListenFilterValue[] }): SchemaOutput<Filter> | undefined;
  /** Parses the params of a received notification. @throws {SdkError} `invalid-message` @internal */
  toChange(params: JsonObject): ExtensionChange;
}

/** The members of `notifications` that the specification defines. */
const SPEC_FILTERS: ReadonlySet<string> = new Set([
  "toolsListChanged",
  "promptsListChanged",
  "resourcesListChanged",
  "resourceSubscriptions",
]);
const OPTIONS: OptionTable<ListenFilterConfig<Schema, Schema>> = {
  filter: true,
  notification: "object",
  topicOf: "function",
};
const FILTER_NAME = /^[A-Za-z][\w./-]*$/;

/**
 * Defines a filter of `subscriptions/listen`, for the `listenFilters` of an extension.
 * @throws {SdkError} `invalid-argument` for a name that the specification uses, `unusable-schema` for an unusable schema.
 *
 * @example
 * const jobChanged = defineNotification("notifications/acme/job", { params: z.object({ jobId: z.string() }) });
 * const jobIds = defineListenFilter("acmeJobIds", {
 *   filter: z.array(z.string()),
 *   notification: jobChanged,
 *   topicOf: ({ jobId }) => jobId,
 * });
 */
export function defineListenFilter<Filter extends Schema, Params extends Schema>(
  name: string,
  config: ListenFilterConfig<Filter, Params>,
): ListenFilterDefinition<Filter, Params> {
  const owner = `defineListenFilter("${name}")`;
  if (!FILTER_NAME.test(name)) {
    throw new SdkError("invalid-argument", `${owner}: expected a letter, then letters, digits, "_", ".", "/" or "-"`);
  }
  if (SPEC_FILTERS.has(name)) {
    throw new SdkError("invalid-argument", `${owner}: the specification has a filter of this name; choose another`);
  }
  checkOptions(owner, config, OPTIONS);
  const { filter, notification, topicOf } = config;
  validatorOf(filter);
  const definition: ListenFilterDefinition<Filter, Params> = Object.freeze({
    name,
    filter,
    notification,
    of: (value: SchemaInput<Filter>) => ({ filter: definition, value }),
    read: (change: ExtensionChange | { readonly kind: string }) =>
      // The notification's schema has produced the params.
      "filter" in change && change.filter === name ? (change.params as SchemaOutput<Params>) : undefined,
    honoredIn: ({ extensions = [] }: { readonly extensions?: readonly ListenFilterValue[] }) =>
      // `honoredValue` has parsed the value.
      extensions.find((part) => part.filter.name === name)?.value as SchemaOutput<Filter> | undefined,
    toChange(params: JsonObject): ExtensionChange {
      const { method, params: schema } = notification;
      const checked = validateNow(schema, ownFields(params), owner);
      if (!checked.ok) {
        throw new SdkError("invalid-message", `${method} was dropped: ${describeIssues(checked.issues, "params")}`);
      }
      // The schema's output has the type that the schema declares.
      const topic = topicOf(checked.value as SchemaOutput<Params>);
      return { kind: "extension", filter: name, topic, params: checked.value };
    },
  });
  return definition;
}

/** The value of a filter in a server's acknowledgment. @throws {SdkError} `invalid-result` */
export function honoredValue(definition: ListenFilterDefinition, value: unknown): ListenFilterValue {
  const { name, filter } = definition;
  const checked = validateNow(filter, value, `listen filter "${name}"`);
  if (checked.ok) return { filter: definition, value: checked.value };
  const complaint = describeIssues(checked.issues, `notifications.${name}`);
  throw new SdkError("invalid-result", `The server acknowledged a subscription with ${complaint}`);
}
