/** Collects the answers to one inbound batch, and sends them together when every request has settled. */
import { mapError } from "../errors/error-mapping.js";
import { limitHeld } from "../errors/limit-reached.js";
import { jsonBytes } from "../runtime/json-size.js";
import type { JsonRpcAnswer, RequestId } from "../wire/json-rpc.js";
import type { Responder } from "./served-request.js";

/** Heap bytes of 16 Mi characters, the size of one message that a client accepts by default. */
const MAX_BYTES = 33_554_432;

/** Limits the bytes of the answers to one batch, which are held until all are known. */
export class BatchBytes {
  #left = MAX_BYTES;

  /** Returns the answer, or an error answer if its bytes exceed the limit. */
  admit(answer: JsonRpcAnswer, bytes: number): JsonRpcAnswer {
    if (bytes > this.#left) return batchTooLarge(answer.id);
    this.#left -= bytes;
    return answer;
  }
}

function batchTooLarge(id: RequestId | undefined): JsonRpcAnswer {
  const reason = `the answers to one batch may take ${MAX_BYTES} bytes; send the request by itself`;
  const { wire } = mapError(limitHeld("connection", `The answer was dropped: ${reason}`), "a batch");
  // An unreadable id is undefined, which JSON omits.
  return { jsonrpc: "2.0", id, error: wire } as JsonRpcAnswer;
}

export class BatchAnswers implements Responder {
  readonly #send: (answers: readonly JsonRpcAnswer[]) => void;
  readonly #answers: JsonRpcAnswer[] = [];
  readonly #bytes = new BatchBytes();
  // Starts at 1 for the batch itself, until `allReceived`, so that early answers are not sent alone.
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
