/** Who sent a message over HTTP. Its headers are gathered only for those who look at them. */
import { type Caller, UNKNOWN_ADDRESS } from "../../transport/caller.js";
import type { Headers, HttpRequest } from "./http-exchange.js";

export class HttpCaller implements Caller {
  readonly principal: string | undefined;
  readonly details: unknown;
  messageBytes = 0;
  readonly #request: HttpRequest;
  readonly #address: string | undefined;

  constructor(request: HttpRequest, known: Caller | undefined) {
    this.#request = request;
    this.principal = known?.principal;
    this.details = known?.details;
    this.#address = known?.address;
  }

  get address(): string {
    return this.#address ?? this.#request.address ?? UNKNOWN_ADDRESS;
  }

  get headers(): Headers {
    return this.#request.headers();
  }
}
