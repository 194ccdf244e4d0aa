import { describe, expect, it, vi } from "vitest";
import { type ChangeListener, ChangeListeners } from "./change-listeners.js";
import { jobIds } from "./job-filter.fixture.js";

const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";
const TOOLS = "notifications/tools/list_changed";
const UPDATED = "notifications/resources/updated";
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

function listener() {
  return { acknowledged: vi.fn(), changed: vi.fn(), ended: vi.fn() } satisfies ChangeListener;
}

function feedWith(...ids: string[]) {
  const feed = new ChangeListeners();
  const listeners = ids.map((id) => {
    const each = listener();
    feed.add(id, each);
    return each;
  });
  return { feed, listeners };
}

describe("receiving", () => {
  it("hands what names nobody to everybody, and what names one to that one", () => {
    const { feed, listeners } = feedWith("one", "two");
    feed.receive("2025-11-25", TOOLS, {});
    feed.receive("2026-07-28", UPDATED, { uri: "a://1", _meta: { [SUBSCRIPTION_ID]: "two" } });
    feed.receive("2026-07-28", TOOLS, { _meta: { [SUBSCRIPTION_ID]: 1 } });
    expect(listeners[0]?.changed.mock.calls).toEqual([[{ kind: "tools" }]]);
    expect(listeners[1]?.changed.mock.calls).toEqual([[{ kind: "tools" }], [{ kind: "resource", uri: "a://1" }]]);
  });

  it("takes an acknowledgment only for the one it names, and only where it exists", () => {
    const { feed, listeners } = feedWith("one", "two");
    feed.add("legacy", { changed: vi.fn(), ended: vi.fn() });
    const acknowledge = (id: unknown) => ({
      notifications: { toolsListChanged: true },
      _meta: { [SUBSCRIPTION_ID]: id },
    });
    feed.receive("2026-07-28", ACKNOWLEDGED, { notifications: {} });
    feed.receive("2026-07-28", ACKNOWLEDGED, acknowledge("none"));
    feed.receive("2026-07-28", ACKNOWLEDGED, acknowledge("legacy"));
    feed.receive("2025-11-25", ACKNOWLEDGED, acknowledge("one"));
    expect(listeners[0]?.acknowledged).not.toHaveBeenCalled();
    feed.receive("2026-07-28", ACKNOWLEDGED, acknowledge("one"));
    expect(listeners[0]?.acknowledged.mock.calls).toEqual([[{ toolsListChanged: true }]]);
    expect(listeners[1]?.acknowledged).not.toHaveBeenCalled();
  });

  it("leaves out what is malformed, and what is no change", () => {
    const { feed, listeners } = feedWith("one");
    feed.receive("2025-11-25", UPDATED, {});
    feed.receive("2025-11-25", UPDATED, { uri: 7 });
    feed.receive("2025-11-25", "notifications/message", { level: "info", data: "hello" });
    feed.receive("2025-11-25", "acme/changed", {});
    expect(listeners[0]?.changed).not.toHaveBeenCalled();
  });

  it("stops with the subscription", () => {
    const { feed, listeners } = feedWith("one", "two");
    feed.delete("one");
    feed.receive("2025-11-25", TOOLS, {});
    expect(listeners[0]?.changed).not.toHaveBeenCalled();
    expect(listeners[1]?.changed).toHaveBeenCalledOnce();
  });
});

it("ends every listener once, with the error there was", () => {
  const { feed, listeners } = feedWith("one", "two");
  const lost = new Error("lost");
  feed.end(lost);
  feed.end();
  for (const { ended } of listeners) expect(ended.mock.calls).toEqual([[lost]]);
});

it("passes a notification of an extension to the subscription that it names, and to no other", () => {
  const listeners = new ChangeListeners();
  const changed = vi.fn();
  listeners.add("listen-1", { changed, ended: () => {} });
  const receive = (meta: object) =>
    listeners.receive("2026-07-28", "notifications/acme/job", { jobId: "j1", ...meta }, jobIds);
  receive({});
  receive({ _meta: { [SUBSCRIPTION_ID]: "listen-2" } });
  expect(changed).not.toHaveBeenCalled();
  receive({ _meta: { [SUBSCRIPTION_ID]: "listen-1" } });
  expect(changed.mock.calls).toMatchObject([[{ kind: "extension", topic: "j1" }, expect.any(Number)]]);
});
