/**
 * A request whose bytes are ready, and how its answer is checked. The first answer is parsed and checked in full, and
 * its bytes are kept: an answer with the same bytes is as right, any other is parsed and checked again.
 */
import type { RawResponse } from "./response-reader.js";

/** @throws {Error} if the message is not the answer that is right. */
export type CheckMessage = (message: { readonly id?: unknown; readonly result?: unknown }) => void;

export class Exchange {
  readonly #request: () => Buffer;
  readonly #check: CheckMessage;
  #right: Buffer | undefined;

  /** @param request bytes that are ready, or makes them where each request differs */
  constructor(request: Buffer | (() => Buffer), check: CheckMessage) {
    this.#request = typeof request === "function" ? request : () => request;
    this.#check = check;
  }

  get request(): Buffer {
    return this.#request();
  }

  /** @throws {Error} if the response is not the one that is right. */
  verify({ status, body }: RawResponse): void {
    if (status !== 200) throw new Error(`expected status 200, got ${status}: ${excerpt(body)}`);
    if (this.#right?.equals(body)) return;
    this.#check(messageIn(body.toString("utf8")));
    // A copy: a slice would keep the whole read that it lies in.
    this.#right = Buffer.from(body);
  }
}

/** The answer, sent as JSON or as the last event of a stream. @throws {Error} if there is none. */
export function messageIn(body: string): { id?: unknown; result?: unknown } {
  const json = body.startsWith("{")
    ? body
    : body
        .match(/^data: ?(\{.*\})\r?$/gm)
        ?.at(-1)
        ?.replace(/^data: ?/, "");
  if (json === undefined) throw new Error(`expected a JSON-RPC answer, got ${body.slice(0, 300)}`);
  return JSON.parse(json);
}

function excerpt(body: Buffer): string {
  return body.toString("utf8", 0, 300);
}
