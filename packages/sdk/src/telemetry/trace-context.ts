/** Trace context in `_meta`: written and read by whichever propagators the application has registered. */
import { type Context, propagation, type TextMapGetter } from "@opentelemetry/api";
import { MetaKey } from "../protocol/meta-keys.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";

/** What W3C Baggage asks implementations to carry; the other two are shorter. */
const MAX_VALUE_LENGTH = 8_192;

/** A peer may put anything under these names, so propagators get to see text of a sane length and nothing else. */
const metaGetter: TextMapGetter<JsonObject> = {
  keys: (meta) => Object.keys(meta),
  get(meta, key) {
    const value = Object.hasOwn(meta, key) ? meta[key] : undefined;
    return typeof value === "string" && value.length <= MAX_VALUE_LENGTH ? value : undefined;
  },
};

/** The given context with what `_meta` says on top: a remote parent, baggage. */
export function extractTraceContext({ _meta }: JsonObject, ambient: Context): Context {
  return isJsonObject(_meta) ? propagation.extract(ambient, _meta, metaGetter) : ambient;
}

/** The same params with the context in `_meta`, beside what else is there. */
export function injectTraceContext(params: JsonObject, active: Context): JsonObject {
  const carrier: Record<string, string> = {};
  propagation.inject(active, carrier);
  if (Object.keys(carrier).length === 0) return params;
  const meta: JsonObject = isJsonObject(params._meta) ? { ...params._meta } : {};
  // It belongs to the span that is replaced as the parent.
  if (MetaKey.traceparent in carrier) delete meta[MetaKey.tracestate];
  return { ...params, _meta: { ...meta, ...carrier } };
}
