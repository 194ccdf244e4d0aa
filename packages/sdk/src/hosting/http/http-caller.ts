/** Who sent a message over HTTP. Its headers are gathered only for those who look at them. */
import type { Caller } from "../../transport/caller.js";
import type { Headers, HttpRequest } from "./http-exchange.js";

export class HttpCaller implements Caller {
  readonly principal: string | undefined;
  readonly details: unknown;
  messageBytes = 0;
  readonly #request: HttpRequest;

  constructor(request: HttpRequest, known: Caller | undefined) {
    this.#request = request;
    this.principal = known?.principal;
    this.details = known?.details;
  }

  get headers(): Headers {
    return this.#request.headers();
  }
}
