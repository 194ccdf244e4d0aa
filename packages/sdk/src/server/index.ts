/** `parley-mcp/server`: everything a server author needs. */
export { ProtocolError } from "../errors/protocol-error.js";
export { SdkError } from "../errors/sdk-error.js";
export { defineExtension, defineMetaKey } from "../routing/extension.js";
export { defineListenFilter } from "../routing/listen-filter-definition.js";
export { defineMethod, defineNotification } from "../routing/method-definition.js";
export {
  InMemoryRateStore,
  type InMemoryRateStoreOptions,
  type RateGrant,
  type RateStore,
} from "../routing/rate-store.js";
export { defineResultType } from "../routing/result-type.js";
export { defineForm } from "../schema/form-schema.js";
export type { ServerAnnouncements } from "./changes/announcements.js";
export { type AnnouncedChange, type ChangeBus, InMemoryChangeBus } from "./changes/change-bus.js";
export type { ListenFilterHandlers } from "./changes/listen-filters.js";
export type { UrlElicitationLimits } from "./changes/started-elicitations.js";
export type { ClientFeature } from "./client-features.js";
export type { Completer, CompletionRequest } from "./completion.js";
export { audio, type BlockOptions, embeddedResource, image, resourceLink, text } from "./content-blocks.js";
export type { ContextLog } from "./context-log.js";
export { inputRequired } from "./input/input-required.js";
export type { FormAnswer, QuestionOptions, UrlAnswer } from "./input/questions.js";
export type { StateSealOptions } from "./input/state-seal.js";
export { InMemoryUsedStates, type InMemoryUsedStatesOptions, type UsedStates } from "./input/used-states.js";
export type { ListVisibility } from "./list-filter.js";
export { McpServer } from "./mcp-server.js";
export type { NotificationContext } from "./notification-context.js";
export type {
  PromptConfig,
  PromptHandler,
  PromptReturn,
  ReturnedMessage,
  ReturnedPrompt,
} from "./prompt-definition.js";
export type { ItemRegistration } from "./registry.js";
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
export type {
  ReturnedAudio,
  ReturnedBlob,
  ReturnedBlock,
  ReturnedImage,
  ReturnedResource,
} from "./returned-content.js";
export type { FormElicitation, RequiredUrlElicitation, ServerContext, UrlElicitation } from "./server-context.js";
export type { ServerLimitOptions } from "./server-limits.js";
export type { McpServerOptions } from "./server-options.js";
export type { ToolTask, ToolTaskOptions } from "./tasks/tool-task.js";
export type { TemplateVariables, VariablesOf } from "./template-variables.js";
export type { ToolConfig, ToolHandler, ToolResult, ToolReturn } from "./tool-definition.js";
export { ToolError } from "./tool-error.js";
