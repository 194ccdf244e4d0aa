/** Carries messages between the processes that serve one legacy session, over a channel of Redis per session. */
import { type SessionChannel, type ShareSessions, shareSessions } from "parley-mcp/web";
import type { RedisConnection } from "./redis-connection.js";

type Listener = (text: string | undefined) => void;

/**
 * Lets any process serve any request of a legacy session. Redis keeps no messages: after a lost connection, the server reads its
 * sessions again.
 *
 * @example
 * const connection = await RedisConnection.open("redis://localhost:6379");
 * const sessionChannel = new RedisSessionChannel(connection);
 * const sessionStore = new RedisSessionStore(connection);
 * const eventStore = new RedisEventStore(connection);
 * await serveHttp(server, { legacy: { sessionChannel, sessionStore, eventStore } });
 */
export class RedisSessionChannel implements SessionChannel {
  readonly shareSessions: ShareSessions = shareSessions;
  readonly #connection: RedisConnection;
  /** Wrapped in objects, so that the same function can subscribe twice and unsubscribe twice. */
  readonly #listeners = new Set<{ readonly listener: Listener }>();

  constructor(connection: RedisConnection) {
    this.#connection = connection;
    connection.onReconnect(() => {
      for (const { listener } of [...this.#listeners]) listener(undefined);
    });
  }

  /** @throws {ProtocolError} 429 if Redis does not answer. */
  async publish(sessionId: string, text: string): Promise<number> {
    const channel = this.#channelOf(sessionId);
    return Number(await this.#connection.send(channel, ["PUBLISH", channel, text]));
  }

  /** @throws {ProtocolError} 429 if Redis does not answer. */
  async subscribe(sessionId: string, listener: Listener): Promise<() => Promise<void>> {
    const own = { listener };
    const hear = (text: string) => listener(text);
    const unsubscribe = await this.#connection.subscribe(this.#channelOf(sessionId), hear);
    this.#listeners.add(own);
    return async () => {
      if (this.#listeners.delete(own)) await unsubscribe();
    };
  }

  #channelOf(sessionId: string): string {
    return this.#connection.key("session", sessionId);
  }
}
