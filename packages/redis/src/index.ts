/** `@parley-mcp/redis`: the stores of servers that run as several processes. */
export { RedisAuthorizationStore, type RedisAuthorizationStoreOptions } from "./redis-authorization-store.js";
export { type RedisBackend, type RedisBackendOptions, redisBackend } from "./redis-backend.js";
export { RedisCacheStore, type RedisCacheStoreOptions } from "./redis-cache-store.js";
export { RedisChangeBus } from "./redis-change-bus.js";
export { RedisConnection, type RedisConnectionOptions } from "./redis-connection.js";
export { RedisCredentialStore, type RedisCredentialStoreOptions } from "./redis-credential-store.js";
export { RedisEventStore, type RedisEventStoreOptions } from "./redis-event-store.js";
export { RedisRateStore, type RedisRateStoreOptions } from "./redis-rate-store.js";
export { RedisSessionChannel } from "./redis-session-channel.js";
export { RedisSessionStore, type RedisSessionStoreOptions } from "./redis-session-store.js";
export { RedisTaskStore, type RedisTaskStoreOptions } from "./redis-task-store.js";
export { RedisUsedStates, type RedisUsedStatesOptions } from "./redis-used-states.js";
