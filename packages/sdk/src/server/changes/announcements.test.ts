import { expect, it, vi } from "vitest";
import { Announcements } from "./announcements.js";
import type { AnnouncedChange } from "./change-bus.js";

const subscribe = () => () => undefined;

/** Until the microtasks that are due have run. */
const turn = () => new Promise<void>((resolve) => queueMicrotask(resolve));

it("publishes what was announced in one turn once per list and resource, after the turn", async () => {
  const published: AnnouncedChange[] = [];
  const announcements = new Announcements({ publish: (change) => void published.push(change), subscribe }, vi.fn());
  announcements.announce({ kind: "tools" });
  announcements.announce({ kind: "resource", uri: "a://1" });
  announcements.announce({ kind: "tools" });
  announcements.announce({ kind: "resource", uri: "a://2" });
  expect(published).toEqual([]);
  await turn();
  expect(published).toEqual([
    { kind: "tools" },
    { kind: "resource", uri: "a://1" },
    { kind: "resource", uri: "a://2" },
  ]);
  announcements.announce({ kind: "tools" });
  await turn();
  expect(published).toHaveLength(4);
});

it("does not wait for a bus that hangs over one change", async () => {
  const published: string[] = [];
  const publish = ({ kind }: AnnouncedChange) => {
    published.push(kind);
    return new Promise<void>(() => undefined);
  };
  const announcements = new Announcements({ publish, subscribe }, vi.fn());
  announcements.announce({ kind: "tools" });
  announcements.announce({ kind: "prompts" });
  await turn();
  expect(published).toEqual(["tools", "prompts"]);
});

it("survives a bus that fails and an onError that does too", async () => {
  const onError = vi.fn(() => {
    throw new Error("nor this");
  });
  const publish = () => {
    throw new Error("not this");
  };
  const announcements = new Announcements({ publish, subscribe }, onError);
  announcements.announce({ kind: "prompts" });
  await turn();
  expect(onError.mock.calls).toMatchObject([[{ code: "handler-failed", cause: { message: "not this" } }]]);
});

it("names the topic that it could not publish", async () => {
  const onError = vi.fn();
  const publish = () => Promise.reject(new Error("no"));
  new Announcements({ publish, subscribe }, onError).announce({ kind: "extension", filter: "acmeJobIds", topic: "j1" });
  await turn();
  expect(onError).toHaveBeenCalledWith(
    expect.objectContaining({ message: expect.stringContaining("a change of j1 (acmeJobIds)") }),
  );
});
