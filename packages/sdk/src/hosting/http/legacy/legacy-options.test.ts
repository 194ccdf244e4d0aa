import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { settled, setUpLegacy } from "./http-fakes.fixture.js";
import { InMemorySessionChannel, type SessionChannel } from "./sessions/session-channel.js";
import { InMemorySessionStore } from "./sessions/session-store.js";
import { InMemoryEventStore } from "./streams/event-store.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("sends a comment over a stream that was silent for 15 seconds by default", async () => {
  const { client } = setUpLegacy();
  const stream = (await client().open()).get();
  await vi.advanceTimersByTimeAsync(14_999);
  expect(stream.text).not.toContain(":");
  await vi.advanceTimersByTimeAsync(1);
  expect(stream.text).toMatch(/^:/);
});

it("tells the clients of a resumable stream to wait one second by default", async () => {
  const { client } = setUpLegacy({ eventStore: new InMemoryEventStore() });
  const stream = (await client().open()).get();
  await settled();
  expect(stream.events[0]).toMatchObject({ retry: "1000" });
});

it("refuses a session channel without what it needs", () => {
  const [sessionChannel, sessionStore] = [new InMemorySessionChannel(), new InMemorySessionStore()];
  const eventStore = new InMemoryEventStore();
  const plain = { get: async () => undefined, set: async () => {}, delete: async () => {} };
  expect(() => setUpLegacy({ sessionChannel })).toThrow("pass the sessionStore that all processes share");
  expect(() => setUpLegacy({ sessionChannel, sessionStore })).toThrow("pass the eventStore that all processes share");
  expect(() => setUpLegacy({ sessionChannel, sessionStore: plain, eventStore })).toThrow("needs the method replace");
  const { publish, subscribe } = sessionChannel;
  const bare = { publish, subscribe } as SessionChannel;
  expect(() => setUpLegacy({ sessionChannel: bare, sessionStore, eventStore })).toThrow(
    "it needs the function shareSessions; import it from parley-mcp/node or parley-mcp/web",
  );
  const unclaimed = Object.assign(new InMemoryEventStore(), { claim: undefined });
  expect(() => setUpLegacy({ sessionChannel, sessionStore, eventStore: unclaimed })).toThrow("needs the method claim");
  expect(() => setUpLegacy({ sessionChannel, stateless: true })).toThrow("stateless: a server without sessions");
});
