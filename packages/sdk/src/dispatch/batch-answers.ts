/** Gathers the answers to one inbound batch and sends them together once every request in it has settled. */
import type { JsonRpcAnswer } from "../wire/json-rpc.js";
import type { AnswerSink } from "./served-request.js";

export class BatchAnswers implements AnswerSink {
  readonly #send: (answers: readonly JsonRpcAnswer[]) => void;
  readonly #answers: JsonRpcAnswer[] = [];
  // The batch itself counts as one until all of it has been read, so that early answers do not go out alone.
  #outstanding = 1;

  constructor(send: (answers: readonly JsonRpcAnswer[]) => void) {
    this.#send = send;
  }

  /** One more item that will be answered or skipped. */
  expect(): this {
    this.#outstanding += 1;
    return this;
  }

  answer(message: JsonRpcAnswer): void {
    this.#answers.push(message);
    this.#settleOne();
  }

  skip(): void {
    this.#settleOne();
  }

  allRead(): void {
    this.#settleOne();
  }

  #settleOne(): void {
    this.#outstanding -= 1;
    if (this.#outstanding === 0 && this.#answers.length > 0) this.#send(this.#answers);
  }
}
