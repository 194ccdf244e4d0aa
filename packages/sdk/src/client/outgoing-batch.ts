/** Requests on their way into one message: it goes out once every one of them has come, or has been settled without. */
import type { BatchCall } from "../dispatch/dispatcher.js";
import type { JsonObject } from "../protocol/json.js";

type SendBatch = (calls: readonly BatchCall[]) => Promise<PromiseSettledResult<JsonObject>[]>;

interface Member {
  readonly call: BatchCall;
  resolve(result: JsonObject): void;
  reject(reason: unknown): void;
}

export class OutgoingBatch {
  readonly #send: SendBatch;
  readonly #members: Member[] = [];
  #awaited: number;

  constructor(size: number, send: SendBatch) {
    this.#awaited = size;
    this.#send = send;
  }

  /** Takes a call in; resolves with its own answer. */
  add(call: BatchCall): Promise<JsonObject> {
    const answer = new Promise<JsonObject>((resolve, reject) => this.#members.push({ call, resolve, reject }));
    this.#oneLess();
    return answer;
  }

  /** One call that will not come: middleware answered or refused it. */
  leave(): void {
    this.#oneLess();
  }

  #oneLess(): void {
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
