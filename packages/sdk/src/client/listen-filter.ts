/** The filter of a subscription: its check, its wire form, and the part that a legacy server announces. */
import { SdkError } from "../errors/sdk-error.js";
import type { ServerCapabilities } from "../protocol/capabilities.js";
import { hasCapability } from "../protocol/method-table.js";
import type { SubscriptionFilter } from "../protocol/subscriptions.js";

/** The changes to subscribe to. Each key is the `kind` of the changes that it asks for. */
export interface ListenFilter {
  /** Changes of the list of tools. @defaultValue false */
  readonly tools?: boolean;
  /** Changes of the list of prompts. @defaultValue false */
  readonly prompts?: boolean;
  /** Changes of the list of resources and templates. @defaultValue false */
  readonly resources?: boolean;
  /** Updates of the resources with these URIs, and of resources beneath them. @defaultValue none */
  readonly resource?: readonly string[];
}

/** Checks a filter at run time, for callers without types. @throws {SdkError} `invalid-argument` */
export function checkFilter(filter: ListenFilter): void {
  if (Array.isArray(filter.resources)) {
    throw new SdkError(
      "invalid-argument",
      'listen: resources is true or false, for the list of resources; give URIs as resource: ["…"]',
    );
  }
  if (filter.resource !== undefined && !Array.isArray(filter.resource)) {
    throw new SdkError(
      "invalid-argument",
      `listen: resource: expected an array of URIs, got ${typeof filter.resource}`,
    );
  }
}

export function toWire({ tools, prompts, resources, resource }: ListenFilter): SubscriptionFilter {
  return {
    ...(tools && { toolsListChanged: true }),
    ...(prompts && { promptsListChanged: true }),
    ...(resources && { resourcesListChanged: true }),
    ...(resource && { resourceSubscriptions: [...new Set(resource)] }),
  };
}

export function fromWire(filter: SubscriptionFilter): ListenFilter {
  return {
    ...(filter.toolsListChanged && { tools: true }),
    ...(filter.promptsListChanged && { prompts: true }),
    ...(filter.resourcesListChanged && { resources: true }),
    ...(filter.resourceSubscriptions && { resource: [...filter.resourceSubscriptions] }),
  };
}

/** The part of a filter that a legacy server announces, by its capabilities. */
export function announcedPart(filter: ListenFilter, capabilities: ServerCapabilities): ListenFilter {
  const { tools, prompts, resources, resource } = filter;
  const has = (path: string) => hasCapability(capabilities, path);
  return {
    ...(tools && has("tools.listChanged") && { tools }),
    ...(prompts && has("prompts.listChanged") && { prompts }),
    ...(resources && has("resources.listChanged") && { resources }),
    ...(resource && has("resources.subscribe") && { resource: [...new Set(resource)] }),
  };
}
