/**
 * The key that seals the states of input rounds, which all processes share in Redis. Redis may lose it, such as by a restart without its
 * data. The processes that have it then store it again, so that a process that starts later gets the same one.
 */
import { SdkError } from "parley-mcp/server";
import type { RedisConnection } from "./redis-connection.js";

export interface SharedStateKey {
  readonly secret: Uint8Array;
  /** Stores the key no more. Redis keeps it. */
  stop(): void;
}

type StateKeyConnection = Pick<RedisConnection, "key" | "send" | "report" | "onReconnect">;

const KEY_BYTES = 32;
/** The time that a key outlives the last process that has it. */
const KEY_TTL_MS = 31_536_000_000;
const STORE_MS = 30_000;

/** The first process chooses the key. @throws {SdkError} `invalid-message` for a value that is no key */
export async function shareStateKey(connection: StateKeyConnection): Promise<SharedStateKey> {
  const name = connection.key("state-key");
  const chosen = Buffer.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES))).toString("base64");
  const text = await storedKey(connection, name, chosen);
  const secret = new Uint8Array(Buffer.from(text, "base64"));
  if (secret.length !== KEY_BYTES) throw noKey(name);
  let isReported = false;
  const storeAgain = async () => {
    const found = await storedKey(connection, name, text).catch(() => text);
    if (found !== text && !isReported) connection.report(otherKey(name));
    isReported = found !== text;
  };
  const stopHearing = connection.onReconnect(() => void storeAgain());
  const timer = setInterval(() => void storeAgain(), STORE_MS);
  timer.unref();
  return {
    secret,
    stop: () => {
      stopHearing();
      clearInterval(timer);
    },
  };
}

/** Stores a key unless there is one. Returns the one that is stored. */
async function storedKey(connection: StateKeyConnection, name: string, text: string): Promise<string> {
  const ttl = ["PX", String(KEY_TTL_MS)];
  const found = await connection.send(name, ["GETEX", name, ...ttl]);
  if (found !== null) return String(found);
  const earlier = await connection.send(name, ["SET", name, text, "NX", "GET", ...ttl]);
  return earlier === null ? text : String(earlier);
}

function noKey(name: string): SdkError {
  return new SdkError("invalid-message", `The Redis key ${name} holds no key of ${KEY_BYTES} bytes; delete it`);
}

function otherKey(name: string): SdkError {
  const message = `The Redis key ${name} has changed: this process and others refuse each other's states; restart this one`;
  return new SdkError("invalid-message", message);
}
