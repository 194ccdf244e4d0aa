import { expect, it, vi } from "vitest";
import { TopicNotifications } from "./topic-notifications.js";

/** Notifications whose sending is finished by hand. */
function byHand() {
  const sent: { readonly topic: string; finish(error?: Error): void }[] = [];
  const onError = vi.fn();
  const notifications = new TopicNotifications(
    (topic) =>
      new Promise((resolve, reject) => {
        sent.push({ topic, finish: (error) => (error ? reject(error) : resolve()) });
      }),
    onError,
  );
  const topics = () => sent.map(({ topic }) => topic);
  return { notifications, sent, topics, onError };
}

it("sends one more notification for a burst of changes", async () => {
  const { notifications, sent, topics } = byHand();
  for (let count = 0; count < 10; count += 1) notifications.changed("a");
  expect(topics()).toEqual(["a"]);
  sent[0]?.finish();
  await vi.waitFor(() => expect(topics()).toEqual(["a", "a"]));
  sent[1]?.finish();
  await new Promise(setImmediate);
  expect(topics()).toEqual(["a", "a"]);
  notifications.changed("a");
  expect(topics()).toEqual(["a", "a", "a"]);
});

it("lets no topic wait for another", () => {
  const { notifications, topics } = byHand();
  notifications.changed("a");
  notifications.changed("b");
  expect(topics()).toEqual(["a", "b"]);
});

it("reports a failure, and goes on", async () => {
  const { notifications, sent, topics, onError } = byHand();
  const failure = new Error("no status");
  notifications.changed("a");
  notifications.changed("a");
  sent[0]?.finish(failure);
  await vi.waitFor(() => expect(topics()).toEqual(["a", "a"]));
  expect(onError.mock.calls).toEqual([["a", failure]]);
});

it("sends and reports nothing after its end", async () => {
  const { notifications, sent, topics, onError } = byHand();
  notifications.changed("a");
  notifications.changed("a");
  notifications.end();
  sent[0]?.finish(new Error("the stream has ended"));
  await new Promise(setImmediate);
  notifications.changed("b");
  expect(topics()).toEqual(["a"]);
  expect(onError).not.toHaveBeenCalled();
});
