/** The response to the `initialize` that opens a session. The session exists once `initialize` succeeds. */
import type { Responder } from "../../../../dispatch/served-request.js";
import type { ErrorCallback } from "../../../../runtime/error-callback.js";
import type { JsonRpcAnswer, JsonRpcNotification, JsonRpcRequest } from "../../../../wire/json-rpc.js";
import { messageText } from "../../../../wire/preserialized-json.js";
import { sendErrorAnswer, sendRefusal } from "../../error-status.js";
import type { HttpBody, HttpResponse } from "../../http-host.js";
import type { HttpRefusal } from "../../http-refusal.js";
import { JSON_HEADERS } from "../../media-types.js";
import { closingRefusal } from "../refusals.js";
import { cannotAsk } from "../streams/event-stream.js";

export class SessionOpening implements Responder {
  readonly #response: HttpResponse;
  readonly #report: ErrorCallback;
  readonly #onOpened: () => Promise<Record<string, string>>;
  readonly #onFailed: () => void;

  /** `onOpened` returns the headers with the session id. If it rejects with a refusal, or is not called, `onFailed` is called. */
  constructor(
    response: HttpResponse,
    report: ErrorCallback,
    onOpened: () => Promise<Record<string, string>>,
    onFailed: () => void,
  ) {
    this.#response = response;
    this.#report = report;
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
      await this.#opened(text);
    } else {
      sendErrorAnswer(this.#response, answer, text, undefined, this.#report);
      this.#onFailed();
    }
  }

  async #opened(text: HttpBody): Promise<void> {
    let headers: Record<string, string>;
    try {
      headers = await this.#onOpened();
    } catch (error) {
      // `onOpened` rejects with nothing else.
      sendRefusal(this.#response, error as HttpRefusal, undefined);
      this.#onFailed();
      return;
    }
    this.#response.send(200, { ...JSON_HEADERS, ...headers }, text);
  }

  skip(): void {
    this.close();
  }

  /** The client has disconnected, or the endpoint closes. */
  close(): void {
    sendRefusal(this.#response, closingRefusal(), undefined);
    this.#onFailed();
  }
}
