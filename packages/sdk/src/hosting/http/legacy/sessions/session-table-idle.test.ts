import { expect, onTestFinished, test, vi } from "vitest";
import { setUpLegacy } from "../http-fakes.fixture.js";
import { InMemorySessionStore } from "./session-store.js";

test("a stored session that was idle for long goes on at the same process", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const legacy = setUpLegacy({ sessionStore: new InMemorySessionStore(), sessionIdleMs: 10_000 });
  const client = await legacy.client().open();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(legacy.endpoint.size).toBe(0);

  const answer = await client.request(1, "ping").ended();

  expect(answer.status).toBe(200);
});
