/** The request a sealed state belongs to, and its digest: equal for equal requests, whatever the order of their keys. */
import { isJsonObject, type JsonObject } from "../../protocol/json.js";
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
  const text = serializeJson([principal ?? null, method, withSortedKeys(params)]);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

// Before serializing rather than in a replacer, which takes twice as long.
function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  // Assigning to "__proto__" would lose that key; fromEntries defines it.
  return Object.fromEntries(keys.map((key) => [key, withSortedKeys(value[key])]));
}
