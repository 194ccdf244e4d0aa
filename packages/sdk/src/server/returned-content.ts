/** Content that handlers return, with bytes in place of Base64, and its encoding for the wire. */
import type {
  AudioContent,
  BlobResourceContents,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
  TextResourceContents,
} from "../protocol/content.js";
import { encodeBase64 } from "../runtime/base64.js";
import { isJsonObject } from "../runtime/json.js";

/** An image or sound whose data may be bytes. */
type WithData<Block> = Omit<Block, "data"> & { data: string | Uint8Array };

/** The bytes of a resource, or their Base64. */
export type ReturnedBlob = Omit<BlobResourceContents, "blob"> & { blob: string | Uint8Array };

/** An image, with its bytes or their Base64. */
export type ReturnedImage = WithData<ImageContent>;

/** A sound, with its bytes or their Base64. */
export type ReturnedAudio = WithData<AudioContent>;

/** An embedded resource, with its text, its bytes or their Base64. */
export type ReturnedResource = Omit<EmbeddedResource, "resource"> & { resource: TextResourceContents | ReturnedBlob };

/** A block of a tool result or a prompt message. The server encodes bytes as Base64. */
export type ReturnedBlock = TextContent | ReturnedImage | ReturnedAudio | ResourceLink | ReturnedResource;

/** Encodes the bytes of a block. Returns the same object if it has none. */
export function encodeBlock(block: unknown): unknown {
  if (!isJsonObject(block)) return block;
  if (block.data instanceof Uint8Array) return { ...block, data: encodeBase64(block.data) };
  const resource = encodeContents(block.resource);
  return resource === block.resource ? block : { ...block, resource };
}

/** Encodes the bytes of resource contents. Returns the same object if they have none. */
export function encodeContents(contents: unknown): unknown {
  if (!isJsonObject(contents) || !(contents.blob instanceof Uint8Array)) return contents;
  return { ...contents, blob: encodeBase64(contents.blob) };
}

/** Encodes each item of a list. Returns the same list if nothing changed. Shapes later refuse a value that is not a list. */
export function encodeEach(items: unknown, encode: (item: unknown) => unknown): unknown {
  if (!Array.isArray(items)) return items;
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const encoded = encode(items[index]);
    if (encoded === items[index]) continue;
    copy ??= [...items];
    copy[index] = encoded;
  }
  return copy ?? items;
}
