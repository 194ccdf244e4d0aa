/** `parley-mcp/hosting`: parts for programs that implement their own host of an `McpServer`. */
export type {
  AcceptConnection,
  Dispatcher,
  DispatcherOptions,
  InboundRequest,
  Receiver,
  RequestOptions,
} from "../dispatch/dispatcher.js";
export { JsonRpcDispatcher } from "../dispatch/json-rpc-dispatcher.js";
export type { ConnectionRestrictions } from "../server/client-features.js";
export type { AcceptedConnection, AcceptOptions, HandshakeState } from "../server/handshake-state.js";
export type { ServerHosting } from "../server/server-hosting.js";
export type { ServerHold } from "../server/server-lifecycle.js";
export type { Caller } from "../transport/caller.js";
export type { Transport, TransportReceiver } from "../transport/transport.js";
export { HttpEndpoint, type RequestOrigin } from "./http/http-endpoint.js";
export type { EventSink, HttpBody, HttpHeaders, HttpRequest, HttpResponse } from "./http/http-host.js";
export type { HttpLimits, HttpOptions } from "./http/http-options.js";
export { HttpRefusal, type HttpRefusalOptions } from "./http/http-refusal.js";
