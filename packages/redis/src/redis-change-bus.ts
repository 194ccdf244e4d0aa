/** Carries changes between processes over a channel of Redis. */
import type { AnnouncedChange, ChangeBus } from "parley-mcp/server";
import { brokenValue } from "./bounded-table.js";
import type { RedisConnection } from "./redis-connection.js";

/** Clients are told to fetch everything that they subscribed to. */
const MISSED: AnnouncedChange = { kind: "missed" };

/** The text members of each kind of change. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  tools: [],
  prompts: [],
  resources: [],
  missed: [],
  resource: ["uri"],
  elicitation: ["elicitationId"],
  extension: ["filter", "topic"],
};

/**
 * Announces changes to the clients of all processes. Redis keeps no messages: after a lost connection, and after a change that could not
 * be published, clients are told to fetch everything that they subscribed to.
 *
 * @example
 * const changeBus = await RedisChangeBus.open(await RedisConnection.open("redis://localhost:6379"));
 * const server = new McpServer({ name: "studio", version: "1.0.0", changeBus });
 */
export class RedisChangeBus implements ChangeBus, AsyncDisposable {
  readonly #connection: RedisConnection;
  readonly #channel: string;
  /** Wrapped in objects, so that the same function can subscribe twice and unsubscribe twice. */
  readonly #listeners = new Set<{ readonly listener: (change: AnnouncedChange) => void }>();
  #stops: readonly (() => unknown)[] = [];
  /** A change of this process was not published. */
  #hasFailed = false;

  private constructor(connection: RedisConnection) {
    this.#connection = connection;
    this.#channel = connection.key("changes");
  }

  /** @throws {ProtocolError} 429 if Redis does not answer. */
  static async open(connection: RedisConnection): Promise<RedisChangeBus> {
    const bus = new RedisChangeBus(connection);
    const stopHearing = await connection.subscribe(bus.#channel, (message) => bus.#heard(message));
    bus.#stops = [stopHearing, connection.onReconnect(() => bus.#reconnected())];
    return bus;
  }

  /** @throws {ProtocolError} 429 if Redis does not answer. Clients then learn of the change after the next connection. */
  async publish(change: AnnouncedChange): Promise<void> {
    try {
      await this.#connection.send(this.#channel, ["PUBLISH", this.#channel, JSON.stringify(change)]);
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
    if (this.#hasFailed) await this.#publishMissed();
  }

  subscribe(listener: (change: AnnouncedChange) => void): () => void {
    const own = { listener };
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Never rejects. The connection stays open. */
  async close(): Promise<void> {
    const stops = this.#stops;
    this.#stops = [];
    await Promise.allSettled(stops.map(async (stop) => stop()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #heard(message: string): void {
    const change = changeIn(message);
    if (change === undefined) this.#connection.report(brokenValue(this.#channel));
    else this.#deliver(change);
  }

  #reconnected(): void {
    this.#deliver(MISSED);
    if (this.#hasFailed) void this.#publishMissed().catch((error: Error) => this.#connection.report(error));
  }

  /** Other processes may have had their connection all the time. */
  async #publishMissed(): Promise<void> {
    this.#hasFailed = false;
    await this.publish(MISSED);
  }

  #deliver(change: AnnouncedChange): void {
    for (const { listener } of [...this.#listeners]) {
      try {
        listener(change);
      } catch (error) {
        this.#connection.report(error as Error);
      }
    }
  }
}

function changeIn(message: string): AnnouncedChange | undefined {
  try {
    const change = JSON.parse(message) as Readonly<Record<string, unknown>>;
    const members = MEMBERS[String(change.kind)];
    const isComplete = members?.every((name) => typeof change[name] === "string");
    // The members were checked.
    return isComplete ? (change as unknown as AnnouncedChange) : undefined;
  } catch {
    return undefined;
  }
}
