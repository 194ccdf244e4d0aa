import { expect, it, vi } from "vitest";
import type { RequestOptions } from "../dispatch/dispatcher.js";
import type { JsonObject } from "../protocol/json.js";
import { ChangeFeed } from "./change-feed.js";
import { Listening } from "./listening.js";

it("honors nothing of a legacy server whose capabilities are unknown", async () => {
  const request = vi.fn();
  const listening = new Listening(new ChangeFeed());
  const connection = { verdict: { revision: "2025-11-25", server: {} }, request } as const;
  const { honored } = await listening.open(connection, { tools: true, resources: ["a://1"] });
  expect(honored).toEqual({});
  expect(request).not.toHaveBeenCalled();
});

it("leaves no timer behind, whether it was acknowledged, answered, refused or lost", async () => {
  vi.useFakeTimers();
  const feed = new ChangeFeed();
  const listening = new Listening(feed);
  const server: { settle?: (error?: Error) => void } = {};
  const request = (_method: string, _params: JsonObject, _options?: RequestOptions) =>
    new Promise<JsonObject>((resolve, reject) => {
      server.settle = (error) => (error ? reject(error) : resolve({}));
    });
  const connection = { verdict: { revision: "2026-07-28", server: {} }, request } as const;
  try {
    for (const error of [undefined, new Error("refused")]) {
      const opening = listening.open(connection, { tools: true });
      expect(vi.getTimerCount()).toBe(1);
      server.settle?.(error);
      await opening.catch(() => undefined);
      expect(vi.getTimerCount()).toBe(0);
    }
    const opening = listening.open(connection, { tools: true });
    feed.receive("2026-07-28", "notifications/subscriptions/acknowledged", {
      notifications: {},
      _meta: { "io.modelcontextprotocol/subscriptionId": "listen-3" },
    });
    const changes = await opening;
    expect(vi.getTimerCount()).toBe(0);
    feed.end(new Error("lost"));
    await expect(changes[Symbol.asyncIterator]().next()).rejects.toThrow("lost");
    await expect(listening.open(connection, {})).rejects.toMatchObject({ code: "connection-closed" });
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
