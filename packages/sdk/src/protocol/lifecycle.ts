/** The handshake of the legacy era, and discovery in the modern one. */

import type {
  ClientCapabilities,
  ClientTasksCapability,
  ElicitationCapability,
  ListCapability,
  ResourcesCapability,
  SamplingCapability,
  ServerCapabilities,
  ServerTasksCapability,
} from "./capabilities.js";
import type { Implementation } from "./implementation.js";
import { iconShape, peerIconShape } from "./implementation.js";
import type { CacheHint, RequestParams, Result } from "./message-base.js";
import { cacheFields, requestFields, resultFields } from "./message-base.js";
import type { Fields, Shape } from "./shape.js";
import { array, boolean, jsonObject, object, optional, record, string } from "./shape.js";

/** The params of `initialize`. */
export interface InitializeParams extends RequestParams {
  /** The revision that the client proposes, which may be unknown here. */
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
}

/** The result of `initialize`. */
export interface InitializeResult extends Result {
  protocolVersion: string;
  capabilities: ServerCapabilities;
  serverInfo: Implementation;
  instructions?: string | undefined;
}

/** The params of `server/discover`. */
export type DiscoverParams = RequestParams;

/** The result of `server/discover`. */
export interface DiscoverResult extends Result, CacheHint {
  supportedVersions: string[];
  capabilities: ServerCapabilities;
  instructions?: string | undefined;
}

const implementationFields: Fields<Implementation> = {
  name: string,
  version: string,
  title: optional(string),
  description: optional(string),
  websiteUrl: optional(string),
  icons: optional(array(peerIconShape)),
};

export const implementationShape: Shape = object<Implementation>(implementationFields);

/** The `Implementation` of this side, checked strictly. */
export const ownImplementationShape: Shape = object<Implementation>({
  ...implementationFields,
  icons: optional(array(iconShape)),
});

const settings: Shape = optional(jsonObject);
const named: Shape = optional(record(jsonObject));
const listCapability: Shape = optional(object<ListCapability>({ listChanged: optional(boolean) }));

export const clientCapabilitiesShape: Shape = object<ClientCapabilities>({
  experimental: named,
  extensions: named,
  roots: listCapability,
  sampling: optional(object<SamplingCapability>({ context: settings, tools: settings })),
  elicitation: optional(object<ElicitationCapability>({ form: settings, url: settings })),
  tasks: optional(
    object<ClientTasksCapability>({
      list: settings,
      cancel: settings,
      requests: optional(
        object<NonNullable<ClientTasksCapability["requests"]>>({
          sampling: optional(object<{ createMessage: unknown }>({ createMessage: settings })),
          elicitation: optional(object<{ create: unknown }>({ create: settings })),
        }),
      ),
    }),
  ),
});

const serverCapabilitiesShape: Shape = object<ServerCapabilities>({
  experimental: named,
  extensions: named,
  logging: settings,
  completions: settings,
  prompts: listCapability,
  resources: optional(object<ResourcesCapability>({ listChanged: optional(boolean), subscribe: optional(boolean) })),
  tools: listCapability,
  tasks: optional(
    object<ServerTasksCapability>({
      list: settings,
      cancel: settings,
      requests: optional(
        object<NonNullable<ServerTasksCapability["requests"]>>({
          tools: optional(object<{ call: unknown }>({ call: settings })),
        }),
      ),
    }),
  ),
});

export const initializeParamsShape: Shape = object<InitializeParams>({
  ...requestFields,
  protocolVersion: string,
  capabilities: clientCapabilitiesShape,
  clientInfo: implementationShape,
});

export const initializeResultShape: Shape = object<InitializeResult>({
  ...resultFields,
  protocolVersion: string,
  capabilities: serverCapabilitiesShape,
  serverInfo: implementationShape,
  instructions: optional(string),
});

export const discoverResultShape: Shape = object<DiscoverResult>({
  ...resultFields,
  ...cacheFields,
  supportedVersions: array(string),
  capabilities: serverCapabilitiesShape,
  instructions: optional(string),
});
