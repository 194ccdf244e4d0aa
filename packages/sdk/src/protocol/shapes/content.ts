/** Shapes of content blocks and resource contents. */
import type {
  Annotations,
  AudioContent,
  BlobResourceContents,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
  TextResourceContents,
} from "../content.js";
import type { Resource } from "../resources.js";
import type { Fields, Shape } from "../shape.js";
import { array, distinguished, integer, jsonObject, object, oneOf, optional, string, tagged } from "../shape.js";
import { base64Shape, mimeTypeShape, priorityShape, uriShape } from "./formats.js";
import { iconShape } from "./icon.js";

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
