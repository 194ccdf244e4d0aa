/** Reads and writes trace context in `_meta`, with the propagators that the application registered. */
import { type Context, propagation, type TextMapGetter } from "@opentelemetry/api";
import { MetaKey } from "../protocol/meta-keys.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";

/** Characters of one value. W3C Baggage requires 8,192; `traceparent` and `tracestate` are shorter. */
const MAX_VALUE_LENGTH = 8_192;

/** Ignores values that are not strings or are too long, since a peer chooses them. */
const metaGetter: TextMapGetter<JsonObject> = {
  keys: (meta) => Object.keys(meta),
  get(meta, key) {
    const value = Object.hasOwn(meta, key) ? meta[key] : undefined;
    return typeof value === "string" && value.length <= MAX_VALUE_LENGTH ? value : undefined;
  },
};

/** Adds the remote parent and the baggage in `_meta` to a context. */
export function extractTraceContext({ _meta }: JsonObject, ambient: Context): Context {
  return isJsonObject(_meta) ? propagation.extract(ambient, _meta, metaGetter) : ambient;
}

/** Adds the context to `_meta` of the params. */
export function injectTraceContext(params: JsonObject, active: Context): JsonObject {
  const carrier: Record<string, string> = {};
  propagation.inject(active, carrier);
  if (Object.keys(carrier).length === 0) return params;
  const meta: JsonObject = isJsonObject(params._meta) ? { ...params._meta } : {};
  // The earlier `tracestate` belongs to the earlier `traceparent`, which `carrier` replaces.
  if (MetaKey.traceparent in carrier) delete meta[MetaKey.tracestate];
  return { ...params, _meta: { ...meta, ...carrier } };
}
