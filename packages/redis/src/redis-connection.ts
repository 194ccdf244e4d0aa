/**
 * One connection to Redis for all stores of a process: commands, Lua scripts and channels. Commands have a deadline, and the number
 * and bytes of unanswered commands are bounded. Without a connection, commands fail at once.
 */
import { createHash } from "node:crypto";
import { ProtocolError, SdkError } from "parley-mcp/server";
import { createClient, ErrorReply } from "redis";
import { checkFrom } from "./limit-checks.js";

/** The deadlines, the limits and the key prefix of a `RedisConnection`. */
export interface RedisConnectionOptions {
  /** The first part of every key. Servers that share their state have the same prefix. @defaultValue "parley" */
  readonly prefix?: string | undefined;
  /** Reject a command that is not answered for this long. @defaultValue 2_000 */
  readonly commandTimeoutMs?: number | undefined;
  /** Time for the first connection. Later ones are tried until they succeed. @defaultValue 5_000 */
  readonly connectTimeoutMs?: number | undefined;
  /** Commands that wait for their answer. Others are refused. @defaultValue 10_000 */
  readonly maxPendingCommands?: number | undefined;
  /** Characters of the commands that wait for their answer. Others are refused. @defaultValue 67_108_864 */
  readonly maxPendingCharacters?: number | undefined;
  /** Called once when Redis fails, until it answers again, and with every error that no caller receives. @defaultValue none */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A Lua script. Redis keeps its text, and is sent the digest. */
export interface RedisScript {
  readonly text: string;
  readonly digest: string;
}

export function redisScript(...parts: readonly string[]): RedisScript {
  const text = parts.join("\n");
  return { text, digest: createHash("sha1").update(text).digest("hex") };
}

/** The format of all keys and values. A version with another format starts empty. */
const FORMAT = "1";
const RETRY_AFTER_MS = 1_000;
const PING_INTERVAL_MS = 5_000;
/** A connection without a byte for two pings is dead. */
const SILENCE_MS = 12_000;
const MAX_RECONNECT_DELAY_MS = 2_000;
/** Redis counts as failing for this long after it has refused a command for a temporary reason. */
const REFUSING_MS = 10_000;

/** Error replies of a Redis that is starting, full, failing over, or busy with another script. */
const TEMPORARY = /^(?:LOADING|OOM|READONLY|MISCONF|MASTERDOWN|NOREPLICAS|BUSY|TRYAGAIN|CLUSTERDOWN)\b/;

type Client = ReturnType<typeof createRedisClient>;

/**
 * A connection that stores share.
 *
 * @example
 * const connection = await RedisConnection.open("redis://localhost:6379", { prefix: "studio" });
 * const store = new RedisTaskStore(connection);
 */
export class RedisConnection implements AsyncDisposable {
  readonly #client: Client;
  readonly #prefix: string;
  readonly #commandTimeoutMs: number;
  readonly #maxPendingCommands: number;
  readonly #maxPendingCharacters: number;
  readonly #onError: (error: Error) => void;
  readonly #reconnectListeners = new Set<() => void>();
  /** Ends the subscriptions that were ended without a connection. The client restores them with the next one. */
  readonly #endedMeanwhile: (() => Promise<void>)[] = [];
  #pendingCommands = 0;
  #pendingCharacters = 0;
  #isFailing = false;
  /** Until then, answered commands do not show that Redis works. */
  #refusingUntil = Number.NEGATIVE_INFINITY;
  #hasBeenReady = false;

