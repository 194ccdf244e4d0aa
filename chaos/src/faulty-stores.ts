/** Stores with a planted fault, to see that the checker finds it. Without a fault each is the store itself. */
import type { EventStore, SessionStore, StoredEvent } from "parley-mcp/node";
import type { AnnouncedChange, ChangeBus, StateSealOptions } from "parley-mcp/server";

/**
 * - `forget-changes`: the bus loses each change
 * - `forget-sessions`: the store forgets a session at every tenth look
 * - `forget-states`: states open as often as a client likes
 * - `forget-events`, `double-events`, `reorder-events`: the events that a resumed stream begins with
 * - `double-answers`: a resumed stream that is over has its answer in the place of each event
 */
export type StoreFault =
  | "forget-changes"
  | "forget-sessions"
  | "forget-states"
  | "forget-events"
  | "double-events"
  | "reorder-events"
  | "double-answers";

export const STORE_FAULTS: readonly StoreFault[] = [
  "forget-changes",
  "forget-sessions",
  "forget-states",
  "forget-events",
  "double-events",
  "reorder-events",
  "double-answers",
];

/** Calls `onPublished` once other processes have the change. */
export function faultyChanges(
  bus: ChangeBus | undefined,
  fault: StoreFault | undefined,
  onPublished: (change: AnnouncedChange) => void,
): ChangeBus {
  if (bus === undefined) throw new Error("The backend has a change bus");
  return {
    subscribe: (listener) => bus.subscribe(listener),
    publish: async (change) => {
      if (fault !== "forget-changes" || change.kind !== "resource") await bus.publish(change);
      onPublished(change);
    },
  };
}

export function faultyStates(options: StateSealOptions | undefined, fault: StoreFault | undefined): StateSealOptions {
  return { ...options, ...(fault === "forget-states" && { singleUse: { claim: async () => true } }) };
}

export function faultySessions(store: SessionStore | undefined, fault: StoreFault | undefined): SessionStore {
  if (store === undefined) throw new Error("The backend has a session store");
  if (fault !== "forget-sessions") return store;
  let looks = 0;
  return replaced(store, {
    get: async (id) => {
      looks += 1;
      return looks % 10 === 0 ? undefined : store.get(id);
    },
  });
}

const isProgress = ({ data }: StoredEvent) => data.includes('"notifications/progress"');
const NOTHING = JSON.stringify({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "debug", data: "" },
});

/** Texts of the events in the place of theirs. The server would refuse events whose numbers are wrong. */
const TEXTS: Partial<Record<StoreFault, (texts: readonly string[]) => readonly string[]>> = {
  "forget-events": (texts) => texts.map(() => NOTHING),
  "double-events": (texts) => texts.map(() => texts[0] ?? NOTHING),
  "reorder-events": (texts) => texts.toReversed(),
};

function withTexts(
  events: readonly StoredEvent[],
  change: (texts: readonly string[]) => readonly string[],
): StoredEvent[] {
  const texts = [...change(events.filter(isProgress).map(({ data }) => data))];
  return events.map((event) => (isProgress(event) ? { ...event, data: texts.shift() ?? NOTHING } : event));
}

export function faultyEvents(store: EventStore, fault: StoreFault | undefined): EventStore {
  if (fault === "double-answers") return withDoubleAnswers(store);
  const change = fault && TEXTS[fault];
  if (change === undefined) return store;
  return replaced(store, {
    read: async (sessionId, streamId, after) => withTexts(await store.read(sessionId, streamId, after), change),
  });
}

function withDoubleAnswers(store: EventStore): EventStore {
  return replaced(store, {
    read: async (sessionId, streamId, after) => {
      const events = await store.read(sessionId, streamId, after);
      const answer = events.find(({ data }) => data.includes('"structuredContent"'));
      return events.map((event) => (answer ? { ...event, data: answer.data } : event));
    },
  });
}

/** The store with some methods replaced. The others run on the store itself, whose private members they need. */
function replaced<Store extends object>(store: Store, methods: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const own: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}
