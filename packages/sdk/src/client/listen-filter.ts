/** The filter of a subscription: its check, its wire form, and the part that a legacy server announces. */
import { SdkError } from "../errors/sdk-error.js";
import type { ServerCapabilities } from "../protocol/capabilities.js";
import { hasCapability } from "../protocol/method-table.js";
import type { SubscriptionFilter } from "../protocol/subscriptions.js";
import { honoredValue, type ListenFilterValue } from "../routing/listen-filter-definition.js";
import type { JsonObject } from "../runtime/json.js";

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
  /** Modern only: filters of extensions, made by the `of` of their definitions. @defaultValue none */
  readonly extensions?: readonly ListenFilterValue[];
}

/** Whether a filter belongs to an extension of this client. */
type IsKnown = (filter: ListenFilterValue["filter"]) => boolean;

/** Checks a filter. @throws {SdkError} `invalid-argument` for a wrong type, and for a filter of no extension of this client. */
export function checkFilter(filter: ListenFilter, isKnown: IsKnown): void {
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
  const unknown = filter.extensions?.find((part) => !isKnown(part.filter))?.filter.name;
  if (unknown !== undefined) {
    const complaint = `"${unknown}" is a filter of no extension of this client; give the extension as extensions: […]`;
    throw new SdkError("invalid-argument", `listen: ${complaint}`);
  }
}

export function toWire({ tools, prompts, resources, resource, extensions = [] }: ListenFilter): SubscriptionFilter {
  return {
    ...(tools && { toolsListChanged: true }),
    ...(prompts && { promptsListChanged: true }),
    ...(resources && { resourcesListChanged: true }),
    ...(resource && { resourceSubscriptions: [...new Set(resource)] }),
    ...Object.fromEntries(extensions.map(({ filter, value }) => [filter.name, value])),
  };
}

/**
 * The honored part of a filter, as the server acknowledged it.
 * @throws {SdkError} `invalid-result` for a value that does not match the schema of its filter.
 */
export function fromWire(honored: SubscriptionFilter & JsonObject, { extensions = [] }: ListenFilter): ListenFilter {
  const acknowledged = extensions.filter(({ filter }) => Object.hasOwn(honored, filter.name));
  return {
    ...(honored.toolsListChanged && { tools: true }),
    ...(honored.promptsListChanged && { prompts: true }),
    ...(honored.resourcesListChanged && { resources: true }),
    ...(honored.resourceSubscriptions && { resource: [...honored.resourceSubscriptions] }),
    ...(acknowledged.length > 0 && {
      extensions: acknowledged.map(({ filter }) => honoredValue(filter, honored[filter.name])),
    }),
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
