/** The event store that official servers want from their users: in memory, for one session. */

interface StoredEvent<Message> {
  readonly stream: string;
  readonly id: string;
  readonly message: Message;
}

export class ReplayedEvents<Message> {
  readonly #events: StoredEvent<Message>[] = [];

  async storeEvent(stream: string, message: Message): Promise<string> {
    const id = `${stream}_${this.#events.length}`;
    this.#events.push({ stream, id, message });
    return id;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#events.find((event) => event.id === id)?.stream;
  }

  async replayEventsAfter(
    id: string,
    { send }: { send: (id: string, message: Message) => Promise<void> },
  ): Promise<string> {
    const from = this.#events.findIndex((event) => event.id === id);
    const stream = this.#events[from]?.stream ?? "";
    for (const event of this.#events.slice(from + 1)) {
      // The first event of a stream has no message: it only gives the client an id to come back with.
      const isMessage = typeof event.message === "object" && event.message !== null && "jsonrpc" in event.message;
      if (event.stream === stream && isMessage) await send(event.id, event.message);
    }
    return stream;
  }
}
