/** The contract suite of `SessionChannel`. */
import { describe, expect, it } from "vitest";
import type { SessionChannel } from "./session-channel.js";

/** `open` makes two ends of one channel, such as those of two processes. */
export function sessionChannelContract(open: () => Promise<readonly [SessionChannel, SessionChannel]>): void {
  /** The texts that a listener hears, and a promise of the first so many. */
  function listening() {
    const texts: (string | undefined)[] = [];
    const waiting: (() => void)[] = [];
    return {
      texts,
      listener: (text: string | undefined) => {
        texts.push(text);
        for (const check of waiting) check();
      },
      heard: (count: number) =>
        new Promise<void>((resolve) => {
          const check = () => {
            if (texts.length >= count) resolve();
          };
          waiting.push(check);
          check();
        }),
    };
  }

  describe("a channel of sessions", () => {
    it("carries texts to every subscriber of the session, the publisher included, and counts them", async () => {
      const [here, there] = await open();
      const [one, other, stranger] = [listening(), listening(), listening()];
      await here.subscribe("s", one.listener);
      await there.subscribe("s", other.listener);
      await there.subscribe("t", stranger.listener);
      expect(await here.publish("s", "é")).toBe(2);
      await Promise.all([one.heard(1), other.heard(1)]);
      expect([one.texts, other.texts, stranger.texts]).toEqual([["é"], ["é"], []]);
    });

    it("keeps one order at all subscribers", async () => {
      const [here, there] = await open();
      const [one, other] = [listening(), listening()];
      await here.subscribe("s", (text) => {
        one.listener(text);
        if (text === "1") void here.publish("s", "answer");
      });
      await there.subscribe("s", other.listener);
      await Promise.all([here.publish("s", "1"), there.publish("s", "2"), here.publish("s", "3")]);
      await Promise.all([one.heard(4), other.heard(4)]);
      expect(other.texts).toEqual(one.texts);
      expect(one.texts.toSorted()).toEqual(["1", "2", "3", "answer"]);
    });

    it("reaches nobody without a subscriber", async () => {
      const [here, there] = await open();
      const ended = listening();
      const end = await there.subscribe("s", ended.listener);
      await end();
      await end();
      expect(await here.publish("s", "x")).toBe(0);
      const again = listening();
      await there.subscribe("s", again.listener);
      expect(await here.publish("s", "y")).toBe(1);
      await again.heard(1);
      expect([ended.texts, again.texts]).toEqual([[], ["y"]]);
    });
  });
}
