import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type AnnouncedChange, InMemoryChangeBus } from "./change-bus.js";
import { ChangeDelivery } from "./change-delivery.js";

const TOOLS: AnnouncedChange = { kind: "tools" };
const PROMPTS: AnnouncedChange = { kind: "prompts" };

function feeding() {
  const bus = new InMemoryChangeBus();
  const errors: Error[] = [];
  const feed = new ChangeDelivery(bus, (error) => errors.push(error));
  const heard: string[] = [];
  const listen = (count: number) =>
    Array.from({ length: count }, (_, index) => feed.subscribe(({ kind }) => heard.push(`${kind} ${index}`) > 0));
  return { bus, errors, feed, heard, listen };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("ChangeDelivery", () => {
  it("calls 25 listeners in the turn of the change, and the others in later turns", () => {
    const { bus, heard, listen } = feeding();
    listen(60);

    bus.publish(TOOLS);
    expect(heard).toHaveLength(25);
    vi.advanceTimersToNextTimer();
    expect(heard).toHaveLength(50);
    vi.advanceTimersToNextTimer();
    expect(heard).toHaveLength(60);
    expect(new Set(heard).size).toBe(60);
  });

  it("delivers changes in order, and an equal one that waits once", () => {
    const { bus, heard, listen } = feeding();
    listen(26);

    bus.publish(TOOLS);
    bus.publish(PROMPTS);
    bus.publish(TOOLS);
    bus.publish(PROMPTS);
    vi.runAllTimers();
    expect(heard.filter((one) => one.endsWith(" 25"))).toEqual(["tools 25", "prompts 25", "tools 25"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not call a listener that left between two turns", () => {
    const { bus, heard, listen } = feeding();
    const leave = listen(40);

    bus.publish(TOOLS);
    leave[30]?.();
    vi.runAllTimers();
    expect(heard).toHaveLength(39);
    expect(heard).not.toContain("tools 30");
  });

  it.each([false, undefined])("calls 1,000 listeners in a turn that are not interested (%s)", (isDelivered) => {
    const { bus, feed } = feeding();
    const hear = vi.fn(() => isDelivered);
    for (let index = 0; index < 1_500; index += 1) feed.subscribe(hear);

    bus.publish(TOOLS);
    expect(hear).toHaveBeenCalledTimes(1_000);
    vi.advanceTimersToNextTimer();
    expect(hear).toHaveBeenCalledTimes(1_500);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends a turn after 25 deliveries, to which listeners that are not interested do not count", () => {
    const { bus, feed } = feeding();
    const hear = vi.fn((index: number) => index % 2 === 1);
    for (let index = 0; index < 60; index += 1) feed.subscribe(() => hear(index));

    bus.publish(TOOLS);
    expect(hear).toHaveBeenCalledTimes(50);
    vi.advanceTimersToNextTimer();
    expect(hear).toHaveBeenCalledTimes(60);
  });

  it("delivers at once beyond 10,000 waiting changes, so that none is lost", () => {
    const { bus, heard, listen } = feeding();
    listen(26);

    for (let index = 0; index <= 10_000; index += 1) bus.publish({ kind: "resource", uri: `a://${index}` });
    expect(heard).toHaveLength(25);
    bus.publish(TOOLS);
    expect(heard).toHaveLength(26 * 10_002);
    expect(vi.getTimerCount()).toBe(0);
    vi.runAllTimers();
    expect(heard).toHaveLength(26 * 10_002);
  });

  it("delivers a change that a listener publishes", () => {
    const { bus, feed, heard, listen } = feeding();
    feed.subscribe(({ kind }) => {
      if (kind === "tools") bus.publish(PROMPTS);
    });
    listen(1);

    bus.publish(TOOLS);
    expect(heard).toEqual(["tools 0", "prompts 0"]);
  });

  it("reports a listener that throws, and calls the others", () => {
    const { bus, errors, feed, heard, listen } = feeding();
    feed.subscribe(() => {
      throw new Error("gone");
    });
    listen(1);

    bus.publish(TOOLS);
    expect(heard).toEqual(["tools 0"]);
    expect(errors.map(({ cause }) => cause)).toEqual([new Error("gone")]);
  });

  it("is subscribed to the bus while it has listeners, with one subscription", () => {
    let open = 0;
    const subscribe = vi.fn(() => {
      open += 1;
      return () => {
        open -= 1;
      };
    });
    const feed = new ChangeDelivery({ publish: () => undefined, subscribe }, () => undefined);

    const leave = [1, 2].map(() => feed.subscribe(() => undefined));
    expect(open).toBe(1);
    leave[0]?.();
    leave[0]?.();
    expect(open).toBe(1);
    leave[1]?.();
    expect(open).toBe(0);
    feed.subscribe(() => undefined);
    expect(open).toBe(1);
  });
});
