/** Resources: data of a server that a client reads by URI. */

import type { JsonObject } from "../runtime/json.js";
import type { Annotations, ResourceContents } from "./content.js";
import { annotationsShape, resourceContentsShape, resourceFields } from "./content.js";
import { mimeTypeShape, uriShape } from "./formats.js";
import type { Icon } from "./implementation.js";
import { iconShape } from "./implementation.js";
import type { InputResponseParams } from "./input-required.js";
import { inputResponseFields } from "./input-required.js";
import type { CacheHint, PageParams, PageResult, RequestParams, Result } from "./message-base.js";
import { cacheFields, notificationFields, pageResultFields, requestFields, resultFields } from "./message-base.js";
import type { ResourceUpdatedParams } from "./notifications.js";
import type { Shape } from "./shape.js";
import { array, jsonObject, object, optional, string } from "./shape.js";

/** A resource as a list shows it. */
export interface Resource {
  uri: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  /** The raw contents in bytes, before base64. */
  size?: number | undefined;
  icons?: Icon[] | undefined;
  annotations?: Annotations | undefined;
  _meta?: JsonObject | undefined;
}

/** A family of resources whose URIs follow one RFC 6570 template. */
export interface ResourceTemplate {
  uriTemplate: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  icons?: Icon[] | undefined;
  annotations?: Annotations | undefined;
  _meta?: JsonObject | undefined;
}

/** The params of `resources/list`. */
export type ListResourcesParams = PageParams;

/** The result of `resources/list`. */
export interface ListResourcesResult extends PageResult, CacheHint {
  resources: Resource[];
}

/** The params of `resources/templates/list`. */
export type ListResourceTemplatesParams = PageParams;

/** The result of `resources/templates/list`. */
export interface ListResourceTemplatesResult extends PageResult, CacheHint {
  resourceTemplates: ResourceTemplate[];
}

/** The params of `resources/read`. */
export interface ReadResourceParams extends InputResponseParams {
  uri: string;
}

/** The result of `resources/read`. */
export interface ReadResourceResult extends Result, CacheHint {
  contents: ResourceContents[];
}

/** The params of `resources/subscribe` and `resources/unsubscribe`; legacy only. */
export interface SubscribeParams extends RequestParams {
  uri: string;
}

export const resourceShape: Shape = object<Resource>(resourceFields);

export const listResourcesResultShape: Shape = object<ListResourcesResult>({
  ...pageResultFields,
  ...cacheFields,
  resources: array(resourceShape),
});

export const resourceTemplateShape: Shape = object<ResourceTemplate>({
  uriTemplate: string,
  name: string,
  title: optional(string),
  description: optional(string),
  mimeType: optional(mimeTypeShape),
  icons: optional(array(iconShape)),
  annotations: optional(annotationsShape),
  _meta: optional(jsonObject),
});

export const listResourceTemplatesResultShape: Shape = object<ListResourceTemplatesResult>({
  ...pageResultFields,
  ...cacheFields,
  resourceTemplates: array(resourceTemplateShape),
});

export const readResourceParamsShape: Shape = object<ReadResourceParams>({ ...inputResponseFields, uri: uriShape });

export const readResourceResultShape: Shape = object<ReadResourceResult>({
  ...resultFields,
  ...cacheFields,
  contents: array(resourceContentsShape),
});

export const subscribeParamsShape: Shape = object<SubscribeParams>({ ...requestFields, uri: string });

export const resourceUpdatedParamsShape: Shape = object<ResourceUpdatedParams>({ ...notificationFields, uri: string });
