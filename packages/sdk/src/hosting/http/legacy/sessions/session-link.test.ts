import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { settled } from "../http-fakes.fixture.js";
import type { ChannelMessage } from "./channel-message.js";
import { InMemorySessionChannel } from "./session-channel.js";
import { SessionLink } from "./session-link.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function links(count: number) {
  const channel = new InMemorySessionChannel();
  const errors: Error[] = [];
  const made = Array.from({ length: count }, () => new SessionLink("s", channel, (error) => errors.push(error)));
  return { channel, errors, made: made as [SessionLink, SessionLink] };
}

function receiver() {
  const messages: ChannelMessage[] = [];
  return { messages, receive: (message: ChannelMessage) => void messages.push(message), missed: () => undefined };
}

const CLAIM = { kind: "claim", purpose: "listen" } as const;

describe("the channel of a session", () => {
  it("gets no reply from a process that is silent for a second", async () => {
    const { made } = links(2);
    const [one, other] = made;
    await Promise.all([one.open(), other.open()]);
    other.attach(receiver());
    const asked = one.ask(CLAIM);
    const replied = vi.fn();
    void asked.then(replied);
    await vi.advanceTimersByTimeAsync(999);
    expect(replied).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await asked).toBeUndefined();
  });

  it("waits for replies from the time at which the channel has taken the question", async () => {
    const { made, channel } = links(2);
    const [one, other] = made;
    await Promise.all([one.open(), other.open()]);
    other.attach({ ...receiver(), receive: (message) => "ask" in message && other.reply(message.ask, "yes") });
    const publish = channel.publish.bind(channel);
    vi.spyOn(channel, "publish").mockImplementationOnce(async (...given) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return publish(...given);
    });
    const asked = one.ask(CLAIM);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(await asked).toMatchObject({ outcome: "yes" });
  });

  it("ends a subscription that comes too late", async () => {
    const { made, channel } = links(1);
    const subscribe = channel.subscribe.bind(channel);
    vi.spyOn(channel, "subscribe").mockImplementationOnce(async (...given) => {
      await new Promise((resolve) => setTimeout(resolve, 11_000));
      return subscribe(...given);
    });
    const opened = expect(made[0].open()).rejects.toMatchObject({ code: "request-timeout" });
    await vi.advanceTimersByTimeAsync(10_000);
    await opened;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(channel.size).toBe(0);
  });

  it("gets no reply at once where there is no other process, or all say no", async () => {
    const { made } = links(2);
    const [one, other] = made;
    await one.open();
    expect(await one.ask(CLAIM)).toBeUndefined();
    await other.open();
    // Without a session, the other end says no by itself.
    expect(await one.ask(CLAIM)).toBeUndefined();
  });

  it("keeps the first reply that is not no, and ignores those to nobody", async () => {
    const { made } = links(2);
    const [one, other] = made;
    await Promise.all([one.open(), other.open()]);
    const { messages, ...heard } = receiver();
    other.attach({ ...heard, receive: (message) => "ask" in message && other.reply(message.ask, "refused") });
    other.reply("nobody.1", "yes");
    expect(await one.ask(CLAIM)).toMatchObject({ outcome: "refused" });
    expect(messages).toEqual([]);
  });

  it("keeps 64 messages for a session that is not read yet", async () => {
    const { made } = links(2);
    const [one, other] = made;
    await Promise.all([one.open(), other.open()]);
    for (let number = 0; number < 70; number += 1) one.send({ kind: "message", message: { number } });
    await settled();
    const heard = receiver();
    other.attach(heard);
    expect(heard.messages).toHaveLength(64);
    expect(heard.messages[0]).toMatchObject({ kind: "message", message: { number: 0 } });
  });

  it("keeps no more than a mebi of characters for a session that is not read yet", async () => {
    const { made } = links(2);
    const [one, other] = made;
    await Promise.all([one.open(), other.open()]);
    const text = "x".repeat(300_000);
    for (let number = 0; number < 5; number += 1) await one.publish({ kind: "message", message: { number, text } });
    await one.publish({ kind: "message", message: { number: 5 } });
    await settled();
    const heard = receiver();
    other.attach(heard);
    expect(heard.messages).toMatchObject([0, 1, 2, 5].map((number) => ({ message: { number } })));
  });

  it("drops messages beyond a mebi of characters that a slow channel has not taken, but no large one alone", async () => {
    const { made, channel, errors } = links(1);
    const text = "x".repeat(600_000);
    const publish = vi.spyOn(channel, "publish").mockImplementation(() => new Promise(() => undefined));
    made[0].send({ kind: "message", message: { text: text + text } });
    expect([publish.mock.calls.length, errors.length]).toEqual([1, 0]);
    made[0].send({ kind: "message", message: {} });
    expect([publish.mock.calls.length, errors.length]).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(10_000);
    for (let count = 0; count < 3; count += 1) made[0].send({ kind: "message", message: { text } });
    expect(publish.mock.calls.length).toBe(2);
  });

  it("reports messages that it cannot read", async () => {
    const { channel, made, errors } = links(1);
    await made[0].open();
    const state = { kind: "state", from: "x", record: { handshake: {}, version: 1, savedAt: 1 } };
    for (const text of ["{", "null", '{"kind":"ended"}', '{"from":"x","kind":"other"}', JSON.stringify(state)]) {
      await channel.publish("s", text);
    }
    await settled();
    expect(errors).toHaveLength(5);
  });

  it("rejects a question, and reports a message, if the channel fails", async () => {
    const { channel, made, errors } = links(1);
    await made[0].open();
    vi.spyOn(channel, "publish").mockRejectedValue(new Error("no connection"));
    await expect(made[0].ask(CLAIM)).rejects.toThrow("no connection");
    made[0].send({ kind: "ended" });
    await settled();
    expect(errors).toMatchObject([{ message: "The channel of a session failed" }]);
  });

  it("is subscribed to again after a failure, and given up after ten seconds", async () => {
    const { channel, made } = links(1);
    const subscribe = vi.spyOn(channel, "subscribe");
    subscribe.mockRejectedValueOnce(new Error("no connection"));
    await expect(made[0].open()).rejects.toThrow("no connection");
    subscribe.mockReturnValueOnce(new Promise(() => undefined));
    const opening = expect(made[0].open()).rejects.toThrow("subscribe of the session channel has not settled");
    await vi.advanceTimersByTimeAsync(10_000);
    await opening;
    await made[0].open();
    expect(channel.size).toBe(1);
  });

  it("is left when it is closed, also while it is being subscribed to", async () => {
    const { channel, made, errors } = links(2);
    const [one, other] = made;
    const heard = receiver();
    one.attach(heard);
    const opening = one.open();
    one.close();
    await opening;
    await settled();
    expect(channel.size).toBe(0);
    await other.open();
    const asked = other.ask(CLAIM);
    other.close();
    other.close();
    expect(await asked).toBeUndefined();
    expect([heard.messages, errors]).toEqual([[], []]);
  });

  it("reports that it could not be left, and not that it was closed before it was subscribed to", async () => {
    const { channel, made, errors } = links(2);
    const subscribe = vi.spyOn(channel, "subscribe");
    subscribe.mockResolvedValueOnce(() => Promise.reject(new Error("no connection")));
    await made[0].open();
    made[0].close();
    made[0].close();
    await settled();
    expect(errors).toHaveLength(1);
    subscribe.mockRejectedValueOnce(new Error("no connection"));
    const opening = expect(made[1].open()).rejects.toThrow("no connection");
    made[1].close();
    await opening;
  });

  it("hears nothing once it is closed", async () => {
    const { channel, made, errors } = links(1);
    let hear: (text: string | undefined) => void = () => undefined;
    vi.spyOn(channel, "subscribe").mockImplementation(async (_id, listener) => {
      hear = listener;
      return () => undefined;
    });
    await made[0].open();
    made[0].close();
    hear("{");
    expect(errors).toEqual([]);
  });
});
