/** Gathers the answers to one inbound batch and sends them together once every request in it has settled. */
import { mapError } from "../errors/error-mapping.js";
import { limitHeld } from "../errors/limit-reached.js";
import { jsonBytes } from "../runtime/json-size.js";
import type { JsonRpcAnswer, RequestId } from "../wire/json-rpc.js";
import type { Responder } from "./served-request.js";

/** Bytes of the heap: 16 Mi characters, which is what a client accepts of one message by default. */
const MAX_BYTES = 33_554_432;

/** Counts the bytes of the answers to one batch, which wait for one another. */
export class BatchBytes {
  #left = MAX_BYTES;

  /** The answer, or an error in its place if there is no room for so many bytes. */
  admit(answer: JsonRpcAnswer, bytes: number): JsonRpcAnswer {
    if (bytes > this.#left) return batchTooLarge(answer.id);
    this.#left -= bytes;
    return answer;
  }
}

function batchTooLarge(id: RequestId | undefined): JsonRpcAnswer {
  const reason = `the answers to one batch may take ${MAX_BYTES} bytes; send the request by itself`;
  const { wire } = mapError(limitHeld("connection", `The answer was dropped: ${reason}`), "a batch");
  // An id that could not be read is undefined, and so is left out of the text.
  return { jsonrpc: "2.0", id, error: wire } as JsonRpcAnswer;
}

export class BatchAnswers implements Responder {
  readonly #send: (answers: readonly JsonRpcAnswer[]) => void;
  readonly #answers: JsonRpcAnswer[] = [];
  readonly #bytes = new BatchBytes();
  // The batch itself counts as one until all of it has been read, so that early answers do not go out alone.
  #outstanding = 1;

  constructor(send: (answers: readonly JsonRpcAnswer[]) => void) {
    this.#send = send;
  }

  expect(): void {
    this.#outstanding += 1;
  }

  answer(message: JsonRpcAnswer): void {
    this.#answers.push(this.#bytes.admit(message, jsonBytes(message, MAX_BYTES)));
    this.#settleOne();
  }

  skip(): void {
    this.#settleOne();
  }

  allReceived(): void {
    this.#settleOne();
  }

  #settleOne(): void {
    this.#outstanding -= 1;
    if (this.#outstanding === 0 && this.#answers.length > 0) this.#send(this.#answers);
  }
}
