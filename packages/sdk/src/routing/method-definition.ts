/**
 * Methods and notifications of an author's own, as values that both sides import. Their schemas check and type the params
 * and results on both sides. The wire carries the input of a schema; the receiver gets its output.
 */
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { SdkError } from "../errors/sdk-error.js";
import type { CacheHint } from "../protocol/message-base.js";
import { isDefinable } from "../protocol/method-table.js";
import { excludesString, listedMembers } from "../schema/object-schema.js";
import type { Schema, SchemaInput, SchemaOutput } from "../schema/schema.js";
import { validatorOf } from "../schema/schema-validator.js";
import type { ExtensionResult } from "./result-type.js";

/** The schemas of a method's params and result. */
export interface MethodSchemas<Params extends Schema, Result extends Schema> {
  params: Params;
  result: Result;
}

/** The schemas of a method, and the traits that it shares with methods of the specification. */
export interface MethodConfig<Params extends Schema, Result extends Schema, Page extends string | undefined = undefined>
  extends MethodSchemas<Params, Result> {
  /**
   * Modern only: results carry `ttlMs` and `cacheScope`, and clients with a cache keep them. The handler may return its own hint.
   * `changedBy` names a notification that makes all kept results of the method stale.
   * @defaultValue not cacheable
   */
  cacheable?: true | { readonly changedBy: NotificationDefinition };
  /**
   * Modern only: the param that Streamable HTTP repeats in the `Mcp-Name` header. It is a string. Servers compare both, and refuse
   * requests without the header.
   * @defaultValue none
   */
  mirrors?: string;
  /**
   * The member of the result that holds one page of a list, for `client.listAll`. `cursor` and `nextCursor` name the next page.
   * @defaultValue none
   */
  page?: Page;
  /**
   * A text that identifies an item of a page. With it, `client.listAll` starts over once if the server refuses a cursor, and skips the
   * items that it has yielded. Without it, `client.listAll` rejects with the refusal.
   * @defaultValue none
   */
  pageKey?: (item: PageItem<SchemaOutput<Result>, Page>) => string;
}

/** The type of the items that the result of a method holds in its member `page`; unknown without a schema that types them. */
export type PageItem<Output, Page extends string | undefined> = Output extends {
  readonly [Member in Page & string]: readonly (infer Item)[];
}
  ? Item
  : unknown;

/** A request that both sides know. */
export interface MethodDefinition<
  Params extends Schema = Schema,
  Result extends Schema = Schema,
  Page extends string | undefined = string | undefined,
> {
  readonly kind: "request";
  readonly method: string;
  readonly params: Params;
  readonly result: Result;
  readonly isCacheable: boolean;
  /** The notification that makes kept results stale. */
  readonly changedBy: NotificationDefinition | undefined;
  readonly mirrors: string | undefined;
  readonly page: Page;
  /** Gets an item of the result. */
  readonly pageKey: ((item: never) => string) | undefined;
}

/** A notification that both sides know. */
export interface NotificationDefinition<Params extends Schema = Schema> {
  readonly kind: "notification";
  readonly method: string;
  readonly params: Params;
}

/** A result of a handler. A result of a cacheable method may carry its own cache hint. */
type HandlerResult<Result extends Schema> = SchemaInput<Result> | (SchemaInput<Result> & CacheHint) | ExtensionResult;

/** Handles a defined method. Gets the output of the params schema, and returns an input of the result schema. */
export type MethodHandler<Params extends Schema, Result extends Schema, Context> = (
  params: SchemaOutput<Params>,
  context: Context,
) => HandlerResult<Result> | Promise<HandlerResult<Result>>;

/** Handles a defined notification. */
export type DefinedNotificationHandler<Params extends Schema, Context = undefined> = (
  params: SchemaOutput<Params>,
  method: string,
  context: Context,
) => unknown;

const METHOD_OPTIONS: OptionTable<MethodConfig<Schema, Schema, string>> = {
  params: true,
  result: true,
  cacheable: true,
  mirrors: true,
  page: true,
  pageKey: true,
};

