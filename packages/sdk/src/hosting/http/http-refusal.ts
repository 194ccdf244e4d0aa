/** A request that is turned away before anybody handles it: an HTTP status, and a JSON-RPC error for the body. */
import type { JsonRpcError } from "../../wire/json-rpc.js";
import type { Headers } from "./http-exchange.js";

export class HttpRefusal extends Error {
  readonly status: number;
  readonly error: JsonRpcError["error"] | undefined;
  readonly headers: Headers;

  constructor(status: number, error: JsonRpcError["error"] | undefined, headers: Headers = {}) {
    super(error?.message ?? `HTTP ${status}`);
    this.name = "HttpRefusal";
    this.status = status;
    this.error = error;
    this.headers = headers;
  }
}

const MAX_PATH_CHARS = 200;

/** Nothing serves the path. The answer has no body; the message is for the hook that hears of refusals. */
export function notServed(method: string, path: string): HttpRefusal {
  const refusal = new HttpRefusal(404, undefined);
  refusal.message = `HTTP 404: nothing serves ${method} ${JSON.stringify(path.slice(0, MAX_PATH_CHARS))}`;
  return refusal;
}
