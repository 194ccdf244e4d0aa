/** Refusal of an HTTP request before a handler runs: a status, headers, and a JSON-RPC error as the body. */
import { ErrorCode } from "../../protocol/error-codes.js";
import type { JsonRpcError } from "../../wire/json-rpc.js";
import type { HttpHeaders } from "./http-host.js";

/** The body and the headers of an `HttpRefusal`. */
export interface HttpRefusalOptions {
  /** Message of the JSON-RPC error in the body. @defaultValue the response has no body */
  readonly message?: string | undefined;
  /** Code of the JSON-RPC error. @defaultValue -32600, "Invalid Request" */
  readonly code?: number | undefined;
  /** Data of the JSON-RPC error. @defaultValue none */
  readonly data?: unknown;
  /** Headers of the response, names in lower case. @defaultValue none */
  readonly headers?: HttpHeaders | undefined;
  /** The error that led to the refusal. Only `onRefusal` receives it. @defaultValue none */
  readonly cause?: unknown;
}

const MAX_PATH_CHARS = 200;

/**
 * The response that refuses an HTTP request. Throw it from `authenticate`.
 *
 * @example
 * const refusal = new HttpRefusal(429, { message: "Too many logins", headers: { "retry-after": "60" } });
 */
export class HttpRefusal extends Error {
  readonly status: number;
  /** The JSON-RPC error of the body; undefined for a response without a body. */
  readonly error: JsonRpcError["error"] | undefined;
  readonly headers: HttpHeaders;

  constructor(status: number, options: HttpRefusalOptions = {}) {
    const { message, code = ErrorCode.invalidRequest, data, headers = {}, cause } = options;
    super(message ?? `HTTP ${status}`, cause === undefined ? undefined : { cause });
    this.name = "HttpRefusal";
    this.status = status;
    this.error = message === undefined ? undefined : { code, message, ...(data !== undefined && { data }) };
    this.headers = headers;
  }

  /** 400 */
  static badRequest(message: string): HttpRefusal {
    return new HttpRefusal(400, { message });
  }

  /** 401 with a `WWW-Authenticate` header. */
  static unauthorized(challenge = "Bearer"): HttpRefusal {
    return new HttpRefusal(401, { headers: { "www-authenticate": challenge } });
  }

  /** 403 */
  static forbidden(message: string): HttpRefusal {
    return new HttpRefusal(403, { message });
  }

  /** 404 without a body. Only `onRefusal` receives the method and the path. */
  static notFound(method: string, path: string): HttpRefusal {
    const refusal = new HttpRefusal(404);
    refusal.message = `HTTP 404: nothing serves ${method} ${JSON.stringify(path.slice(0, MAX_PATH_CHARS))}`;
    return refusal;
  }

  /** 405 with an `Allow` header. */
  static methodNotAllowed(allow: string, message?: string): HttpRefusal {
    return new HttpRefusal(405, { message, headers: { allow } });
  }

  /** 413. The connection closes, since the rest of the body is not read. */
  static tooLarge(maxBytes: number): HttpRefusal {
    const message = `The body must have at most ${maxBytes} bytes`;
    return new HttpRefusal(413, { message, headers: { connection: "close" } });
  }
}
