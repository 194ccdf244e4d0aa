/** The shape of an icon. */
import type { Icon } from "../implementation.js";
import type { Shape } from "../shape.js";
import { array, object, oneOf, optional, string } from "../shape.js";

export const iconShape: Shape = object<Icon>({
  src: string,
  mimeType: optional(string),
  sizes: optional(array(string)),
  theme: optional(oneOf("light", "dark")),
});
