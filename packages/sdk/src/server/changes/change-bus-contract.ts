/** The contract suite of `ChangeBus`. */
import { describe, expect, it, vi } from "vitest";
import type { AnnouncedChange, ChangeBus } from "./change-bus.js";

export function changeBusContract(open: () => Promise<ChangeBus>): void {
  const CHANGES: readonly AnnouncedChange[] = [
    { kind: "tools" },
    { kind: "prompts" },
    { kind: "resources" },
    { kind: "resource", uri: "file:///é" },
    { kind: "elicitation", elicitationId: "e" },
    { kind: "extension", filter: "f", topic: "a topic" },
    { kind: "missed" },
  ];
  const LAST: AnnouncedChange = { kind: "resource", uri: "file:///last" };

  /** Publishes the last change, and waits until the list ends with it. */
  async function hearAll(bus: ChangeBus, heard: readonly AnnouncedChange[]): Promise<void> {
    // A bus in this process throws the error of a listener.
    await Promise.allSettled([(async () => bus.publish(LAST))()]);
    await vi.waitFor(() => expect(heard.at(-1)).toEqual(LAST));
  }

  describe("a change bus", () => {
    it("carries every change to every listener, in order and once", async () => {
      const bus = await open();
      const [first, second]: [AnnouncedChange[], AnnouncedChange[]] = [[], []];
      for (const heard of [first, second]) bus.subscribe((change) => void heard.push(change));
      for (const change of CHANGES) await bus.publish(change);
      await hearAll(bus, second);
      expect(first).toEqual([...CHANGES, LAST]);
      expect(second).toEqual([...CHANGES, LAST]);
    });

    it("lets one function listen twice, and stop once", async () => {
      const bus = await open();
      const heard: AnnouncedChange[] = [];
      const listener = (change: AnnouncedChange) => void heard.push(change);
      const stop = bus.subscribe(listener);
      bus.subscribe(listener);
      stop();
      stop();
      await hearAll(bus, heard);
      expect(heard).toEqual([LAST]);
    });

    it("tells the other listeners if one throws", async () => {
      const bus = await open();
      const heard: AnnouncedChange[] = [];
      bus.subscribe(() => {
        throw new Error("no");
      });
      bus.subscribe((change) => void heard.push(change));
      await hearAll(bus, heard);
      expect(heard).toEqual([LAST]);
    });
  });
}
