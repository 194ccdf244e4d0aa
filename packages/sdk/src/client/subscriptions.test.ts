import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { Revision } from "../protocol/revisions.js";
import type { JsonObject } from "../runtime/json.js";
import { ChangeListeners } from "./change-listeners.js";
import type { SendCall } from "./client-call.js";
import { ClientExtensions } from "./extensions.js";
import type { NegotiatedConnection } from "./negotiated-connection.js";
import { resolveReconnectOptions } from "./reconnect-attempts.js";
import { Subscriptions } from "./subscriptions.js";
import { UnfinishedCalls } from "./unfinished-calls.js";

const refuse = () => Promise.reject(new Error("nothing is asked"));
const NO_EXTENSIONS = new ClientExtensions(
  {},
  {
    answer: refuse,
    listen: refuse,
    taskSupport: refuse,
    unfinished: new UnfinishedCalls(),
  },
);

const LOST = new SdkError("connection-closed", "gone");

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A connection whose requests the test settles by hand. */
function play(revision: Revision, capabilities: JsonObject | undefined = undefined) {
  const listeners = new ChangeListeners();
  const requests: { method: string; id: unknown; settle(error?: Error): void }[] = [];
  const connection = {
    isOver: false as boolean,
    // A connection of its own each time, as after a loss.
    ready: async () => ({ negotiated: { revision, server: { capabilities } } }) as unknown as NegotiatedConnection,
  };
  const send: SendCall = ({ method, options: { id, signal } }) =>
    new Promise((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(new SdkError("request-aborted", "aborted")));
      requests.push({ method, id, settle: (error) => (error ? reject(error) : resolve({})) });
    });
  const acknowledge = () =>
    listeners.receive("2026-07-28", "notifications/subscriptions/acknowledged", {
      notifications: { toolsListChanged: true },
      _meta: { "io.modelcontextprotocol/subscriptionId": requests.at(-1)?.id },
    });
  const subscriptions = new Subscriptions(connection, send, listeners, {
    extensions: NO_EXTENSIONS,
    reconnect: resolveReconnectOptions({ maxAttempts: 2, initialDelayMs: 100 }),
  });
  const opened = async () => {
    const opening = subscriptions.open({ tools: true });
    await vi.waitFor(() => expect(requests).toHaveLength(1));
    acknowledge();
    return opening;
  };
  return { listeners, connection, send, requests, acknowledge, subscriptions, opened };
}

it("honors nothing of a legacy server whose capabilities are unknown", async () => {
  const { subscriptions, requests } = play("2025-11-25");
  const { honored } = await subscriptions.open({ tools: true, resource: ["a://1"] });
  expect(honored).toEqual({});
  expect(requests).toEqual([]);
});

it("leaves no timer behind, whether it was acknowledged, answered or refused", async () => {
  const { subscriptions, requests, acknowledge } = play("2026-07-28");
  for (const error of [undefined, new Error("refused")]) {
    const opening = subscriptions.open({ tools: true });
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
    requests.at(-1)?.settle(error);
    await opening.catch(() => undefined);
    expect(vi.getTimerCount()).toBe(0);
  }
  const opening = subscriptions.open({ tools: true });
  await vi.waitFor(() => expect(requests).toHaveLength(3));
  acknowledge();
  await opening;
  expect(vi.getTimerCount()).toBe(0);
});

it("opens a lost stream again under a new id, and says so before what comes after", async () => {
  const { listeners, requests, acknowledge, opened } = play("2026-07-28");
  const changes = (await opened())[Symbol.asyncIterator]();
  requests[0]?.settle(new SdkError("stream-ended", "cut"));
  await vi.advanceTimersByTimeAsync(125);
  expect(requests.map(({ id }) => id)).toEqual(["listen-1", "listen-2"]);
  acknowledge();
  expect(await changes.next()).toEqual({ done: false, value: { kind: "restored" } });
  listeners.receive("2026-07-28", "notifications/tools/list_changed", {
    _meta: { "io.modelcontextprotocol/subscriptionId": "listen-2" },
  });
  expect(await changes.next()).toEqual({ done: false, value: { kind: "tools" } });
});

