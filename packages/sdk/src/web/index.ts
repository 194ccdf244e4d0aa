/** `parley-mcp/web`: serving wherever a `Request` becomes a `Response`. */

export type { AccessLogEntry } from "../hosting/http/access-log.js";
export type { CorsOptions } from "../hosting/http/cors.js";
export type { HttpRequest } from "../hosting/http/http-host.js";
export type { HttpOptions } from "../hosting/http/http-options.js";
export { HttpRefusal, type HttpRefusalOptions } from "../hosting/http/http-refusal.js";
export type { LegacyOptions, SessionEnd, SessionInfo, SsePaths } from "../hosting/http/legacy/legacy-options.js";
export { InMemorySessionChannel, type SessionChannel } from "../hosting/http/legacy/sessions/session-channel.js";
export {
  InMemorySessionStore,
  type InMemorySessionStoreOptions,
  type SessionRecord,
  type SessionStore,
} from "../hosting/http/legacy/sessions/session-store.js";
export { type ShareSessions, shareSessions } from "../hosting/http/legacy/sessions/shared-sessions.js";
export type { EventStore, StoredEvent } from "../hosting/http/legacy/streams/event-store.js";
export { InMemoryEventStore, type InMemoryEventStoreOptions } from "../hosting/http/legacy/streams/event-store.js";
export type { ResourceGate } from "../hosting/http/resource-gate.js";
export type { RouteFacts, WebRoute } from "../hosting/http/web-route.js";
export {
  createFetchHandler,
  type FetchExtra,
  type FetchHandler,
  type FetchHandlerOptions,
} from "../hosting/web/fetch-handler.js";
export type { AuthInfo } from "../transport/auth-info.js";
export type { Caller } from "../transport/caller.js";
