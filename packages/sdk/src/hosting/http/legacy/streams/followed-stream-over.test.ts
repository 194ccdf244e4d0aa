import { expect, onTestFinished, test, vi } from "vitest";
import { FakeRequest, FakeResponse } from "../http-fakes.fixture.js";
import type { SessionLink } from "../sessions/session-link.js";
import { EventConnection } from "./event-connection.js";
import { InMemoryEventStore } from "./event-store.js";
import { FollowedStream } from "./followed-stream.js";
import type { StreamLog } from "./stored-stream.js";

test("a stream that is over asks for its writer no more", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const log: StreamLog = {
    store: new InMemoryEventStore(),
    sessionId: "s",
    retryMs: 1,
    resumes: { requests: 0, bytes: 0 },
    primes: false,
    report: (error) => expect(error).toBeUndefined(),
  };
  const ask = vi.fn(async () => ({ numbers: { lastNumber: 0, lastStored: 0 } }));
  const request = new FakeRequest("GET");
  const response = new FakeResponse(request);
  const stream = new FollowedStream("stream", log, { ask } as unknown as SessionLink, () => undefined);
  await stream.start(0, () => new EventConnection(request, response, 15_000, () => undefined));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(ask).toHaveBeenCalledTimes(2);

  stream.end();

  expect(vi.getTimerCount()).toBe(0);
});
