/** The name, version and icons of a client or server. */

import { iconSourceShape, mimeTypeShape } from "./formats.js";
import type { Shape } from "./shape.js";
import { array, object, oneOf, optional, string } from "./shape.js";

/** A picture that a user interface may show. */
export interface Icon {
  /** An `https:` or `data:` URI. */
  src: string;
  mimeType?: string | undefined;
  /** `WIDTHxHEIGHT` each, or `any` for one that scales. */
  sizes?: string[] | undefined;
  theme?: "light" | "dark" | undefined;
}

/** The name and version of a client or server. */
export interface Implementation {
  name: string;
  version: string;
  title?: string | undefined;
  description?: string | undefined;
  websiteUrl?: string | undefined;
  icons?: Icon[] | undefined;
}

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
