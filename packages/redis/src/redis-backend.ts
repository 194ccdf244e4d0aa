/** All stores of a server over one connection. */
import type { LegacyOptions } from "parley-mcp/node";
import type { McpServerOptions, StateSealOptions } from "parley-mcp/server";
import { RedisAuthorizationStore } from "./redis-authorization-store.js";
import { RedisCacheStore } from "./redis-cache-store.js";
import { RedisChangeBus } from "./redis-change-bus.js";
import { RedisConnection, type RedisConnectionOptions } from "./redis-connection.js";
import { RedisCredentialStore } from "./redis-credential-store.js";
import { RedisEventStore } from "./redis-event-store.js";
import { RedisRateStore } from "./redis-rate-store.js";
import { RedisSessionChannel } from "./redis-session-channel.js";
import { RedisSessionStore } from "./redis-session-store.js";
import { type SharedStateKey, shareStateKey } from "./redis-state-key.js";
import { RedisTaskStore } from "./redis-task-store.js";
import { RedisUsedStates } from "./redis-used-states.js";

/** Options of `redisBackend`. */
export interface RedisBackendOptions extends RedisConnectionOptions {
  /**
   * The secrets that seal the states of input rounds, of 32 bytes each. All processes need the same ones. With the default, whoever
   * reads this Redis can read and forge states.
   * @defaultValue one random key that the processes share in Redis
   */
  readonly stateKeys?: readonly Uint8Array[] | undefined;
}

/** The stores of one program. Each can also be made by itself. */
export interface RedisBackend extends AsyncDisposable {
  /** Options of `McpServer`: the change bus, states that open once, and rates, for all processes. */
  readonly server: Required<Pick<McpServerOptions, "changeBus" | "requestState" | "rateStore">>;
  /** Options of `serveHttp`: sessions of legacy clients, which any process serves. */
  readonly http: { readonly legacy: Pick<LegacyOptions, "sessionStore" | "eventStore" | "sessionChannel"> };
  /** For `serveTasks({ store })`. */
  readonly taskStore: RedisTaskStore;
  /** For `authorizationServer({ store })`. */
  readonly authorizationStore: RedisAuthorizationStore;
  /** For `oauth({ store })`. */
  readonly credentialStore: RedisCredentialStore;
  /** For `new Client({ cache: { store } })`. */
  readonly cacheStore: RedisCacheStore;
  readonly connection: RedisConnection;
  /** Lets other processes recover the tasks of this one, and closes the connection. */
  close(): Promise<void>;
}

/**
 * Connects to Redis, and makes all stores.
 *
 * @throws {SdkError} `connection-closed` if Redis does not answer, `invalid-argument` for options that cannot work
 * @example
 * const shared = await redisBackend("redis://localhost:6379");
 * const server = new McpServer({ name: "studio", version: "1.0.0", ...shared.server });
 * await serveHttp(server, shared.http);
 */
export async function redisBackend(url: string, options: RedisBackendOptions = {}): Promise<RedisBackend> {
  const { stateKeys, ...connecting } = options;
  const connection = await RedisConnection.open(url, connecting);
  let stateKey: SharedStateKey | undefined;
  try {
    if (stateKeys === undefined) stateKey = await shareStateKey(connection);
    const keys = stateKey ? [stateKey.secret] : stateKeys;
    const requestState: StateSealOptions = { keys, singleUse: new RedisUsedStates(connection) };
    const changeBus = await RedisChangeBus.open(connection);
    const taskStore = await RedisTaskStore.open(connection);
    const close = async () => {
      stateKey?.stop();
      await Promise.all([taskStore.close(), changeBus.close()]);
      await connection.close();
    };
    return {
      server: { changeBus, requestState, rateStore: new RedisRateStore(connection) },
      http: {
        legacy: {
          sessionStore: new RedisSessionStore(connection),
          eventStore: new RedisEventStore(connection),
          sessionChannel: new RedisSessionChannel(connection),
        },
      },
      taskStore,
      authorizationStore: new RedisAuthorizationStore(connection),
      credentialStore: new RedisCredentialStore(connection),
      cacheStore: new RedisCacheStore(connection),
      connection,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    stateKey?.stop();
    await connection.close();
    throw error;
  }
}
