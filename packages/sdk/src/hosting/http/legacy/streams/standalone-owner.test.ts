import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { settled } from "../http-fakes.fixture.js";
import type { ChannelBody, ChannelMessage } from "../sessions/channel-message.js";
import { InMemorySessionChannel } from "../sessions/session-channel.js";
import { SessionLink } from "../sessions/session-link.js";
import { InMemoryEventStore } from "./event-store.js";
import { Outgoing } from "./event-stream.js";
import { StandaloneOwner } from "./standalone-owner.js";
import { StoredStream } from "./stored-stream.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const NUMBERS = { lastNumber: 0, lastSent: 0, claimed: 0 };

/** One process with the stream, or without, and a raw end of the channel that plays another process. */
async function setUp(isOwner: boolean) {
  const channel = new InMemorySessionChannel();
  const errors: Error[] = [];
  const link = new SessionLink("s", channel, (error) => errors.push(error));
  const store = new InMemoryEventStore();
  const log = { store, sessionId: "s", retryMs: 1, resumes: { requests: 0, bytes: 0 }, primes: true, report: () => {} };
  const stream = new StoredStream(log, () => {}, "stream");
  const ownership: (readonly [boolean, boolean])[] = [];
  const host = {
    ownership: (isOn: boolean, hasMissed: boolean) => void ownership.push([isOn, hasMissed]),
    claimedNumbers: async () => NUMBERS,
  };
  const owner = new StandaloneOwner(link, stream, host, isOwner);
  await link.open();
  link.attach({
    missed: () => {},
    receive: (message) => {
      if (message.kind === "claim") owner.receiveClaim(message);
      else if (message.kind === "emit") owner.receiveEmit(message);
      else if (message.kind === "claimed") void owner.lost();
    },
  });
  const heard: ChannelMessage[] = [];
  await channel.subscribe("s", (text) => {
    const message: ChannelMessage = JSON.parse(text ?? "");
    if (message.from !== "other") heard.push(message);
  });
  const say = async (body: ChannelBody) => {
    await channel.publish("s", JSON.stringify({ ...body, from: "other" }));
    await settled();
  };
  const replies = () => heard.flatMap((message) => (message.kind === "reply" ? [message.outcome] : []));
  const askOf = (kind: "claim" | "emit") => heard.flatMap((one) => (one.kind === kind ? [one.ask] : [])).at(-1) ?? "";
  const textOf = (ask: string) => heard.flatMap((one) => (one.kind === "emit" && one.ask === ask ? [one.text] : []))[0];
  return { owner, link, channel, store, stream, ownership, heard, say, replies, askOf, textOf };
}

const message = (text: string) => new Outgoing("notification", text);
const claim = (purpose: "listen" | "resume" | "emit" | "check") =>
  ({ kind: "claim", ask: "other.1", purpose }) as const;

describe("the owner of the standalone stream", () => {
  it("hands it over with its numbers, to a client that connects or resumes elsewhere", async () => {
    for (const purpose of ["listen", "resume"] as const) {
      const { owner, ownership, heard, say } = await setUp(true);
      await owner.emit(message("{}"));
      await say(claim(purpose));
      expect(heard.at(-1)).toMatchObject({ outcome: "yes", numbers: { lastNumber: 1, lastSent: 0 } });
      expect([owner.isOwner, ownership]).toEqual([false, [[false, false]]]);
    }
  });

  it("keeps it if another process only has a message, or asks whether it is taken", async () => {
    const { owner, say, replies } = await setUp(true);
    await say(claim("emit"));
    await say(claim("check"));
    expect([owner.isOwner, replies()]).toEqual([true, ["refused", "refused"]]);
  });

  it("stores the messages of others, and says if it cannot", async () => {
    const { say, store, stream, replies } = await setUp(true);
    await say({ kind: "emit", ask: "other.1", isRequest: true, text: "{}" });
    expect(store.size).toBe(1);
    vi.spyOn(stream, "emit").mockRejectedValueOnce(new Error("too much"));
    await say({ kind: "emit", ask: "other.2", isRequest: false, text: "{}" });
    expect(replies()).toEqual(["yes", "refused"]);
  });

  it("gives it up if another process has claimed it, and passes its messages on", async () => {
    const { owner, ownership, store, say, askOf, textOf } = await setUp(true);
    await store.claim("s", "stream");
    const sent = Promise.all([owner.emit(message("1")), owner.emit(message("2"))]);
    await settled();
    expect([owner.isOwner, ownership, store.size]).toEqual([false, [[false, false]], 0]);
    for (const text of ["1", "2"]) {
      expect(textOf(askOf("emit"))).toBe(text);
      await say({ kind: "reply", ask: askOf("emit"), outcome: "yes" });
    }
    await sent;
  });

  it("says no to the message of another process if a third one has claimed it", async () => {
    const { owner, store, say, replies } = await setUp(true);
    await store.claim("s", "stream");
    await say({ kind: "emit", ask: "other.1", isRequest: false, text: "{}" });
    expect([owner.isOwner, replies()]).toEqual([false, ["no"]]);
  });

  it("takes the stream from nobody if its session ends while it asks", async () => {
    const { owner, link, heard } = await setUp(false);
    const taken = owner.take("listen");
    await settled();
    link.close();
    expect(await taken).toBe(false);
    await settled();
    expect(heard.map(({ kind }) => kind)).toEqual(["claim"]);
  });

  it("has nothing to give up twice", async () => {
    const { owner, ownership, say } = await setUp(true);
    await say({ kind: "claimed" });
    await say({ kind: "claimed" });
    await owner.check();
    expect(ownership).toEqual([[false, false]]);
  });

  it("keeps the stream if nobody replies to a check, or the channel fails", async () => {
    const { owner, channel } = await setUp(true);
    const checked = owner.check();
    await vi.advanceTimersByTimeAsync(1_000);
    await checked;
    vi.spyOn(channel, "publish").mockRejectedValueOnce(new Error("no connection"));
    await owner.check();
    expect(owner.isOwner).toBe(true);
  });
});

