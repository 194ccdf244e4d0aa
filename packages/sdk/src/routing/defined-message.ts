/** Messages that this side sends: notifications and `_meta` are checked, answers are read. */
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import { metaComplaint } from "../protocol/meta-keys.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import type { Schema, SchemaOutput } from "../schema/schema.js";
import { validatorOf } from "../schema/schema-validator.js";
import type { MethodDefinition, NotificationDefinition } from "./method-definition.js";

/** The answer to a defined method, as its schema yields it. @throws {SdkError} `invalid-result` */
export async function readAnswer<Result extends Schema>(
  { method, result }: MethodDefinition<Schema, Result>,
  answer: JsonObject,
): Promise<SchemaOutput<Result>> {
  const checked = await validatorOf(result)(ownFields(answer));
  if (!checked.ok) throw new SdkError("invalid-result", `${method}: ${describeIssues(checked.issues, "result")}`);
  // What the schema yields is what its type says.
  return checked.value as SchemaOutput<Result>;
}

/**
 * Sends a defined notification, if its params are right: nobody would ever answer that they are not.
 * @throws {SdkError} `invalid-argument`
 */
export async function sendDefined(
  { method, params: schema }: NotificationDefinition,
  params: unknown,
  send: (method: string, params: JsonObject) => Promise<void>,
): Promise<void> {
  const outcome = validatorOf(schema)(params);
  // Waits only if the schema does, so that notifications leave in the order they were sent.
  const checked = outcome instanceof Promise ? await outcome : outcome;
  if (!checked.ok || !isJsonObject(params)) {
    const complaint = checked.ok ? "params: expected an object" : describeIssues(checked.issues, "params");
    throw new SdkError("invalid-argument", `${method} was not sent: ${complaint}`);
  }
  await send(method, params);
}

/** A result without what belongs to the protocol. */
export function ownFields({ _meta, resultType, ...own }: JsonObject): JsonObject {
  return own;
}

/** Why a message must not be sent, if a key of its `_meta` is against the naming rules. */
export function metaRefusal(method: string, params: unknown): SdkError | undefined {
  const meta = isJsonObject(params) ? params._meta : undefined;
  const complaint = meta === undefined ? undefined : metaComplaint(meta);
  return complaint === undefined
    ? undefined
    : new SdkError("invalid-argument", `${method} was not sent: params.${complaint}`);
}
