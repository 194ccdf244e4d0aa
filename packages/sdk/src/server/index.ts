/** `parley-mcp/server`: everything a server author needs. */
export { ProtocolError } from "../errors/protocol-error.js";
export { SdkError, type SdkErrorCode } from "../errors/sdk-error.js";
export type { CacheHint, CacheScope } from "../protocol/caching.js";
export type { ClientCapabilities, ServerCapabilities } from "../protocol/capabilities.js";
export type { Completion } from "../protocol/completion.js";
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
export { ErrorCode } from "../protocol/error-codes.js";
export type { Icon, Implementation } from "../protocol/implementation.js";
export type {
  InputRequest,
  InputRequests,
  InputRequiredResult,
  InputResponse,
  InputResponses,
} from "../protocol/input-required.js";
export type { JsonObject } from "../protocol/json.js";
export type { LoggingLevel } from "../protocol/logging.js";
export type { GetPromptResult, Prompt, PromptArgument, PromptMessage } from "../protocol/prompts.js";
export type { ReadResourceResult, Resource, ResourceTemplate } from "../protocol/resources.js";
export { type Era, isRevision, REVISIONS, type Revision } from "../protocol/revisions.js";
export type { Root } from "../protocol/roots.js";
export type { CreateMessageParams, CreateMessageResult, SamplingMessage } from "../protocol/sampling.js";
export type { CallToolResult, Tool, ToolAnnotations } from "../protocol/tools.js";
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
export {
  defineResultType,
  type ExtensionCall,
  type ExtensionResult,
  type ResultTypeConfig,
  type ResultTypeDefinition,
} from "../routing/result-type.js";
export type { NotificationHandler, RequestHandler } from "../routing/router.js";
export type { RateLimit } from "../runtime/token-bucket.js";
export { defineForm } from "../schema/form-schema.js";
export type { JsonSchemaValidator } from "../schema/json-schema-validator.js";
export type { JsonSchema, Schema } from "../schema/schema.js";
export type { SchemaLimits } from "../schema/schema-document.js";
export type { Issue, ValidationResult } from "../schema/validation.js";
export type { SendOptions, Transport, TransportReceiver } from "../transport/transport.js";
export { type AnnouncedChange, type ChangeBus, InMemoryChangeBus } from "./changes/change-bus.js";
export type { UrlElicitationLimits } from "./changes/started-elicitations.js";
export type { ClientFeature } from "./client-features.js";
export type { Completer, CompletionRequest } from "./completion.js";
export type { ContextLog } from "./context-log.js";
export { inputRequired } from "./input/input-required.js";
export type { FormAnswer, QuestionOptions, UrlAnswer } from "./input/questions.js";
export type { StateSealOptions } from "./input/state-seal.js";
export { InMemoryUsedStates, type InMemoryUsedStatesOptions, type UsedStates } from "./input/used-states.js";
export { McpServer, type ServerAnnouncements } from "./mcp-server.js";
export type { NotificationContext } from "./notification-context.js";
export type {
  PromptConfig,
  PromptHandler,
  PromptReturn,
  ReturnedMessage,
  ReturnedPrompt,
} from "./prompt-definition.js";
export type { Registration } from "./registry.js";
export type {
  ListedResources,
  ResourceConfig,
  ResourceHandler,
  ResourceLister,
  ResourceReturn,
  ResourceTemplateConfig,
  ResourceTemplateHandler,
  ReturnedContents,
  ReturnedRead,
} from "./resource-definition.js";
export type { ReturnedBlob, ReturnedBlock } from "./returned-content.js";
export type { FormElicitation, RequiredUrl, ServerContext, UrlElicitation } from "./server-context.js";
export type { ServerLimitOptions } from "./server-limits.js";
export type { McpServerOptions } from "./server-options.js";
export type { TemplateVariables, VariablesOf } from "./template-variables.js";
export type { ToolConfig, ToolHandler, ToolResult, ToolReturn } from "./tool-definition.js";
export { ToolError } from "./tool-error.js";
