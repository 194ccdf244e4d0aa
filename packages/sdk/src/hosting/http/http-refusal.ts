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