it.each([
  ["a refusal", new ProtocolError(-32602, "no"), true],
  ["a refusal over HTTP", new SdkError("http-error", "Forbidden", { status: 403 }), true],
  ["an answer that is none", new SdkError("http-error", "?"), true],
  ["a gateway without its server", new SdkError("http-error", "Bad gateway", { status: 502 }), false],
  ["a forgotten session", new SdkError("session-expired", "gone"), false],
])("ends for good by what the server says, not by the network: %s", async (_what, error, isFinal) => {
  const { requests, opened } = play("2026-07-28");
  const changes = (await opened())[Symbol.asyncIterator]();
  requests[0]?.settle(error);
  await vi.advanceTimersByTimeAsync(125);
  expect(requests).toHaveLength(isFinal ? 1 : 2);
  if (isFinal) await expect(changes.next()).rejects.toBe(error);
});

it("gives up with the last loss after as many attempts as it may make", async () => {
  const { requests, opened } = play("2026-07-28");
  const changes = (await opened())[Symbol.asyncIterator]();
  for (let attempt = 0; attempt < 3; attempt += 1) {
    requests[attempt]?.settle(new SdkError("stream-ended", `loss ${attempt}`));
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(requests).toHaveLength(3);
  await expect(changes.next()).rejects.toThrow("loss 2");
  expect(vi.getTimerCount()).toBe(0);
});

it("tries nothing when the connection is over, or when it is told not to", async () => {
  const { connection, listeners, subscriptions, opened, requests } = play("2026-07-28");
  const changes = (await opened())[Symbol.asyncIterator]();
  connection.isOver = true;
  listeners.end(LOST);
  await expect(changes.next()).rejects.toBe(LOST);
  expect(requests).toHaveLength(1);
  await expect(subscriptions.open({})).rejects.toMatchObject({ code: "connection-closed" });
  const other = play("2025-11-25");
  const unrestored = new Subscriptions(other.connection, other.send, other.listeners, {
    reconnect: undefined,
    extensions: NO_EXTENSIONS,
  });
  const lists = (await unrestored.open({ tools: true }))[Symbol.asyncIterator]();
  other.listeners.end(LOST);
  await expect(lists.next()).rejects.toBe(LOST);
});

it("stops trying when it is closed meanwhile", async () => {
  const { requests, opened } = play("2026-07-28");
  const subscription = await opened();
  requests[0]?.settle(LOST);
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(1);
  await subscription.close();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requests).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});

