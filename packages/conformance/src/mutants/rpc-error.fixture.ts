/** An error that a scripted server answers with. */
import type { JsonObject } from "../wire/json-rpc.js";

export class RpcError extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: JsonObject | undefined;

  constructor(code: number, message: string, status = 200, data?: JsonObject) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}
