/** `parley-mcp/node`: serving on Node. */

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
  type ClusterBackend,
  type ClusterBackendOptions,
  clusterBackend,
} from "../hosting/node/cluster/cluster-backend.js";
export type { SessionRelay } from "../hosting/node/cluster/session-relay.js";
export { type StartWorkersOptions, startWorkers, type WorkersHandle } from "../hosting/node/cluster/start-workers.js";
export { createNodeHandler, type NodeHandler, type NodeHandlerOptions } from "../hosting/node/node-handler.js";
export type { NodeClientAddress } from "../hosting/node/node-request.js";
export { type HttpServerHandle, type ServeHttpOptions, serveHttp } from "../hosting/node/serve-http.js";
export { type ServeSocketOptions, type SocketServerHandle, serveSocket } from "../hosting/node/serve-socket.js";
export type { ServeStdioOptions, StdioServerHandle } from "../hosting/node/serve-stdio.js";
export { serveStdio } from "../hosting/node/serve-stdio.js";
export { FileTaskStore, type FileTaskStoreOptions } from "../tasks/node/file-task-store.js";
export type { AuthInfo } from "../transport/auth-info.js";
export type { Caller } from "../transport/caller.js";
export type { OnUnreadable } from "../transport/message-line.js";
export { ChildProcessTransport } from "../transport/node/child-process-transport.js";
export type { LineLimits, LineStreams } from "../transport/node/line-channel.js";
export {
  type SocketAddress,
  SocketTransport,
  type SocketTransportOptions,
} from "../transport/node/socket-transport.js";
export { StreamTransport, type StreamTransportOptions } from "../transport/node/stream-transport.js";
export type { ServerCommand, ServerStderr } from "../transport/server-command.js";
