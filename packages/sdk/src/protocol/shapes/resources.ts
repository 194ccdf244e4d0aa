/** Shapes of listing, reading and watching resources. */
import type { ResourceUpdatedParams } from "../notifications.js";
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceParams,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  SubscribeParams,
} from "../resources.js";
import type { Shape } from "../shape.js";
import { array, jsonObject, object, optional, string } from "../shape.js";
import { annotationsShape, resourceContentsShape, resourceFields } from "./content.js";
import { iconShape } from "./icon.js";
import { inputResponseFields } from "./input-required.js";
import { cacheFields, notificationFields, pageResultFields, requestFields, resultFields } from "./message-base.js";

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
  mimeType: optional(string),
  icons: optional(array(iconShape)),
  annotations: optional(annotationsShape),
  _meta: optional(jsonObject),
});

export const listResourceTemplatesResultShape: Shape = object<ListResourceTemplatesResult>({
  ...pageResultFields,
  ...cacheFields,
  resourceTemplates: array(resourceTemplateShape),
});

export const readResourceParamsShape: Shape = object<ReadResourceParams>({ ...inputResponseFields, uri: string });

export const readResourceResultShape: Shape = object<ReadResourceResult>({
  ...resultFields,
  ...cacheFields,
  contents: array(resourceContentsShape),
});

export const subscribeParamsShape: Shape = object<SubscribeParams>({ ...requestFields, uri: string });

export const resourceUpdatedParamsShape: Shape = object<ResourceUpdatedParams>({ ...notificationFields, uri: string });
