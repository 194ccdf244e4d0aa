/** Content blocks of tool results and prompts, and contents of resources. */
import type { JsonObject } from "../runtime/json.js";
import { base64Shape, mimeTypeShape, priorityShape, uriShape } from "./formats.js";
import { iconShape } from "./implementation.js";
import type { Resource } from "./resources.js";
import type { Fields, Shape } from "./shape.js";
import { array, distinguished, integer, jsonObject, object, oneOf, optional, string, tagged } from "./shape.js";

/** The speaker of a message. */
export type Role = "user" | "assistant";

/** Hints about a block: its audience and its importance. */
export interface Annotations {
  audience?: Role[] | undefined;
  /** From 0 (can be left out) to 1 (cannot). */
  priority?: number | undefined;
  /** An ISO 8601 time. */
  lastModified?: string | undefined;
}

/** Text. */
export interface TextContent {
  type: "text";
  text: string;
  annotations?: Annotations | undefined;
  _meta?: JsonObject | undefined;
}

/** A picture. */
export interface ImageContent {
  type: "image";
  /** The bytes in base64. */
  data: string;
  mimeType: string;
  annotations?: Annotations | undefined;
  _meta?: JsonObject | undefined;
}

/** Sound; since 2025-03-26. */
export interface AudioContent {
  type: "audio";
  /** The bytes in base64. */
  data: string;
  mimeType: string;
  annotations?: Annotations | undefined;
  _meta?: JsonObject | undefined;
}

/** A pointer to a resource that the client may read; since 2025-06-18. */
export interface ResourceLink extends Resource {
  type: "resource_link";
}

/** A resource carried whole inside the block. */
export interface EmbeddedResource {
  type: "resource";
  resource: ResourceContents;
  annotations?: Annotations | undefined;
  _meta?: JsonObject | undefined;
}

/** One block of a tool result or a prompt message. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** A resource's contents as text. */
export interface TextResourceContents {
  uri: string;
  text: string;
  mimeType?: string | undefined;
  _meta?: JsonObject | undefined;
}

/** A resource's contents as bytes. */
export interface BlobResourceContents {
  uri: string;
  /** The bytes in base64. */
  blob: string;
  mimeType?: string | undefined;
  _meta?: JsonObject | undefined;
}

/** A resource's contents, as text or as bytes. */
export type ResourceContents = TextResourceContents | BlobResourceContents;

export const roleShape: Shape = oneOf("user", "assistant");

export const annotationsShape: Shape = object<Annotations>({
  audience: optional(array(roleShape)),
  priority: optional(priorityShape),
  lastModified: optional(string),
});

const blockFields = { annotations: optional(annotationsShape), _meta: optional(jsonObject) };

export const textContentShape: Shape = object<TextContent>({ type: oneOf("text"), text: string, ...blockFields });

export const imageContentShape: Shape = object<ImageContent>({
  type: oneOf("image"),
  data: base64Shape,
  mimeType: mimeTypeShape,
  ...blockFields,
});

export const audioContentShape: Shape = object<AudioContent>({
  type: oneOf("audio"),
  data: base64Shape,
  mimeType: mimeTypeShape,
  ...blockFields,
});

export const resourceFields: Fields<Resource> = {
  uri: uriShape,
  name: string,
  title: optional(string),
  description: optional(string),
  mimeType: optional(mimeTypeShape),
  size: optional(integer),
  icons: optional(array(iconShape)),
  ...blockFields,
};

const resourceLinkShape: Shape = object<ResourceLink>({ type: oneOf("resource_link"), ...resourceFields });

const contentsFields = { uri: uriShape, mimeType: optional(mimeTypeShape), _meta: optional(jsonObject) };

export const resourceContentsShape: Shape = distinguished({
  text: object<TextResourceContents>({ ...contentsFields, text: string }),
  blob: object<BlobResourceContents>({ ...contentsFields, blob: base64Shape }),
});

const embeddedResourceShape: Shape = object<EmbeddedResource>({
  type: oneOf("resource"),
  resource: resourceContentsShape,
  ...blockFields,
});

export const contentBlockShape: Shape = tagged("type", {
  text: textContentShape,
  image: imageContentShape,
  audio: audioContentShape,
  resource_link: resourceLinkShape,
  resource: embeddedResourceShape,
});
