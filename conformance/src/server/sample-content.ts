/** Content that several tools, prompts and resources hand out. */
import type { AudioContent, EmbeddedResource, ImageContent } from "parley-mcp/types";

/** One pixel. */
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A header and no sound. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAESsAACJWAAACABAAZGF0YQAAAAA=";

export const image: ImageContent = { type: "image", data: PNG, mimeType: "image/png" };
export const audio: AudioContent = { type: "audio", data: WAV, mimeType: "audio/wav" };

export function embedded(uri: string, text: string): EmbeddedResource {
  return { type: "resource", resource: { uri, mimeType: "text/plain", text } };
}
