/** `@parley-mcp/redis`: the stores of servers that run as several processes. */
export { RedisAuthorizationStore, type RedisAuthorizationStoreOptions } from "./redis-authorization-store.js";
export { RedisConnection, type RedisConnectionOptions } from "./redis-connection.js";
export { RedisTaskStore, type RedisTaskStoreOptions } from "./redis-task-store.js";
