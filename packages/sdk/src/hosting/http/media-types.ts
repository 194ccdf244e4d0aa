/** Media types and codings of `Content-Type`, `Content-Encoding` and `Accept` headers. Compared as a whole: `application/json-seq` is not JSON. */
import type { HttpHeaders } from "./http-host.js";

const JSON_TYPE = "application/json";
export const EVENT_STREAM_TYPE = "text/event-stream";

export const JSON_HEADERS: HttpHeaders = Object.freeze({ "content-type": JSON_TYPE });
/** These headers keep proxies from caching and from buffering an event stream. */
export const EVENT_STREAM_HEADERS: HttpHeaders = Object.freeze({
  "content-type": EVENT_STREAM_TYPE,
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
});

/** The `Accept` header that most clients send. A fast path compares with it before parsing. */
const USUAL_ACCEPT = `${JSON_TYPE}, ${EVENT_STREAM_TYPE}`;

/** Whether the type is JSON in UTF-8, the only encoding that JSON has. */
export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType === JSON_TYPE) return contentType !== undefined;
  const [essence, ...parameters] = parts(contentType);
  return essence === JSON_TYPE && parameters.every((parameter) => !/^charset=(?!"?utf-8"?$)/.test(parameter));
}

/** Whether a body has a content coding, such as gzip. */
export function isEncoded(contentEncoding: string | undefined): boolean {
  return contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== "identity";
}

/** Whether the sender of a POST accepts both forms of an answer: JSON and an event stream. */
export function acceptsAnswers(accept: string | undefined): boolean {
  return accept === USUAL_ACCEPT || (accepts(accept, JSON_TYPE) && accepts(accept, EVENT_STREAM_TYPE));
}

/** Whether the `Accept` header allows the type. A missing header allows every type. */
export function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined) return true;
  const ranges = accept.split(",").map(parts);
  const group = `${type.slice(0, type.indexOf("/"))}/*`;
  // The most specific range decides.
  for (const wanted of [type, group, "*/*"]) {
    const range = ranges.find(([essence]) => essence === wanted);
    if (range) return !range.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  }
  return false;
}

function parts(value: string): string[] {
  return value.split(";").map((part) => part.trim().toLowerCase());
}
