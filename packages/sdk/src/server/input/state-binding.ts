/** The request a sealed state belongs to, and its digest: equal for equal requests, whatever the order of their keys. */
import { SdkError } from "../../errors/sdk-error.js";
import type { JsonObject } from "../../protocol/json.js";
import { canonicalJson } from "../../runtime/canonical-json.js";
import { serializeJson } from "../../wire/json-text.js";

/** What a sealed state is bound to: presented with anything else it does not open. */
export interface StateBinding {
  /** Who sent the request; undefined where nobody is authenticated. */
  readonly principal: string | undefined;
  readonly method: string;
  /** The request's own params: without `_meta`, `inputResponses` and `requestState`. */
  readonly params: JsonObject;
}

/** @throws {SdkError} `invalid-argument` for params that JSON cannot express. */
export async function bindingDigest({ principal, method, params }: StateBinding): Promise<Uint8Array> {
  const text = serializeJson([principal ?? null, method]) + textOf(params);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/** A text, and no copy with sorted keys: objects whose keys all differ take longer to make than to write. */
function textOf(params: JsonObject): string {
  try {
    return canonicalJson(params);
  } catch (cause) {
    throw new SdkError("invalid-argument", "The params cannot be serialized as JSON", { cause });
  }
}
