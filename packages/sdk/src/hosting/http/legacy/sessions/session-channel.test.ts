import { expect, it } from "vitest";
import { InMemorySessionChannel } from "./session-channel.js";
import { sessionChannelContract } from "./session-channel-contract.js";

sessionChannelContract(async () => {
  const channel = new InMemorySessionChannel();
  return [channel, channel];
});

it("keeps nothing of a session without subscribers", async () => {
  const channel = new InMemorySessionChannel();
  const [first, second] = [await channel.subscribe("s", () => {}), await channel.subscribe("s", () => {})];
  first();
  expect(channel.size).toBe(1);
  second();
  expect(channel.size).toBe(0);
});

it("tells nothing to a subscriber that has left since", async () => {
  const channel = new InMemorySessionChannel();
  const heard: unknown[] = [];
  const end = await channel.subscribe("s", (text) => heard.push(text));
  const published = channel.publish("s", "x");
  end();
  expect(await published).toBe(1);
  expect(heard).toEqual([]);
});
