/** What a client wants to hear of: as its author says it, as the wire says it, and what a legacy server's capabilities cover. */
import type { ServerCapabilities } from "../protocol/capabilities.js";
import { hasCapability } from "../protocol/method-table.js";
import type { SubscriptionFilter } from "../protocol/subscriptions.js";

/** What to hear of. */
export interface ListenFilter {
  /** Changes of the list of tools. */
  readonly tools?: boolean;
  /** Changes of the list of prompts. */
  readonly prompts?: boolean;
  /** Changes of the list of resources and templates. */
  readonly resourceList?: boolean;
  /** Updates of these resources, and of what lies beneath them, by URI. */
  readonly resources?: readonly string[];
}

export function toWire({ tools, prompts, resourceList, resources }: ListenFilter): SubscriptionFilter {
  return {
    ...(tools && { toolsListChanged: true }),
    ...(prompts && { promptsListChanged: true }),
    ...(resourceList && { resourcesListChanged: true }),
    ...(resources && { resourceSubscriptions: [...new Set(resources)] }),
  };
}

export function fromWire(filter: SubscriptionFilter): ListenFilter {
  return {
    ...(filter.toolsListChanged && { tools: true }),
    ...(filter.promptsListChanged && { prompts: true }),
    ...(filter.resourcesListChanged && { resourceList: true }),
    ...(filter.resourceSubscriptions && { resources: [...filter.resourceSubscriptions] }),
  };
}

/** The part of a filter that a legacy server announced in its handshake. */
export function announcedPart(filter: ListenFilter, capabilities: ServerCapabilities): ListenFilter {
  const { tools, prompts, resourceList, resources } = filter;
  const has = (path: string) => hasCapability(capabilities, path);
  return {
    ...(tools && has("tools.listChanged") && { tools }),
    ...(prompts && has("prompts.listChanged") && { prompts }),
    ...(resourceList && has("resources.listChanged") && { resourceList }),
    ...(resources && has("resources.subscribe") && { resources: [...new Set(resources)] }),
  };
}
