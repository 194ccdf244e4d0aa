/** Several endpoints that share the sessions of one store, as processes behind a load balancer do. */
import type { McpServer } from "../../../../server/mcp-server.js";
import { InMemoryChangeBus } from "../../../../server/changes/change-bus.js";
import { type ClientOptions, type FakeClient, type LegacySetUp, setUpLegacy } from "../http-fakes.fixture.js";
import type { LegacyOptions } from "../legacy-options.js";
import { InMemoryEventStore } from "../streams/event-store.js";
import { InMemorySessionChannel } from "./session-channel.js";
import { InMemorySessionStore } from "./session-store.js";

export interface Replicas {
  readonly store: InMemorySessionStore;
  readonly events: InMemoryEventStore;
  readonly channel: InMemorySessionChannel;
  readonly bus: InMemoryChangeBus;
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
  const legacy = { sessionStore: store, eventStore: events, sessionChannel: channel, ...options };
  const errors: Error[] = [];
  const all = [0, 1, 2].map((replica) => {
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
  return { store, events, channel, bus, all, errors, open };
}
