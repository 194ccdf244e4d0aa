import { expect, it } from "vitest";
import { ChangeListeners } from "./change-listeners.js";
import { ChangeQueue } from "./change-queue.js";
import type { SendCall } from "./client-call.js";
import { ConnectionSubscriptions, SubscribedResources } from "./connection-subscriptions.js";
import type { NegotiationResult } from "./negotiation.js";

/** A connection whose requests are answered by hand. */
function connection() {
  const sent: { readonly said: string; settle(error?: Error): void }[] = [];
  const send: SendCall = ({ method, params: { uri } }) =>
    new Promise((resolve, reject) => {
      const settle = (error?: Error) => (error ? reject(error) : resolve({}));
      sent.push({ said: `${method} ${uri}`, settle });
    });
  return { send, sent };
}

it("shares a refusal between those who asked together, and asks anew after it", async () => {
  const { send, sent } = connection();
  const subscribed = new SubscribedResources();
  const together = [subscribed.subscribe(send, "a://1"), subscribed.subscribe(send, "a://1")];
  sent[0]?.settle(new Error("no"));
  expect(await Promise.allSettled(together)).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
  const again = subscribed.subscribe(send, "a://1");
  sent[1]?.settle();
  const release = await again;
  const released = release();
  sent[2]?.settle();
  await released;
  expect(sent.map(({ said }) => said)).toEqual([
    "resources/subscribe a://1",
    "resources/subscribe a://1",
    "resources/unsubscribe a://1",
  ]);
});

it("lets a late refusal leave the question alone that was asked after it", async () => {
  const { send, sent } = connection();
  const subscribed = new SubscribedResources();
  const refused = [subscribed.subscribe(send, "a://1"), subscribed.subscribe(send, "a://1")];
  const asked = refused[0]?.catch(() => subscribed.subscribe(send, "a://1"));
  sent[0]?.settle(new Error("no"));
  await Promise.allSettled(refused);
  sent[1]?.settle();
  await asked;
  const shared = subscribed.subscribe(send, "a://1");
  await shared;
  expect(sent).toHaveLength(2);
});

it("has ended once it is stopped", async () => {
  const { send } = connection();
  const legacy = { negotiated: { revision: "2025-11-25", server: {} } as NegotiationResult };
  const subscriptions = new ConnectionSubscriptions(send, new ChangeListeners(), { supportedFilters: () => [] });
  const subscription = await subscriptions.open(legacy, { tools: true }, new ChangeQueue({ tools: true }));
  await subscription.stop();
  expect(await subscription.ended).toBeUndefined();
});