  private constructor(client: Client, options: RedisConnectionOptions) {
    const { prefix = "parley", commandTimeoutMs = 2_000, onError } = options;
    const { maxPendingCommands = 10_000, maxPendingCharacters = 67_108_864 } = options;
    checkFrom("maxPendingCommands", maxPendingCommands, 1);
    checkFrom("commandTimeoutMs", commandTimeoutMs, 1);
    checkFrom("maxPendingCharacters", maxPendingCharacters, 1);
    if (!/^[\w.-]{1,64}$/.test(prefix)) throw unusablePrefix();
    this.#client = client;
    this.#prefix = prefix;
    this.#commandTimeoutMs = commandTimeoutMs;
    this.#maxPendingCommands = maxPendingCommands;
    this.#maxPendingCharacters = maxPendingCharacters;
    this.#onError = onError ?? (() => undefined);
    client.on("error", (cause: unknown) => this.#failed(cause));
    client.on("ready", () => this.#ready());
  }

  /**
   * @throws {SdkError} `connection-closed` if Redis does not answer within `connectTimeoutMs`, `invalid-argument` for options
   * that cannot work
   */
  static async open(url: string, options: RedisConnectionOptions = {}): Promise<RedisConnection> {
    const { connectTimeoutMs = 5_000 } = options;
    checkFrom("connectTimeoutMs", connectTimeoutMs, 1);
    const client = clientOf(url, connectTimeoutMs);
    const connection = new RedisConnection(client, options);
    let lastError: unknown;
    const refusal = new Promise<never>((_resolve, reject) => {
      client.on("error", (error: unknown) => {
        lastError = error;
        // Another attempt would be refused as well.
        if (isRefusal(error)) reject(error);
      });
    });
    try {
      await withDeadline(Promise.race([client.connect(), refusal]), connectTimeoutMs);
      await connection.send("the first command", ["PING"]);
    } catch (cause) {
      client.destroy();
      throw notConnected(lastError ?? cause);
    }
    return connection;
  }

  /** Whether commands are sent. Otherwise they fail at once. */
  get isReady(): boolean {
    return this.#client.isReady;
  }

  /** The key of a store, such as `parley:1:tasks`. */
  key(...parts: readonly string[]): string {
    return [this.#prefix, FORMAT, ...parts].join(":");
  }

  /**
   * @param what names the key or the store in errors
   * @throws {ProtocolError} 429 if Redis cannot be reached, is too slow, or has no room. HTTP hosts answer it with 503.
   * @throws {SdkError} `invalid-message` if Redis refuses the command
   */
  async send(what: string, command: readonly string[]): Promise<unknown> {
    const characters = command.reduce((sum, { length }) => sum + length, 0);
    this.#checkRoom(characters);
    const sent = this.#counted(characters, this.#client.sendCommand([...command]));
    try {
      const answer = await withDeadline(sent, this.#commandTimeoutMs);
      if (performance.now() >= this.#refusingUntil) this.#isFailing = false;
      return answer;
    } catch (cause) {
      if (isRefusal(cause)) throw refused(what, cause);
      // A full Redis refuses writes, and answers reads.
      if (cause instanceof ErrorReply) this.#refusingUntil = performance.now() + REFUSING_MS;
      throw this.#unavailable(cause);
    }
  }

  /** Runs a script with one key. @throws like `send`. */
  async run({ digest, text }: RedisScript, key: string, ...args: readonly (string | number)[]): Promise<unknown> {
    const rest = ["1", key, ...args.map(String)];
    try {
      return await this.send(key, ["EVALSHA", digest, ...rest]);
    } catch (error) {
      if (!(error instanceof SdkError) || !/NOSCRIPT/.test(error.message)) throw error;
      return this.send(key, ["EVAL", text, ...rest]);
    }
  }

  /** Listens to a channel, after a lost connection again. Messages that were sent meanwhile are lost. */
  async subscribe(channel: string, listener: (message: string) => void): Promise<() => Promise<void>> {
    if (!this.#client.isReady) throw this.#unavailable(undefined);
    this.#checkRoom(channel.length);
    const subscribing = this.#counted(channel.length, this.#client.subscribe(channel, listener));
    try {
      await this.#bounded(subscribing);
    } catch (error) {
      // Redis may subscribe later all the same.
      ignoreFailure(subscribing.then(() => this.#client.unsubscribe(channel, listener)));
      throw error;
    }
    return async () => {
      const unsubscribe = () => this.#client.unsubscribe(channel, listener);
      if (this.#client.isReady) await this.#bounded(unsubscribe());
      else this.#endedMeanwhile.push(unsubscribe);
    };
  }

  /** Calls the listener after each lost connection, once channels are heard again. Returns a function that stops it. */
  onReconnect(listener: () => void): () => void {
    this.#reconnectListeners.add(listener);
    return () => void this.#reconnectListeners.delete(listener);
  }

  /** Reports an error that no caller receives. */
  report(error: Error): void {
    this.#onError(error);
  }

  /** Commands that wait for their answer are rejected. */
  async close(): Promise<void> {
    if (this.#client.isOpen) this.#client.destroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #bounded(command: Promise<void>): Promise<void> {
    try {
      await withDeadline(command, this.#commandTimeoutMs);
    } catch (cause) {
      throw this.#unavailable(cause);
    }
  }

  #checkRoom(characters: number): void {
    const hasRoom = this.#pendingCharacters + characters <= this.#maxPendingCharacters;
    if (!hasRoom || this.#pendingCommands >= this.#maxPendingCommands) throw this.#unavailable(queueFull());
  }

  /** Counts until Redis has answered, even if the deadline is over. */
  #counted<Value>(characters: number, sent: Promise<Value>): Promise<Value> {
    this.#pendingCommands += 1;
    this.#pendingCharacters += characters;
    return sent.finally(() => {
      this.#pendingCommands -= 1;
      this.#pendingCharacters -= characters;
    });
  }

  #ready(): void {
    for (const unsubscribe of this.#endedMeanwhile.splice(0)) ignoreFailure(unsubscribe());
    if (this.#hasBeenReady) for (const listener of this.#reconnectListeners) listener();
    this.#hasBeenReady = true;
  }

  #failed(cause: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#onError(new SdkError("connection-closed", "Redis fails; requests that need it are refused", { cause }));
  }

  /** The peer learns nothing of Redis. `onError` gets the cause. */
  #unavailable(cause: unknown): ProtocolError {
    this.#failed(cause);
    const data = { limit: "server", retryAfterMs: RETRY_AFTER_MS };
    return new ProtocolError(429, "A store of the server is not available; try again later", { data, cause });
  }
}

function clientOf(url: string, connectTimeout: number): Client {
  try {
    return createRedisClient(url, connectTimeout);
  } catch (cause) {
    const example = "redis://user:password@host:6379 or rediss://host:6380";
    throw new SdkError("invalid-argument", `The URL of Redis: expected one like ${example}`, { cause });
  }
}

function createRedisClient(url: string, connectTimeout: number) {
  return createClient({
    url: new URL(url).href,
    RESP: 3,
    disableOfflineQueue: true,
    pingInterval: PING_INTERVAL_MS,
    socket: {
      connectTimeout,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** Math.min(retries, 10), MAX_RECONNECT_DELAY_MS),
    },
  });
}

/**
 * The work goes on after the deadline, and its outcome is ignored. The time passes in two timers: while the event loop is blocked, at
 * most one of them fires before the loop reads the answer of Redis.
 */
async function withDeadline<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    const late = () => reject(new Error(`Redis has not answered within ${ms} ms`));
    timer = setTimeout(() => {
      timer = setTimeout(late, ms / 2);
    }, ms / 2);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** For work whose failure follows from a failure that was reported. */
function ignoreFailure(work: Promise<unknown>): void {
  work.catch(() => undefined);
}

function queueFull(): Error {
  return new Error("maxPendingCommands or maxPendingCharacters wait for Redis");
}

function isRefusal(error: unknown): error is ErrorReply {
  return error instanceof ErrorReply && !TEMPORARY.test(error.message);
}

/** Names the cause, such as WRONGPASS or ECONNREFUSED. Neither Redis nor Node repeats the password. */
function notConnected(cause: unknown): SdkError {
  const { message, code } = cause as NodeJS.ErrnoException;
  const complaint = isRefusal(cause)
    ? `Redis refuses the connection: ${message}; check the user and the password in the URL`
    : `Redis does not answer (${code ?? message}); is it running, and is the URL right?`;
  return new SdkError("connection-closed", complaint, { cause });
}

function refused(what: string, cause: ErrorReply): SdkError {
  const isForeign = cause.message.startsWith("WRONGTYPE");
  const advice = isForeign ? "; a key that begins with this name holds a value of another program: delete it" : "";
  return new SdkError("invalid-message", `Redis refused a command for ${what}: ${cause.message}${advice}`, { cause });
}

function unusablePrefix(): SdkError {
  return new SdkError("invalid-argument", "prefix: expected 1 to 64 letters, digits, and the signs . _ -");
}
