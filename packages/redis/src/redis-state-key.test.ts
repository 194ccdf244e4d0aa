import { expect, onTestFinished, test, vi } from "vitest";
import { shareStateKey } from "./redis-state-key.js";

/** A Redis with one key, which may be away. */
function startRedis() {
  const reports: Error[] = [];
  const redis = { stored: undefined as string | undefined, isAway: false };
  const send = async (_key: string, [command, , value]: readonly string[]) => {
    if (redis.isAway) throw new Error("away");
    const before = redis.stored ?? null;
    if (command === "SET") redis.stored ??= value;
    return before;
  };
  const connection = {
    key: (name: string) => name,
    send,
    report: (error: Error) => void reports.push(error),
    onReconnect: () => () => undefined,
  };
  return { redis, reports, connection };
}

async function share(connection: ReturnType<typeof startRedis>["connection"]) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const shared = await shareStateKey(connection);
  onTestFinished(() => shared.stop());
  return shared;
}

test("a key that Redis has lost is stored again within 30 seconds, and not once the process stops", async () => {
  const { redis, connection } = startRedis();
  const shared = await share(connection);
  const first = redis.stored;

  redis.stored = undefined;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(redis.stored).toBe(first);

  shared.stop();
  redis.stored = undefined;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(redis.stored).toBeUndefined();
});

test("a Redis that is away is no other key", async () => {
  const { redis, reports, connection } = startRedis();
  await share(connection);

  redis.isAway = true;
  await vi.advanceTimersByTimeAsync(60_000);

  expect(reports).toEqual([]);
});

test("a process that starts beside another one takes the key that was stored first", async () => {
  const { redis, connection } = startRedis();
  const other = Buffer.alloc(32, 7);
  const send = async (key: string, command: readonly string[]) => {
    const found = await connection.send(key, command);
    // The other process stores its key between the two commands of this one.
    if (command[0] === "GETEX") redis.stored = other.toString("base64");
    return found;
  };

  const shared = await share({ ...connection, send });

  expect(Buffer.from(shared.secret)).toEqual(other);
});

test("another key is reported once", async () => {
  const { redis, reports, connection } = startRedis();
  await share(connection);

  redis.stored = Buffer.alloc(32).toString("base64");
  await vi.advanceTimersByTimeAsync(90_000);

  expect(reports).toMatchObject([
    { code: "invalid-message", message: expect.stringContaining("state-key has changed") },
  ]);
});
