import { expect, it } from "vitest";
import { WatchedResources } from "./watched-resources.js";

/** A connection whose requests are answered by hand. */
function connection() {
  const sent: { readonly said: string; settle(error?: Error): void }[] = [];
  const request = (method: string, { uri }: { uri?: unknown }) =>
    new Promise<Record<string, never>>((resolve, reject) => {
      const settle = (error?: Error) => (error ? reject(error) : resolve({}));
      sent.push({ said: `${method} ${uri}`, settle });
    });
  return { request, sent };
}

it("shares a refusal between those who asked together, and asks anew after it", async () => {
  const { request, sent } = connection();
  const watched = new WatchedResources();
  const together = [watched.watch({ request }, "a://1"), watched.watch({ request }, "a://1")];
  sent[0]?.settle(new Error("no"));
  expect(await Promise.allSettled(together)).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
  const again = watched.watch({ request }, "a://1");
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
  const { request, sent } = connection();
  const watched = new WatchedResources();
  const refused = [watched.watch({ request }, "a://1"), watched.watch({ request }, "a://1")];
  const asked = refused[0]?.catch(() => watched.watch({ request }, "a://1"));
  sent[0]?.settle(new Error("no"));
  await Promise.allSettled(refused);
  sent[1]?.settle();
  await asked;
  const shared = watched.watch({ request }, "a://1");
  await shared;
  expect(sent).toHaveLength(2);
});
