/** JSON responses of the endpoints that clients call, and the CORS headers that clients in browsers need. */
import type { OAuthError } from "../grammar/oauth-error.js";

/** These endpoints use no cookies, so any origin may read the responses. */
const CORS: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "DPoP-Nonce, WWW-Authenticate, Retry-After",
};
const MAX_DESCRIPTION_CHARS = 512;

/** A JSON response that must not be cached, unless `headers` says otherwise. */
export function jsonResponse(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(body === undefined ? null : JSON.stringify(body), {
    status,
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      "cache-control": "no-store",
      pragma: "no-cache",
      "x-content-type-options": "nosniff",
      ...CORS,
      ...headers,
    },
  });
}

/** An error by RFC 6749, section 5.2. */
export function errorResponse(error: OAuthError, headers: Readonly<Record<string, string>> = {}): Response {
  const { code, description } = error;
  // The grammar of RFC 6749 excludes quotation marks, backslashes and non-ASCII characters.
  const text = description
    ?.replaceAll('"', "'")
    .replace(/[^\x20-\x7e]|\\/g, "?")
    .slice(0, MAX_DESCRIPTION_CHARS);
  return jsonResponse(
    statusOf(error),
    { error: code, ...(text !== undefined && { error_description: text }) },
    headers,
  );
}

export function statusOf({ status = 400 }: OAuthError): number {
  return status;
}

export function preflightResponse(methods: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...CORS,
      "access-control-allow-methods": methods,
      "access-control-allow-headers": "Authorization, Content-Type, DPoP, MCP-Protocol-Version",
      "access-control-max-age": "86400",
    },
  });
}