describe("a process that takes the standalone stream over", () => {
  it("refuses claims that come after its own", async () => {
    const { owner, say, replies } = await setUp(false);
    const taken = owner.take("listen");
    await settled();
    await say(claim("listen"));
    expect(replies()).toEqual(["refused"]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await taken).toBe(true);
  });

  it("lets a client go first if it has only a message", async () => {
    const { owner, say, replies } = await setUp(false);
    const taken = owner.take("emit");
    await settled();
    await say(claim("listen"));
    expect(replies()).toEqual(["no"]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([await taken, owner.isOwner]).toEqual([false, false]);
  });

  it("lets a client go first until the end", async () => {
    const { owner, say, askOf } = await setUp(false);
    const taken = owner.take("emit");
    await settled();
    const [ask] = [askOf("claim")];
    const both = [say({ kind: "reply", ask, outcome: "no" }), say(claim("listen"))];
    await Promise.all(both);
    expect([await taken, owner.isOwner]).toEqual([false, false]);
  });

  it("holds 256 messages while it takes the stream over", async () => {
    const { owner, say, store, replies, askOf } = await setUp(false);
    const taken = owner.take("listen");
    await settled();
    for (let number = 0; number < 257; number += 1) {
      await say({ kind: "emit", ask: `other.${number}`, isRequest: false, text: "{}" });
    }
    expect(replies()).toEqual(["no"]);
    await say({ kind: "reply", ask: askOf("claim"), outcome: "yes", numbers: NUMBERS });
    expect(await taken).toBe(true);
    await settled();
    while (replies().length < 257) await settled();
    expect(store.size).toBe(256);
    expect(replies().filter((outcome) => outcome === "yes")).toHaveLength(256);
  });

  it("says no to messages that it held if it does not get the stream", async () => {
    const { owner, say, replies, askOf } = await setUp(false);
    const taken = owner.take("listen");
    await settled();
    await say({ kind: "emit", ask: "other.1", isRequest: false, text: "{}" });
    await say({ kind: "reply", ask: askOf("claim"), outcome: "refused" });
    expect([await taken, replies()]).toEqual([false, ["no"]]);
  });
});

describe("a process without the standalone stream", () => {
  it("lets no more than a mebi of characters wait for another process", async () => {
    const { owner } = await setUp(false);
    const half = message("x".repeat(600_000));
    const [first, second] = [owner.emit(half), owner.emit(half)];
    await expect(second).rejects.toMatchObject({ code: "too-large" });
    await vi.advanceTimersByTimeAsync(2_000);
    await first;
    await owner.emit(half);
  });

  it("sends its messages one after the other, and tries again where the stream has moved", async () => {
    const { owner, heard, say, askOf } = await setUp(false);
    const sent = owner.emit(message("1"));
    await settled();
    await say({ kind: "reply", ask: askOf("emit"), outcome: "no" });
    // Nobody has the stream, but another process takes it first.
    await say({ kind: "reply", ask: askOf("claim"), outcome: "refused" });
    await say({ kind: "reply", ask: askOf("emit"), outcome: "yes" });
    await sent;
    expect(heard.map(({ kind }) => kind)).toEqual(["emit", "claim", "emit"]);
  });

  it("gives a message up that the owner refuses, or that nobody takes", async () => {
    const { owner, say, askOf } = await setUp(false);
    const refused = expect(owner.emit(message("1"))).rejects.toMatchObject({ code: "connection-closed" });
    await settled();
    await say({ kind: "reply", ask: askOf("emit"), outcome: "refused" });
    await refused;
    const moving = expect(owner.emit(message("2"))).rejects.toMatchObject({ code: "connection-closed" });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await settled();
      await say({ kind: "reply", ask: askOf("emit"), outcome: "no" });
      await say({ kind: "reply", ask: askOf("claim"), outcome: "refused" });
    }
    await moving;
  });

  it("sends messages itself that waited while it took the stream over", async () => {
    const { owner, store, say, askOf } = await setUp(false);
    const first = owner.emit(message("1"));
    const second = owner.emit(message("2"));
    await settled();
    await say({ kind: "reply", ask: askOf("emit"), outcome: "no" });
    await say({ kind: "reply", ask: askOf("claim"), outcome: "no" });
    await Promise.all([first, second]);
    expect(store.size).toBe(2);
  });
});
