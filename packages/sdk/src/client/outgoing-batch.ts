/** Sends several requests as one message. The message is sent once each request has joined it or has settled without it. */
import type { BatchCall } from "../dispatch/dispatcher.js";
import { SdkError } from "../errors/sdk-error.js";
import { hasBatches } from "../protocol/method-table.js";
import type { JsonObject } from "../runtime/json.js";
import { type CallStep, type ConnectionCall, chain, type SendCall } from "./client-call.js";
import type { NegotiatedConnection } from "./negotiated-connection.js";

type SendBatch = (calls: readonly BatchCall[]) => Promise<PromiseSettledResult<JsonObject>[]>;

interface Member {
  readonly call: BatchCall;
  resolve(result: JsonObject): void;
  reject(reason: unknown): void;
}

/**
 * Sends several requests as one message. Each request runs through `steps` and settles on its own.
 * @param sendAlone sends a request that middleware repeats after the batch has left
 * @throws {SdkError} `method-not-in-revision` for a revision without batches.
 */
export async function requestBatch(
  connection: NegotiatedConnection,
  calls: readonly BatchCall[],
  steps: readonly CallStep<ConnectionCall>[],
  sendAlone: SendCall<ConnectionCall>,
): Promise<PromiseSettledResult<JsonObject>[]> {
  if (!hasBatches(connection.negotiated.revision)) {
    throw new SdkError("method-not-in-revision", "Batches exist in 2025-03-26 alone: send the requests one by one");
  }
  const batch = new OutgoingBatch(calls.length, (members) => connection.exchangeBatch(members));
  return Promise.allSettled(
    calls.map(({ method, params = {}, options = {} }) =>
      requestIn(batch, { method, params, options, connection }, steps, sendAlone),
    ),
  );
}

async function requestIn(
  batch: OutgoingBatch,
  call: ConnectionCall,
  steps: readonly CallStep<ConnectionCall>[],
  sendAlone: SendCall<ConnectionCall>,
): Promise<JsonObject> {
  let isAdded = false;
  const join: SendCall<ConnectionCall> = async (given) => {
    if (isAdded) return sendAlone(given);
    isAdded = true;
    const { method, params, options } = given;
    return call.connection.checkResult(method, await batch.add({ method, params, options }));
  };
  try {
    return await chain(steps, join)(call);
  } finally {
    if (!isAdded) batch.leave();
  }
}

class OutgoingBatch {
  readonly #send: SendBatch;
  readonly #members: Member[] = [];
  #awaited: number;

  constructor(size: number, send: SendBatch) {
    this.#awaited = size;
    this.#send = send;
  }

  /** Adds a call. Resolves with its own result. */
  add(call: BatchCall): Promise<JsonObject> {
    const answer = new Promise<JsonObject>((resolve, reject) => this.#members.push({ call, resolve, reject }));
    this.#settleOne();
    return answer;
  }

  /** Counts a call that is not added: middleware answered or refused it. */
  leave(): void {
    this.#settleOne();
  }

  #settleOne(): void {
    this.#awaited -= 1;
    if (this.#awaited === 0 && this.#members.length > 0) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    const members = this.#members;
    try {
      const outcomes = await this.#send(members.map(({ call }) => call));
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.status === "fulfilled") members[index]?.resolve(outcome.value);
        else members[index]?.reject(outcome.reason);
      }
    } catch (error) {
      for (const member of members) member.reject(error);
    }
  }
}
