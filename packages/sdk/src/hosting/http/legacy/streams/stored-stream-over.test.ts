import { expect, test } from "vitest";
import { InMemoryEventStore } from "./event-store.js";
import { StoredStream, type StreamLog } from "./stored-stream.js";

test("no process follows a stream that is over", async () => {
  const log: StreamLog = {
    store: new InMemoryEventStore(),
    sessionId: "s",
    retryMs: 1,
    resumes: { requests: 0, bytes: 0 },
    primes: false,
    report: (error) => expect(error).toBeUndefined(),
  };
  const stream = new StoredStream(log, () => undefined);
  expect(await stream.follow(true)).toBeDefined();

  stream.finish(false);

  expect(await stream.follow(true)).toBeUndefined();
});
