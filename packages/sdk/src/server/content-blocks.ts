/** Makes the content blocks of tool results and prompt messages. */
import type {
  Annotations,
  EmbeddedResource,
  ResourceLink,
  TextContent,
  TextResourceContents,
} from "../protocol/content.js";
import type { JsonObject } from "../runtime/json.js";
import type { ReturnedAudio, ReturnedBlob, ReturnedImage, ReturnedResource } from "./returned-content.js";

/** Optional members of a content block. */
export interface BlockOptions {
  /** Whom the block is for, and how much it matters. @defaultValue none */
  annotations?: Annotations | undefined;
  /** Metadata of the block, for clients that know its keys. @defaultValue none */
  _meta?: JsonObject | undefined;
}

/**
 * A block of text.
 *
 * @example
 * server.tool("hello", () => [text("Hello"), text("for the model alone", { annotations: { audience: ["assistant"] } })]);
 */
export function text(content: string, options?: BlockOptions): TextContent {
  return { type: "text", text: content, ...options };
}

/**
 * An image. The server encodes bytes; a string is Base64 already.
 *
 * @example
 * server.tool("pixel", () => [image(Uint8Array.of(0x47, 0x49, 0x46), "image/gif")]);
 */
export function image(data: Uint8Array | string, mimeType: string, options?: BlockOptions): ReturnedImage {
  return { type: "image", data, mimeType, ...options };
}

/**
 * A sound. The server encodes bytes; a string is Base64 already. Since 2025-03-26.
 *
 * @example
 * server.tool("beep", () => [audio("UklGRg==", "audio/wav")]);
 */
export function audio(data: Uint8Array | string, mimeType: string, options?: BlockOptions): ReturnedAudio {
  return { type: "audio", data, mimeType, ...options };
}

/**
 * A link to a resource that the client may read. Since 2025-06-18.
 *
 * @example
 * server.tool("find", () => [resourceLink("notes://today", "today", { mimeType: "text/plain" })]);
 */
export function resourceLink(
  uri: string,
  name: string,
  options?: Omit<ResourceLink, "type" | "uri" | "name">,
): ResourceLink {
  return { type: "resource_link", uri, name, ...options };
}

/**
 * A resource inside the block: its URI with text or bytes. The server encodes bytes.
 *
 * @example
 * server.tool("today", () => [embeddedResource({ uri: "notes://today", text: "Buy milk" })]);
 */
export function embeddedResource(
  resource: TextResourceContents | ReturnedBlob,
  options?: Pick<EmbeddedResource, "annotations" | "_meta">,
): ReturnedResource {
  return { type: "resource", resource, ...options };
}
