/** Resources: data of a server that a client reads by URI. */

import type { JsonObject } from "../runtime/json.js";
import type { CacheHint } from "./caching.js";
import type { Annotations, ResourceContents } from "./content.js";
import type { Icon } from "./implementation.js";
import type { InputResponseParams } from "./input-required.js";
import type { PageParams, PageResult, RequestParams, Result } from "./message-base.js";

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
