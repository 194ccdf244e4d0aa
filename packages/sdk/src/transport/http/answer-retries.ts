/**
 * Sends answers of a client again that the server refuses for the moment, or whose connection was lost: the user has given them once.
 * A server takes an answer once, so a second one has no effect.
 */
import { SdkError } from "../../errors/sdk-error.js";
import { serializeJson } from "../../wire/json-text.js";
import { HttpError } from "./http-error.js";
import type { HttpSession } from "./http-session.js";
import type { ReconnectDelay } from "./reconnect-delay.js";

/** Answers that wait at the same time, so that a server that refuses all of them costs the client little. */
const MAX_WAITING = 64;
const MAX_WAITING_CHARACTERS = 1_048_576;
/** A refusal of the server, or of a proxy that cannot reach it. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export class AnswerRetries {
  readonly #delay: ReconnectDelay;
  #waiting = 0;
  #characters = 0;

  constructor(delay: ReconnectDelay) {
    this.#delay = delay;
  }

  /** Rejects with the error of `post` if another attempt is of no use, or too many answers wait. */
  async send(answer: unknown, session: HttpSession, post: () => Promise<void>): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await post();
      } catch (error) {
        if (attempt === this.#delay.maxAttempts || !isTemporary(error)) throw error;
        if (!(await this.#wait(attempt, serializeJson(answer).length, session, error))) throw error;
      }
    }
  }

  /** False once the session is over, or if there is no room to wait. */
  async #wait(attempt: number, characters: number, { streams }: HttpSession, error: unknown): Promise<boolean> {
    const hasRoom = this.#waiting < MAX_WAITING && this.#characters + characters <= MAX_WAITING_CHARACTERS;
    if (streams.isAborted || !hasRoom) return false;
    const asked = error instanceof HttpError ? error.retryAfterMs : undefined;
    this.#waiting += 1;
    this.#characters += characters;
    await this.#delay.wait(attempt, asked && Math.min(asked, this.#delay.maxRetryMs), streams.signal);
    this.#waiting -= 1;
    this.#characters -= characters;
    return !streams.isAborted;
  }
}

function isTemporary(error: unknown): boolean {
  if (error instanceof HttpError) return TEMPORARY.has(error.status);
  return error instanceof SdkError && error.code === "connection-closed";
}
