/** The name, version and icons of a client or server. */

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
