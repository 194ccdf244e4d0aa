/** `parley-mcp/client`: everything a client author needs. */
export type { BatchCall, Progress, RequestId, RequestOptions } from "../dispatch/dispatcher.js";
export { isResourceNotFound, ProtocolError } from "../errors/protocol-error.js";
export { SdkError, type SdkErrorCode } from "../errors/sdk-error.js";
export type { CacheHint, CacheScope } from "../protocol/caching.js";
export type { ClientCapabilities, ServerCapabilities } from "../protocol/capabilities.js";
export type {
  CompleteResult,
  Completion,
  CompletionArgument,
  CompletionContext,
  CompletionReference,
} from "../protocol/completion.js";
export type {
  Annotations,
  AudioContent,
  BlobResourceContents,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceContents,
  ResourceLink,
  Role,
  TextContent,
  TextResourceContents,
} from "../protocol/content.js";
export type { ElicitFormParams, ElicitResult, ElicitUrlParams } from "../protocol/elicitation.js";
export { ErrorCode } from "../protocol/error-codes.js";
export type { Icon, Implementation } from "../protocol/implementation.js";
export type { InputRequest, InputRequiredResult, InputResponses } from "../protocol/input-required.js";
export type { JsonObject } from "../protocol/json.js";
export type { LoggingLevel } from "../protocol/logging.js";
export type { GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage } from "../protocol/prompts.js";
export type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from "../protocol/resources.js";
export { type Era, isRevision, REVISIONS, type Revision } from "../protocol/revisions.js";
export type { Root } from "../protocol/roots.js";
export type { CreateMessageParams, CreateMessageResult, SamplingMessage } from "../protocol/sampling.js";
export type { CallToolResult, ListToolsResult, Tool, ToolAnnotations } from "../protocol/tools.js";
export type { HandlerSchemas, TypedHandler } from "../routing/checked-handler.js";
export {
  type DeclaredExtension,
  defineExtension,
  defineMetaKey,
  type Extension,
  type ExtensionConfig,
  type ExtensionFallback,
  type MetaKeyDefinition,
} from "../routing/extension.js";
export {
  type DefinedNotificationHandler,
  defineMethod,
  defineNotification,
  type MethodDefinition,
  type MethodHandler,
  type MethodSchemas,
  type NotificationDefinition,
} from "../routing/method-definition.js";
export type { Middleware, MiddlewareCall, MiddlewareNext } from "../routing/middleware.js";
export type { MetaValue, PeerExtension } from "../routing/peer-extension.js";
export type { RateLimitOptions } from "../routing/rate-limits.js";
export type { RequestContext } from "../routing/request-context.js";
export {
  defineResultType,
  type ExtensionCall,
  type ExtensionResult,
  type ResultTypeConfig,
  type ResultTypeDefinition,
} from "../routing/result-type.js";
export type { NotificationHandler, RequestHandler } from "../routing/router.js";
export type { RateLimit } from "../runtime/token-bucket.js";
export type { JsonSchemaValidator } from "../schema/json-schema-validator.js";
export type { JsonSchema, Schema } from "../schema/schema.js";
export type { SchemaLimits } from "../schema/schema-document.js";
export type { Issue, ValidationResult } from "../schema/validation.js";
export type { Fetch, FetchInit } from "../transport/http/fetch-http.js";
export { HttpError } from "../transport/http/http-error.js";
export type { HeaderSource, HttpOptions, StreamOptions } from "../transport/http/http-options.js";
export { HttpTransport } from "../transport/http/http-transport.js";
export type { ServerCommand } from "../transport/server-command.js";
export type { SendOptions, Transport, TransportReceiver } from "../transport/transport.js";
export type { TemplateValue, TemplateValues } from "../uri-template/expand.js";
export type { MatchedVariables } from "../uri-template/match.js";
export { parseTemplate, type UriTemplate } from "../uri-template/uri-template.js";
export { type CacheEntry, type CacheStore, InMemoryCacheStore, type InMemoryCacheStoreOptions } from "./cache-store.js";
export type { CallOptions, ListOptions } from "./calls.js";
export type { ServerChange } from "./change-feed.js";
export { Client } from "./client.js";
export type { ClientOptions } from "./client-options.js";
export type { ConnectTarget, HttpTarget, InProcessServer, TransportFactory } from "./connect-target.js";
export type { InputContext, InputHandlers } from "./input-handlers.js";
export type { ListenFilter } from "./listen-filter.js";
export type { ServerDescription, Verdict } from "./negotiation.js";
export type { FetchOptions } from "./open-connection.js";
export type { ReconnectOptions } from "./reconnecting.js";
export type { ClientCacheOptions } from "./result-cache.js";
export type { ToolCall, ToolCallOptions } from "./spec-calls.js";
export type { Subscription } from "./subscription.js";
export { type RequiredUrl, requiredUrls } from "./url-elicitations.js";
