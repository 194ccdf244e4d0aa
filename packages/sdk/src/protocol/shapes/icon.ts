/** Shapes of icons. */
import type { Icon } from "../implementation.js";
import type { Shape } from "../shape.js";
import { array, object, oneOf, optional, string } from "../shape.js";
import { iconSourceShape, mimeTypeShape } from "./formats.js";

export const iconShape: Shape = object<Icon>({
  src: iconSourceShape,
  mimeType: optional(mimeTypeShape),
  sizes: optional(array(string)),
  theme: optional(oneOf("light", "dark")),
});

/** An icon in a peer's `Implementation`, checked loosely so that a handshake does not fail over it. */
export const peerIconShape: Shape = object<Icon>({
  src: string,
  mimeType: optional(string),
  sizes: optional(array(string)),
  theme: optional(oneOf("light", "dark")),
});
