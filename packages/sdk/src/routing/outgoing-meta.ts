/** Checks the `_meta` of what a caller or handler sends. */
import { SdkError } from "../errors/sdk-error.js";
import { isJsonObject } from "../protocol/json.js";
import { metaComplaint } from "../protocol/meta-keys.js";

/** Why a message must not be sent, if a key of its `_meta` is against the naming rules. */
export function metaRefusal(method: string, params: unknown): SdkError | undefined {
  const meta = isJsonObject(params) ? params._meta : undefined;
  const complaint = meta === undefined ? undefined : metaComplaint(meta);
  return complaint === undefined
    ? undefined
    : new SdkError("invalid-argument", `${method} was not sent: params.${complaint}`);
}
