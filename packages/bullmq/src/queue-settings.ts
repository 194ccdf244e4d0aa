/** The settings that the two ends of a queue share: its name in Redis, its connection, and the report of errors. */
import { Redis, type RedisOptions } from "ioredis";
import { SdkError } from "parley-mcp/server";

/** The names of the queue in Redis. Servers and workers of one queue have the same ones. */
export interface TaskQueueOptions {
  /** The first part of every key. Servers that share their tasks have the same prefix. @defaultValue "parley" */
  readonly prefix?: string | undefined;
  /** The name of the queue. Servers with other tools take another one. @defaultValue "task-jobs" */
  readonly queue?: string | undefined;
  /** Called once when Redis fails, until it answers again, and with every error that no caller receives. @defaultValue none */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** The data of a job. The record of the task is in the task store. */
export interface TaskJob {
  readonly taskId: string;
}

export interface QueueConnection {
  readonly redis: Redis;
  /** Reports an error. Without a connection, only the first one. */
  report(error: Error): void;
}

/** The format of all keys, as in `@parley-mcp/redis`. */
const FORMAT = "1";
const MAX_RECONNECT_DELAY_MS = 2_000;
const CONNECT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 5_000;

/** Names a queue in the way of BullMQ. @throws {SdkError} `invalid-argument` for a name that cannot be part of a key */
export function queueNames({ prefix = "parley", queue = "task-jobs" }: TaskQueueOptions): {
  readonly prefix: string;
  readonly name: string;
} {
  for (const [option, name] of Object.entries({ prefix, queue })) {
    if (!/^[\w.-]{1,64}$/.test(name)) {
      throw new SdkError("invalid-argument", `${option}: expected 1 to 64 letters, digits, and the signs . _ -`);
    }
  }
  return { prefix: `${prefix}:${FORMAT}`, name: queue };
}

/**
 * Connects to Redis. Later connections are opened again by themselves.
 * @throws {SdkError} `connection-closed` if Redis does not answer, `invalid-argument` for a URL that is none
 */
export async function connect(
  url: string,
  options: RedisOptions,
  { onError = () => undefined }: TaskQueueOptions,
): Promise<QueueConnection> {
  const redis = new Redis(checkedUrl(url), {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: KEEP_ALIVE_MS,
    // The first connection is not tried again.
    retryStrategy: () => null,
    ...options,
  });
  let isFailing = false;
  const report = (error: Error) => {
    if (redis.status === "ready") onError(error);
    else if (!isFailing) {
      isFailing = true;
      onError(new SdkError("connection-closed", "Redis fails; tasks wait until it answers", { cause: error }));
    }
  };
  let lastError: Error | undefined;
  redis.on("error", (error) => {
    lastError = error;
    report(error);
  });
  redis.on("ready", () => {
    isFailing = false;
  });
  try {
    await redis.connect();
  } catch (thrown) {
    redis.disconnect();
    // ioredis emits the reason, and may reject with "Connection is closed." only.
    const cause = (lastError ?? thrown) as NodeJS.ErrnoException;
    const complaint = `Redis does not answer (${cause.code ?? cause.message})`;
    throw new SdkError("connection-closed", `${complaint}; is it running, and is the URL right?`, { cause });
  }
  redis.options.retryStrategy = (times) => Math.min(50 * 2 ** Math.min(times, 10), MAX_RECONNECT_DELAY_MS);
  return { redis, report };
}

/** @throws {SdkError} `invalid-argument` for a value that is no whole number from `least` */
export function checkWhole(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new SdkError("invalid-argument", `${name}: expected a whole number from ${least}, got ${String(value)}`);
}

function checkedUrl(url: string): string {
  if (URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol)) return url;
  const example = "redis://user:password@host:6379 or rediss://host:6380";
  throw new SdkError("invalid-argument", `The URL of Redis: expected one like ${example}`);
}
