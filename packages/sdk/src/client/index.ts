/** `parley-mcp/client`: everything a client author needs. */
export type { BatchCall, ProgressReport, RequestId, RequestOptions } from "../dispatch/dispatcher.js";
export { isResourceNotFound, ProtocolError } from "../errors/protocol-error.js";
export { SdkError } from "../errors/sdk-error.js";
export { defineExtension, defineMetaKey } from "../routing/extension.js";
export { defineListenFilter } from "../routing/listen-filter-definition.js";
export type { PageItem } from "../routing/method-definition.js";
export { defineMethod, defineNotification } from "../routing/method-definition.js";
export type { RequestContext } from "../routing/request-context.js";
export { defineResultType } from "../routing/result-type.js";
export type { Fetch, FetchInit } from "../transport/http/fetch-http.js";
export type {
  HeaderSource,
  HttpClientOptions,
  HttpDispatcher,
  StreamOptions,
} from "../transport/http/http-client-options.js";
export { HttpError } from "../transport/http/http-error.js";
export { HttpTransport } from "../transport/http/http-transport.js";
export type { ServerCommand } from "../transport/server-command.js";
export type { TemplateValue, TemplateValues } from "../uri-template/expand.js";
export type { MatchedVariables } from "../uri-template/match.js";
export { parseTemplate, type UriTemplate } from "../uri-template/uri-template.js";
export { type CacheEntry, type CacheStore, InMemoryCacheStore, type InMemoryCacheStoreOptions } from "./cache-store.js";
export type { CallOptions, ClientRequestOptions, ListOptions } from "./call-options.js";
export type { ServerChange } from "./change-listeners.js";
export { Client } from "./client.js";
export type { ClientOptions } from "./client-options.js";
export type { ConnectTarget, HttpTarget, InProcessServer, TransportFactory } from "./connect-target.js";
export type { InputContext, InputHandlers } from "./input-handlers.js";
export type { ListenFilter } from "./listen-filter.js";
export type { NegotiationResult, ServerDescription } from "./negotiation.js";
export type { ReconnectOptions } from "./reconnect-attempts.js";
export type { ClientCacheOptions } from "./result-cache.js";
export type { CompleteCall, ToolCall, ToolCallOptions } from "./spec-methods.js";
export type { Subscription } from "./subscriptions.js";
export { type RequiredUrl, requiredUrls } from "./url-elicitations.js";
