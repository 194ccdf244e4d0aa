/** Public JSON documents, readable from any origin: metadata that clients need before they have a token. */
import type { HttpHeaders, HttpRequest, HttpResponse } from "./http-host.js";
import { HttpRefusal } from "./http-refusal.js";
import { JSON_HEADERS } from "./media-types.js";

const ALLOW = "GET, HEAD, OPTIONS";

const HEADERS: HttpHeaders = {
  ...JSON_HEADERS,
  "cache-control": "public, max-age=3600",
  "access-control-allow-origin": "*",
};

const PREFLIGHT_HEADERS: HttpHeaders = {
  allow: ALLOW,
  "access-control-allow-origin": "*",
  "access-control-allow-methods": ALLOW,
  "access-control-allow-headers": "*",
  "access-control-max-age": "7200",
};

/** Answers a request for one of the documents. Returns false for any other path. @throws {HttpRefusal} 405 */
export function serveDocument(
  documents: ReadonlyMap<string, string> | undefined,
  request: HttpRequest,
  response: HttpResponse,
): boolean {
  const text = documents?.get(request.path);
  if (text === undefined) return false;
  const { method } = request;
  // The host omits the body of a response to HEAD.
  if (method === "GET" || method === "HEAD") response.send(200, HEADERS, text);
  else if (method === "OPTIONS") response.send(204, PREFLIGHT_HEADERS);
  else throw HttpRefusal.methodNotAllowed(ALLOW);
  return true;
}
