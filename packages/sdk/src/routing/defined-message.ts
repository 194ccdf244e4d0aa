/** Checks of messages that this side sends by a definition: notifications and `_meta` before sending, answers on receipt. */
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import { metaComplaint } from "../protocol/meta-keys.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import type { Schema, SchemaOutput } from "../schema/schema.js";
import { validatorOf } from "../schema/schema-validator.js";
import type { MethodDefinition, NotificationDefinition } from "./method-definition.js";

/** Parses the answer to a defined method by its result schema. @throws {SdkError} `invalid-result` */
export async function readAnswer<Result extends Schema>(
  definition: MethodDefinition<Schema, Result>,
  answer: JsonObject,
): Promise<SchemaOutput<Result>> {
  const checked = await validatorOf(definition.result)(resultFields(definition, answer));
  if (!checked.ok) {
    throw new SdkError("invalid-result", `${definition.method}: ${describeIssues(checked.issues, "result")}`);
  }
  // A schema's output has the type that the schema declares.
  return checked.value as SchemaOutput<Result>;
}

/**
 * Checks the params of a defined notification and sends it. A peer cannot answer that params are wrong.
 * @throws {SdkError} `invalid-argument`
 */
export async function sendDefined(
  { method, params: schema }: NotificationDefinition,
  params: unknown,
  send: (method: string, params: JsonObject) => Promise<void>,
): Promise<void> {
  const outcome = validatorOf(schema)(params);
  // Awaits only asynchronous schemas, so that notifications are sent in the order of the calls.
  const checked = outcome instanceof Promise ? await outcome : outcome;
  if (!checked.ok || !isJsonObject(params)) {
    const complaint = checked.ok ? "params: expected an object" : describeIssues(checked.issues, "params");
    throw new SdkError("invalid-argument", `${method} was not sent: ${complaint}`);
  }
  await send(method, params);
}

/** A result without the members of the protocol. */
export function ownFields({ _meta, resultType, ...own }: JsonObject): JsonObject {
  return own;
}

/** The members of a result that the schema of its method describes: a cache hint is the protocol's. */
export function resultFields({ isCacheable }: MethodDefinition, result: JsonObject): JsonObject {
  const own = ownFields(result);
  if (!isCacheable) return own;
  const { ttlMs, cacheScope, ...described } = own;
  return described;
}

/** The error for a message whose `_meta` has a key against the naming rules; undefined if all are valid. */
export function metaRefusal(method: string, params: unknown): SdkError | undefined {
  const meta = isJsonObject(params) ? params._meta : undefined;
  const complaint = meta === undefined ? undefined : metaComplaint(meta);
  return complaint === undefined
    ? undefined
    : new SdkError("invalid-argument", `${method} was not sent: params.${complaint}`);
}
