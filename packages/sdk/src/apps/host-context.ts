/** What a host tells a page about itself, and the display modes that both support. */
import { SdkError } from "../errors/sdk-error.js";
import type { Tool } from "../protocol/tools.js";

/** How a page is displayed. `pip` is a floating window. */
export type DisplayMode = "inline" | "fullscreen" | "pip";

/** `width` and `height` are fixed. With `maxWidth` and `maxHeight` the page decides. */
export type ContainerDimension = "width" | "height" | "maxWidth" | "maxHeight";

/** The state of a host that a page may adapt to. Every member is optional. */
export interface HostContext {
  /** The tool whose results the page shows. `AppHost` fills it in. */
  readonly toolInfo?: { readonly id?: string | number | undefined; readonly tool: Tool } | undefined;
  readonly theme?: "light" | "dark" | undefined;
  /** CSS variables by the names that the extension lists, and CSS that loads fonts. */
  readonly styles?:
    | {
        readonly variables?: Readonly<Record<string, string | undefined>> | undefined;
        readonly css?: { readonly fonts?: string | undefined } | undefined;
      }
    | undefined;
  /** How the page is displayed now. */
  readonly displayMode?: DisplayMode | undefined;
  /** The display modes of the host. */
  readonly availableDisplayModes?: readonly DisplayMode[] | undefined;
  /** The size of the frame in pixels. */
  readonly containerDimensions?: Readonly<Partial<Record<ContainerDimension, number>>> | undefined;
  /** A BCP 47 tag, such as `en-US`. */
  readonly locale?: string | undefined;
  /** An IANA name, such as `Europe/Rome`. */
  readonly timeZone?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly platform?: "web" | "desktop" | "mobile" | undefined;
  readonly deviceCapabilities?:
    | { readonly touch?: boolean | undefined; readonly hover?: boolean | undefined }
    | undefined;
  readonly safeAreaInsets?:
    | { readonly top: number; readonly right: number; readonly bottom: number; readonly left: number }
    | undefined;
}

/** The size that a page wants, in pixels. */
export interface PageSize {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** The mode that a context has without one. */
const DEFAULT_MODE: DisplayMode = "inline";

export function displayModeOf({ displayMode = DEFAULT_MODE }: HostContext): DisplayMode {
  return displayMode;
}

/** Whether host and page support a mode. A page that declared no modes does not exclude any. */
export function isAvailable(mode: DisplayMode, context: HostContext, ofPage: readonly unknown[] | undefined): boolean {
  const ofHost = context.availableDisplayModes ?? [displayModeOf(context)];
  return ofHost.includes(mode) && (ofPage === undefined || ofPage.includes(mode));
}

/** @throws {SdkError} `invalid-argument` for a mode that the page did not declare. */
export function checkMode(mode: DisplayMode | undefined, ofPage: readonly unknown[] | undefined): void {
  if (mode === undefined || ofPage === undefined || ofPage.includes(mode)) return;
  const complaint = `the page does not support ${JSON.stringify(mode)}, only ${ofPage.join(", ") || "none"}`;
  throw new SdkError("invalid-argument", `displayMode: ${complaint}`);
}

/** Limits a size to that of the container. */
export function withinContainer({ width, height }: PageSize, context: HostContext): PageSize {
  const { maxWidth = Number.POSITIVE_INFINITY, maxHeight = Number.POSITIVE_INFINITY } =
    context.containerDimensions ?? {};
  return {
    ...(width !== undefined && { width: Math.min(width, maxWidth) }),
    ...(height !== undefined && { height: Math.min(height, maxHeight) }),
  };
}
