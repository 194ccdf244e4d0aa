import { describe, expect, it, vi } from "vitest";
import { type AnnouncedChange, changeKey, InMemoryChangeBus } from "./change-bus.js";
import { changeBusContract } from "./change-bus-contract.js";

const TOOLS: AnnouncedChange = { kind: "tools" };

changeBusContract(async () => new InMemoryChangeBus());

describe("InMemoryChangeBus", () => {
  it("tells every listener, in the order they came, until it stops", () => {
    const bus = new InMemoryChangeBus();
    const heard: string[] = [];
    const stopFirst = bus.subscribe(({ kind }) => void heard.push(`first ${kind}`));
    bus.subscribe(({ kind }) => void heard.push(`second ${kind}`));
    bus.publish(TOOLS);
    stopFirst();
    stopFirst();
    bus.publish({ kind: "prompts" });
    expect(heard).toEqual(["first tools", "second tools", "second prompts"]);
  });

  it("lets one function listen twice, and stop once", () => {
    const bus = new InMemoryChangeBus();
    const listener = vi.fn();
    const stop = bus.subscribe(listener);
    bus.subscribe(listener);
    stop();
    bus.publish(TOOLS);
    expect(listener).toHaveBeenCalledOnce();
  });

  it("tells the others before it throws what one threw", () => {
    const bus = new InMemoryChangeBus();
    const heard = vi.fn();
    bus.subscribe(() => {
      throw new Error("first");
    });
    bus.subscribe(heard);
    expect(() => bus.publish(TOOLS)).toThrow(
      expect.objectContaining({ name: "AggregateError", errors: [expect.objectContaining({ message: "first" })] }),
    );
    expect(heard).toHaveBeenCalledWith(TOOLS);
  });

  it("lets a listener stop while it is told", () => {
    const bus = new InMemoryChangeBus();
    const heard = vi.fn();
    const stop = bus.subscribe(() => stop());
    bus.subscribe(heard);
    bus.publish(TOOLS);
    expect(heard).toHaveBeenCalledOnce();
  });
});

it("tells changes apart by kind, and by what they are about", () => {
  const changes: AnnouncedChange[] = [
    TOOLS,
    { kind: "resources" },
    { kind: "resource", uri: "s" },
    { kind: "resource", uri: "t" },
    { kind: "elicitation", elicitationId: "s" },
    { kind: "elicitation", elicitationId: "t" },
    { kind: "extension", filter: "jobs", topic: "s" },
    { kind: "extension", filter: "jobs", topic: "t" },
    { kind: "extension", filter: "files", topic: "s" },
  ];
  expect(new Set(changes.map(changeKey)).size).toBe(changes.length);
});