it("takes back what it attached while it was being closed", async () => {
  const { requests, acknowledge, opened } = play("2026-07-28");
  const subscription = await opened();
  requests[0]?.settle(LOST);
  await vi.advanceTimersByTimeAsync(125);
  await subscription.close();
  acknowledge();
  await vi.advanceTimersByTimeAsync(0);
  expect(await subscription[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
  expect(vi.getTimerCount()).toBe(0);
});

it.each(["2025-11-25", "2026-07-28"] as const)(
  "ends without an error when the client is closed at any step of restoring it, in %s",
  async (revision) => {
    const steps: readonly ((player: ReturnType<typeof play>) => unknown)[] = [
      () => undefined,
      () => vi.advanceTimersByTimeAsync(0),
      () => vi.advanceTimersToNextTimerAsync(),
      async ({ requests, acknowledge }) => {
        await vi.advanceTimersByTimeAsync(125);
        acknowledge();
        requests[1]?.settle();
      },
    ];
    for (const step of steps) {
      const player = play(revision, { tools: { listChanged: true }, resources: { subscribe: true } });
      const { listeners, requests, acknowledge, subscriptions } = player;
      const opening = subscriptions.open({ tools: true, resource: ["a://1"] });
      await vi.waitFor(() => expect(requests).toHaveLength(1));
      if (revision === "2025-11-25") requests[0]?.settle();
      else acknowledge();
      const next = (await opening)[Symbol.asyncIterator]().next();
      listeners.end(LOST);
      await step(player);
      subscriptions.end();
      listeners.end();
      requests[1]?.settle(LOST);
      expect(await next).toEqual({ done: true, value: undefined });
      await vi.advanceTimersByTimeAsync(1_000);
      expect(vi.getTimerCount()).toBe(0);
    }
  },
);

it("stops a subscription that the server acknowledges after the client was closed", async () => {
  const { listeners, requests, subscriptions } = play("2025-11-25", { resources: { subscribe: true } });
  const opening = subscriptions.open({ resource: ["a://1"] });
  await vi.waitFor(() => expect(requests).toHaveLength(1));
  requests[0]?.settle();
  const next = (await opening)[Symbol.asyncIterator]().next();
  listeners.end(LOST);
  await vi.advanceTimersByTimeAsync(125);
  subscriptions.end();
  requests[1]?.settle();
  expect(await next).toEqual({ done: true, value: undefined });
  await vi.waitFor(() => expect(requests.at(-1)?.method).toBe("resources/unsubscribe"));
});

it("refuses a subscription whose connection was closed while it was being opened", async () => {
  const { connection, subscriptions } = play("2025-11-25", { tools: { listChanged: true } });
  const opening = subscriptions.open({ tools: true });
  connection.isOver = true;
  await expect(opening).rejects.toMatchObject({ code: "connection-closed" });
});

it("subscribes again to the resources of a legacy server", async () => {
  const { listeners, requests, subscriptions } = play("2025-11-25", { resources: { subscribe: true } });
  const opening = subscriptions.open({ resource: ["a://1"] });
  await vi.waitFor(() => expect(requests).toHaveLength(1));
  requests[0]?.settle();
  const changes = (await opening)[Symbol.asyncIterator]();
  listeners.end(LOST);
  await vi.advanceTimersByTimeAsync(125);
  requests[1]?.settle();
  expect(await changes.next()).toEqual({ done: false, value: { kind: "restored" } });
  expect(requests.map(({ method }) => method)).toEqual(["resources/subscribe", "resources/subscribe"]);
});

it("sends no unsubscription for a lost connection over the one that replaced it", async () => {
  const { listeners, requests, subscriptions } = play("2025-11-25", { resources: { subscribe: true } });
  const subscribe = async (uri: string) => {
    const opening = subscriptions.open({ resource: [uri] });
    await vi.advanceTimersByTimeAsync(0);
    requests.at(-1)?.settle();
    return opening;
  };
  const lost = await subscribe("a://1");
  listeners.end(LOST);
  await subscribe("a://1");
  await lost.close();
  expect(requests.map(({ method }) => method)).toEqual(["resources/subscribe", "resources/subscribe"]);
});

it("ends without an error if it was closed and lost in one turn, in either order", async () => {
  for (const isLostFirst of [true, false]) {
    const { requests, opened } = play("2026-07-28");
    const subscription = await opened();
    const next = subscription[Symbol.asyncIterator]().next();
    if (isLostFirst) requests[0]?.settle(LOST);
    const closing = subscription.close();
    if (!isLostFirst) requests[0]?.settle(LOST);
    await closing;
    expect(await next).toEqual({ done: true, value: undefined });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(requests).toHaveLength(1);
  }
});

it("gives up a subscription that is not acknowledged in time", async () => {
  const { subscriptions, requests } = play("2026-07-28");
  const opening = expect(subscriptions.open({ tools: true })).rejects.toMatchObject({
    code: "request-timeout",
    message: "subscriptions/listen was not acknowledged within 60000 ms",
  });
  await vi.advanceTimersByTimeAsync(60_000);
  await opening;
  expect(requests).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});
