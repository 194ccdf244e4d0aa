/** Several endpoints that share the sessions of one store, as processes behind a load balancer do. */

import { InMemoryChangeBus } from "../../../../server/changes/change-bus.js";
import type { McpServer } from "../../../../server/mcp-server.js";
import { type ClientOptions, type FakeClient, type LegacySetUp, setUpLegacy } from "../http-fakes.fixture.js";
import type { LegacyOptions } from "../legacy-options.js";
import { InMemoryEventStore } from "../streams/event-store.js";
import { InMemorySessionChannel, type SessionChannel } from "./session-channel.js";
import { InMemorySessionStore } from "./session-store.js";

type Listener = (text: string | undefined) => void;

/** The connection of one replica to the channel, which tests break. */
export class ChannelEnd implements SessionChannel {
  readonly shareSessions: SessionChannel["shareSessions"];
  readonly #shared: SessionChannel;
  readonly #subscriptions = new Set<{ readonly id: string; readonly listener: Listener; end: () => unknown }>();
  readonly #held: (() => void)[] = [];
  isFrozen = false;
  isFailing = false;
  published: string[] = [];

  constructor(shared: SessionChannel) {
    this.shareSessions = shared.shareSessions;
    this.#shared = shared;
  }

  async publish(sessionId: string, text: string): Promise<number> {
    if (this.isFailing) throw new Error("no connection");
    this.published.push(text);
    return this.#shared.publish(sessionId, text);
  }

  async subscribe(sessionId: string, listener: Listener): Promise<() => void> {
    if (this.isFailing) throw new Error("no connection");
    const own: { readonly id: string; readonly listener: Listener; end: () => unknown } = {
      id: sessionId,
      listener,
      end: await this.#shared.subscribe(sessionId, (text) => {
        if (this.isFrozen) this.#held.push(() => listener(text));
        else listener(text);
      }),
    };
    this.#subscriptions.add(own);
    return () => {
      this.#subscriptions.delete(own);
      void own.end();
    };
  }

  /** Loses the connection, as a process that was killed or cut off does. */
  cut(): void {
    this.isFailing = true;
    for (const { end } of this.#subscriptions) void end();
  }

  /** Connects again. Messages in between are lost. */
  async mend(): Promise<void> {
    this.isFailing = false;
    for (const own of this.#subscriptions) {
      own.end = await this.#shared.subscribe(own.id, own.listener);
      own.listener(undefined);
    }
  }

  /** Goes on after `isFrozen`, with all messages that came meanwhile. */
  thaw(): void {
    this.isFrozen = false;
    for (const hear of this.#held.splice(0)) hear();
  }
}

export interface Replicas {
  readonly store: InMemorySessionStore;
  readonly events: InMemoryEventStore;
  readonly channel: InMemorySessionChannel;
  readonly bus: InMemoryChangeBus;
  readonly ends: readonly [ChannelEnd, ChannelEnd, ChannelEnd];
  readonly all: readonly LegacySetUp[];
  readonly errors: readonly Error[];
  /** Opens a session at the first replica. Returns a client of it for each replica. */
  open(options?: ClientOptions): Promise<[FakeClient, FakeClient, FakeClient]>;
}

/** `define` registers the same things at the server of each replica. */
export function replicas(
  define: (server: McpServer, replica: number) => void,
  options: LegacyOptions & { readonly keepAliveMs?: number } = {},
): Replicas {
  const store = new InMemorySessionStore();
  const events = new InMemoryEventStore();
  const channel = new InMemorySessionChannel();
  const bus = new InMemoryChangeBus();
  const ends = [new ChannelEnd(channel), new ChannelEnd(channel), new ChannelEnd(channel)] as const;
  const errors: Error[] = [];
  const all = ends.map((end, replica) => {
    const legacy = { sessionStore: store, eventStore: events, sessionChannel: end, ...options };
    const onError = (error: Error) => void errors.push(error);
    const setUp = setUpLegacy(legacy, { changeBus: bus, capabilities: { logging: {} }, onError });
    define(setUp.server, replica);
    return setUp;
  });
  const open = async (clientOptions: ClientOptions = {}) => {
    const [first, second, third] = all.map((setUp) => setUp.client(clientOptions)) as [
      FakeClient,
      FakeClient,
      FakeClient,
    ];
    await first.open();
    second.sessionId = first.sessionId;
    third.sessionId = first.sessionId;
    return [first, second, third] as [FakeClient, FakeClient, FakeClient];
  };
  return { store, events, channel, bus, ends, all, errors, open };
}
