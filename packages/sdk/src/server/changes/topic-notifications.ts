/**
 * Sends the notifications of one stream, at most one per topic at a time. Changes of a topic while its notification is being
 * made lead to one more, so that a burst costs two notifications and the last one shows the last state.
 */
export class TopicNotifications {
  readonly #send: (topic: string) => Promise<void>;
  readonly #onError: (topic: string, cause: unknown) => void;
  /** The topics whose notification is being made, and whether the topic has changed since. Bounded by the stream's topics. */
  readonly #sending = new Map<string, boolean>();
  #isEnded = false;

  /** `onError` gets the rejections of `send`. The stream goes on. */
  constructor(send: (topic: string) => Promise<void>, onError: (topic: string, cause: unknown) => void) {
    this.#send = send;
    this.#onError = onError;
  }

  changed(topic: string): void {
    if (this.#isEnded) return;
    const isSending = this.#sending.has(topic);
    this.#sending.set(topic, isSending);
    if (!isSending) void this.#run(topic);
  }

  /** Called when the stream ends. From now on `send` is not called. */
  end(): void {
    this.#isEnded = true;
  }

  async #run(topic: string): Promise<void> {
    do {
      this.#sending.set(topic, false);
      try {
        await this.#send(topic);
      } catch (cause) {
        if (!this.#isEnded) this.#onError(topic, cause);
      }
    } while (this.#sending.get(topic) && !this.#isEnded);
    this.#sending.delete(topic);
  }
}
