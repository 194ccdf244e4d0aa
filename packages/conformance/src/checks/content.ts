/** Content blocks, in the results of tools and in the messages of prompts. */
import { isObject } from "../wire/json-rpc.js";
import { areAnnotations, isMimeType } from "./lists.js";

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function isBase64(value: unknown): boolean {
  return typeof value === "string" && BASE64.test(value);
}

/** What is wrong with a block, or `undefined`. */
export function blockFault(block: unknown): string | undefined {
  if (!isObject(block)) return "a block that is no object";
  if (!areAnnotations(block.annotations)) return "annotations that are none";
  switch (block.type) {
    case "text":
      return typeof block.text === "string" ? undefined : "a text block without text";
    case "image":
    case "audio":
      return isBase64(block.data) && typeof block.mimeType === "string" && isMimeType(block.mimeType)
        ? undefined
        : `an ${block.type} block without Base64 data and mimeType`;
    case "resource_link":
      return typeof block.uri === "string" && typeof block.name === "string"
        ? undefined
        : "a link without uri and name";
    case "resource":
      return contentsFault(block.resource);
    default:
      return `a block of type ${JSON.stringify(block.type)}`;
  }
}

/** What is wrong with the contents of a resource, or `undefined`. */
export function contentsFault(contents: unknown): string | undefined {
  if (!isObject(contents)) return "contents that are no object";
  if (typeof contents.uri !== "string") return "contents without uri";
  if (!isMimeType(contents.mimeType)) return "contents with a mimeType that is none";
  if (typeof contents.text === "string") return undefined;
  return isBase64(contents.blob) ? undefined : "contents with neither text nor Base64 in blob";
}
