/** Three servers that share the sessions of legacy clients, as three processes behind a load balancer do, and raw clients of each. */
import { InMemoryEventStore, InMemorySessionChannel, InMemorySessionStore, type SessionChannel } from "parley-mcp/node";
import { InMemoryChangeBus, McpServer } from "parley-mcp/server";
import { hostHttp, type RawClientOptions, type RawHttpClient } from "./raw-http-client.js";

/** The connection of one process to the channel of sessions. */
export class ReplicaChannel implements SessionChannel {
  readonly shareSessions: SessionChannel["shareSessions"];
  readonly #shared: SessionChannel;
  readonly #ends = new Set<() => void | Promise<void>>();
  subscriptions = 0;
  published = 0;
  isFailing = false;

  constructor(shared: SessionChannel) {
    this.shareSessions = shared.shareSessions;
    this.#shared = shared;
  }

  async publish(sessionId: string, text: string): Promise<number> {
    if (this.isFailing) throw new Error("The channel is gone");
    this.published += 1;
    return this.#shared.publish(sessionId, text);
  }

  async subscribe(sessionId: string, listener: (text: string | undefined) => void): Promise<() => void> {
    if (this.isFailing) throw new Error("The channel is gone");
    this.subscriptions += 1;
    const end = await this.#shared.subscribe(sessionId, listener);
    this.#ends.add(end);
    return () => {
      this.#ends.delete(end);
      void end();
    };
  }

  /** Hears and says nothing any more, as a process that was killed. */
  kill(): void {
    this.isFailing = true;
    for (const end of this.#ends) void end();
  }
}

/** A store whose reads are counted. */
export class CountedSessionStore extends InMemorySessionStore {
  reads = 0;
  isFailing = false;

  /** Deletes the next record, and fails afterwards. */
  isLate = false;

  override async delete(id: string) {
    await super.delete(id);
    if (!this.isLate) return;
    this.isLate = false;
    throw new Error("The store has answered too late");
  }

  override async get(id: string) {
    this.reads += 1;
    if (this.isFailing) throw new Error("The store is gone");
    return super.get(id);
  }
}

export interface Replica {
  readonly server: McpServer;
  readonly channel: ReplicaChannel;
  /** A client of the shared session at this process. */
  readonly client: RawHttpClient;
}

export interface Replicas extends AsyncDisposable {
  readonly all: readonly [Replica, Replica, Replica];
  readonly sessionStore: CountedSessionStore;
  readonly eventStore: InMemoryEventStore;
}

/** Opens a session at the first of three servers, each of which `define` prepares. */
export async function openReplicas(
  define: (server: McpServer) => void,
  options: RawClientOptions = {},
): Promise<Replicas> {
  const [sessionStore, eventStore] = [new CountedSessionStore(), new InMemoryEventStore()];
  const [shared, changeBus] = [new InMemorySessionChannel(), new InMemoryChangeBus()];
  const opened: AsyncDisposable[] = [];
  const open = async (): Promise<Replica> => {
    const capabilities = { logging: {} };
    const server = new McpServer({ name: "replica", version: "1.0.0", changeBus, capabilities, onError: ignore });
    define(server);
    const channel = new ReplicaChannel(shared);
    const host = await hostHttp(server, { legacy: { sessionStore, eventStore, sessionChannel: channel } });
    opened.push(host);
    return { server, channel, client: host.client(options) };
  };
  const all = [await open(), await open(), await open()] as const;
  await all[0].client.open();
  for (const { client } of all) client.sessionId = all[0].client.sessionId;
  const close = async () => {
    await Promise.all(opened.map((host) => host[Symbol.asyncDispose]()));
  };
  return { all, sessionStore, eventStore, [Symbol.asyncDispose]: close };
}

function ignore(): void {
  // Tests break stores and channels, which the servers report.
}
