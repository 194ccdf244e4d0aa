/** `parley-mcp/types`: the types of the protocol, and those that servers and clients share. */
export type { SdkErrorCode } from "../errors/sdk-error.js";
export type { SchemaLimits, ValidationIssue, ValidationResult } from "../json-schema/index.js";
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
export type {
  InputRequest,
  InputRequests,
  InputRequiredResult,
  InputResponse,
  InputResponses,
} from "../protocol/input-required.js";
export type { LoggingLevel } from "../protocol/logging.js";
export type { CacheHint, CacheScope } from "../protocol/message-base.js";
export { type CapabilityInfo, MCP_CAPABILITIES, MCP_METHODS, type MethodInfo } from "../protocol/method-list.js";
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
export type {
  DeclaredExtension,
  Extension,
  ExtensionConfig,
  ExtensionFallback,
  MetaKeyDefinition,
} from "../routing/extension.js";
export type { HandlerSchemas, TypedHandler } from "../routing/handler-checks.js";
export type {
  ExtensionChange,
  ListenFilterConfig,
  ListenFilterDefinition,
  ListenFilterValue,
} from "../routing/listen-filter-definition.js";
export type {
  DefinedNotificationHandler,
  MethodConfig,
  MethodDefinition,
  MethodHandler,
  MethodSchemas,
  NotificationDefinition,
} from "../routing/method-definition.js";
export type { Middleware, MiddlewareCall, MiddlewareNext } from "../routing/middleware.js";
export type { MetaValue, PeerExtension } from "../routing/peer-extension.js";
export type { RateLimitOptions } from "../routing/rate-limits.js";
export type {
  AroundCall,
  CallSubscription,
  ExtensionAnswerOptions,
  ExtensionCall,
  ExtensionRequestOptions,
  ExtensionResult,
  ResultTypeConfig,
  ResultTypeDefinition,
} from "../routing/result-type.js";
export type { NotificationHandler, RequestHandler } from "../routing/router.js";
export type { JsonObject } from "../runtime/json.js";
export type { RateLimit } from "../runtime/token-bucket.js";
export type { JsonSchemaValidator } from "../schema/compile-schema.js";
export type { JsonSchema, Schema } from "../schema/schema.js";
export type { SendOptions, Transport, TransportReceiver } from "../transport/transport.js";
