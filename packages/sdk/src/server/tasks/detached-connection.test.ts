import { expect, it, vi } from "vitest";
import type { ServerDefinition } from "../server-connection.js";
import { DetachedConnection } from "./detached-connection.js";

it("holds the settings of its server, and subscribes to nothing", async () => {
  const subscribe = vi.fn();
  const settings = {
    revisions: ["2026-07-28"],
    maxLogMessagesPerSecond: 7,
    progressIntervalMs: 8,
    extensions: {},
    pageSchemes: ["https:"],
  };
  // The connection reads no other member.
  const definition = { ...settings, changes: { subscribe }, maxSubscribedResources: 9 } as unknown as ServerDefinition;
  const connection = new DetachedConnection(definition);

  expect(connection).toMatchObject(settings);
  expect(connection).toMatchObject({ isReady: true, declaresLogging: false, logLevel: "emergency", restrictions: {} });
  expect(await connection.notify()).toBeUndefined();
  connection.subscribe();
  connection.unsubscribe();
  expect(connection.watch.uris).toEqual([]);
  expect(subscribe).not.toHaveBeenCalled();
});
