import { expect, it } from "vitest";
import { type AnnouncedChange, InMemoryChangeBus } from "./change-bus.js";
import { LegacyWatch } from "./legacy-watch.js";

const ANNOUNCED = { tools: { listChanged: true }, resources: { subscribe: true } };

function watching(maxUris = 2) {
  const bus = new InMemoryChangeBus();
  const watch = new LegacyWatch(bus, maxUris);
  watch.announced = ANNOUNCED;
  const sent: unknown[] = [];
  const start = () => watch.start({ notify: async (method, params) => void sent.push([method, params]) });
  return { bus, watch, sent, start };
}

it("sends announced lists and watched resources, once started, once each", () => {
  const { bus, watch, sent, start } = watching();
  bus.publish({ kind: "tools" });
  start();
  start();
  watch.subscribe("a://1");
  bus.publish({ kind: "tools" });
  bus.publish({ kind: "prompts" });
  bus.publish({ kind: "resources" });
  bus.publish({ kind: "resource", uri: "a://1" });
  bus.publish({ kind: "resource", uri: "a://2" });
  expect(sent).toEqual([
    ["notifications/tools/list_changed", {}],
    ["notifications/resources/updated", { uri: "a://1" }],
  ]);
});

it("goes by what is announced even if that is known only after the start", () => {
  const { bus, watch, sent, start } = watching();
  watch.announced = {};
  start();
  bus.publish({ kind: "tools" });
  watch.announced = ANNOUNCED;
  bus.publish({ kind: "tools" });
  expect(sent).toHaveLength(1);
});

it("tells whether it delivered", () => {
  const hears: ((change: AnnouncedChange) => unknown)[] = [];
  const subscribe = (hear: (change: AnnouncedChange) => unknown) => {
    hears.push(hear);
    return () => undefined;
  };
  const watch = new LegacyWatch({ subscribe }, 1);
  watch.announced = ANNOUNCED;
  watch.start({ notify: async () => undefined });
  const ofExtension = { kind: "extension", filter: "acmeJobIds", topic: "j1" } as const;
  const changes: readonly AnnouncedChange[] = [{ kind: "tools" }, { kind: "prompts" }, ofExtension];
  expect(changes.map((change) => hears[0]?.(change))).toEqual([true, false, false]);
});

it("has room for as many as it may watch", () => {
  const { watch } = watching(2);
  watch.subscribe("a://1");
  watch.checkRoom();
  watch.subscribe("a://2");
  expect(() => watch.checkRoom()).toThrow(expect.objectContaining({ code: 429, data: { limit: "session" } }));
  expect([watch.unsubscribe("a://1"), watch.unsubscribe("a://1")]).toEqual([true, false]);
  watch.checkRoom();
});

it("is silent once stopped, and stopping before the start is fine", () => {
  const { bus, watch, sent, start } = watching();
  watch.stop();
  start();
  watch.stop();
  start();
  bus.publish({ kind: "tools" });
  expect(sent).toEqual([]);
});

it("sends all announced lists and watched resources when changes were missed", () => {
  const { bus, watch, sent, start } = watching();
  start();
  watch.subscribe("a://1");
  watch.subscribe("a://2");
  bus.publish({ kind: "missed" });
  expect(sent).toEqual([
    ["notifications/tools/list_changed", {}],
    ["notifications/resources/updated", { uri: "a://1" }],
    ["notifications/resources/updated", { uri: "a://2" }],
  ]);
});
