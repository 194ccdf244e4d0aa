/** The response to the `initialize` that opens a session. There is no session until it has succeeded. */
import type { JsonRpcAnswer } from "../../../wire/json-rpc.js";
import { headersOf, refusedStatus } from "../error-status.js";
import type { HttpResponse } from "../http-exchange.js";
import { JSON_HEADERS } from "../media-types.js";
import { type Outgoing, unreachable } from "./event-stream.js";
import type { Exchange } from "./post-exchange.js";
import { shuttingDown } from "./refusals.js";

export class SessionOpening implements Exchange {
  readonly #response: HttpResponse;
  readonly #onOpened: () => Promise<Record<string, string>>;
  readonly #onFailed: () => void;

  /** `onOpened` returns the headers that tell the client about its session. Either of the two is called, once. */
  constructor(response: HttpResponse, onOpened: () => Promise<Record<string, string>>, onFailed: () => void) {
    this.#response = response;
    this.#onOpened = onOpened;
    this.#onFailed = onFailed;
  }

  /** Before the handshake is over the client expects nothing but its answer. */
  emit({ kind }: Outgoing): void {
    if (kind === "request") throw unreachable("the handshake is not over yet");
  }

  async answer({ text }: Outgoing, answer: JsonRpcAnswer): Promise<void> {
    if ("result" in answer) {
      const headers = await this.#onOpened();
      this.#response.send(200, { ...JSON_HEADERS, ...headers }, text);
    } else {
      this.#response.refused?.(answer);
      this.#response.send(refusedStatus(answer) ?? 200, headersOf(answer, undefined), text);
      this.#onFailed();
    }
  }

  skip(): void {
    this.abort();
  }

  /** The client has gone, or the endpoint closes. */
  abort(): void {
    const { status, error } = shuttingDown();
    this.#response.send(status, JSON_HEADERS, JSON.stringify({ jsonrpc: "2.0", error }));
    this.#onFailed();
  }
}