/**
 * Defines a method of your own, for `handle` on one side and `request` on the other.
 * @throws {SdkError} `invalid-argument` for a name that the specification uses, `unusable-schema` for an unusable schema.
 *
 * @example
 * const forecast = defineMethod("acme/forecast", {
 *   params: z.object({ city: z.string() }),
 *   result: z.object({ celsius: z.number() }),
 * });
 */
export function defineMethod<
  Params extends Schema,
  Result extends Schema,
  const Page extends string | undefined = undefined,
>(method: string, config: MethodConfig<Params, Result, Page>): MethodDefinition<Params, Result, Page> {
  const owner = `defineMethod("${method}")`;
  checkName(method, owner);
  checkOptions(owner, config, METHOD_OPTIONS);
  const { params, result, cacheable, mirrors, page, pageKey } = config;
  if (cacheable !== undefined && cacheable !== true) {
    checkOptions(`${owner}: cacheable`, cacheable, { changedBy: "object" });
  }
  if (method.startsWith("notifications/")) {
    throw new SdkError("invalid-argument", `${owner}: names under notifications/ are for notifications`);
  }
  // Compiled now, so that an unusable schema fails where it is defined.
  validatorOf(params);
  validatorOf(result);
  for (const [trait, member] of Object.entries({ mirrors, page })) {
    if (member === undefined || (typeof member === "string" && member !== "" && member !== "_meta")) continue;
    throw new SdkError("invalid-argument", `${owner}: ${trait}: expected the name of a member, got ${String(member)}`);
  }
  if (mirrors !== undefined && excludesString(params, mirrors)) {
    throw new SdkError(
      "invalid-argument",
      `${owner}: mirrors: params.${mirrors} must be a string, by the schema of the params`,
    );
  }
  if (pageKey !== undefined && (typeof pageKey !== "function" || page === undefined)) {
    throw new SdkError("invalid-argument", `${owner}: pageKey: expected a function, beside page`);
  }
  checkPage(owner, page, result);
  return Object.freeze({
    kind: "request",
    method,
    params,
    result,
    isCacheable: cacheable !== undefined,
    changedBy: cacheable === true ? undefined : cacheable?.changedBy,
    mirrors,
    // By the type of the option, undefined if it is absent.
    page: page as Page,
    pageKey,
  });
}

/**
 * Defines a notification of your own, for `onNotification` on one side and `notify` on the other.
 * @throws {SdkError} `invalid-argument` for a name that the specification uses, `unusable-schema` for an unusable schema.
 *
 * @example
 * const moved = defineNotification("notifications/acme/moved", { params: z.object({ to: z.string() }) });
 * server.onNotification(moved, ({ to }) => console.log(to));
 * await client.notify(moved, { to: "Rome" });
 */
export function defineNotification<Params extends Schema>(
  method: string,
  config: { params: Params },
): NotificationDefinition<Params> {
  const owner = `defineNotification("${method}")`;
  checkName(method, owner);
  checkOptions(owner, config, { params: true });
  const { params } = config;
  validatorOf(params);
  return Object.freeze({ kind: "notification", method, params });
}

/** The `method` of a method or notification on the wire. */
export function nameOf(method: string | MethodDefinition | NotificationDefinition): string {
  return typeof method === "string" ? method : method.method;
}

/** Refuses a page that the result lacks, where its JSON Schema lists all members. @throws {SdkError} `invalid-argument` */
function checkPage(owner: string, page: string | undefined, result: Schema): void {
  if (page === undefined) return;
  const members = listedMembers(result);
  if (members === undefined || members.includes(page)) return;
  const complaint = `the result has no member "${page}"; expected one of ${members.join(", ")}`;
  throw new SdkError("invalid-argument", `${owner}: page: ${complaint}`);
}

function checkName(method: string, owner: string): void {
  if (method === "" || method === "*" || method.startsWith("rpc.")) {
    throw new SdkError("invalid-argument", `${owner}: expected a name that is not "", "*" or under rpc.`);
  }
  if (!isDefinable(method)) {
    throw new SdkError("invalid-argument", `${owner}: the specification has a method of this name; choose another`);
  }
}
