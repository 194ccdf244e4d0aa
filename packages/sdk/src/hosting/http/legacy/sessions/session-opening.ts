/** The response to the `initialize` that opens a session. The session exists once `initialize` succeeds. */
import type { Responder } from "../../../../dispatch/served-request.js";
import type { JsonRpcAnswer, JsonRpcNotification, JsonRpcRequest } from "../../../../wire/json-rpc.js";
import { messageText } from "../../../../wire/preserialized-json.js";
import { headersOf, refusedStatus } from "../../error-status.js";
import type { HttpResponse } from "../../http-host.js";
import { JSON_HEADERS } from "../../media-types.js";
import { closingRefusal } from "../refusals.js";
import { cannotAsk } from "../streams/event-stream.js";

export class SessionOpening implements Responder {
  readonly #response: HttpResponse;
  readonly #onOpened: () => Promise<Record<string, string>>;
  readonly #onFailed: () => void;

  /** `onOpened` returns the headers with the session id. Either `onOpened` or `onFailed` is called, once. */
  constructor(response: HttpResponse, onOpened: () => Promise<Record<string, string>>, onFailed: () => void) {
    this.#response = response;
    this.#onOpened = onOpened;
    this.#onFailed = onFailed;
  }

  expect(): void {
    // There is one request, so nothing is counted.
  }

  allReceived(): void {
    // `answer` ends the response.
  }

  /** Drops notifications and refuses requests: during the handshake, the client expects only the answer. */
  send(message: JsonRpcRequest | JsonRpcNotification): void {
    if ("id" in message) throw cannotAsk("the handshake is not over yet");
  }

  async answer(answer: JsonRpcAnswer): Promise<void> {
    const text = messageText(answer);
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
    this.close();
  }

  /** The client has disconnected, or the endpoint closes. */
  close(): void {
    const { status, headers, error } = closingRefusal();
    this.#response.send(status, { ...JSON_HEADERS, ...headers }, JSON.stringify({ jsonrpc: "2.0", error }));
    this.#onFailed();
  }
}
