/** The state of a host that its page knows: checks of its members, the display modes that both support, the limits of a size. */
import { checkOptions, type OptionTable } from "../errors/option-table.js";
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
export interface AppPageSize {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

const CONTEXT: OptionTable<HostContext> = {
  toolInfo: "object",
  theme: "string",
  styles: "object",
  displayMode: "string",
  availableDisplayModes: "list",
  containerDimensions: "object",
  locale: "string",
  timeZone: "string",
  userAgent: "string",
  platform: "string",
  deviceCapabilities: "object",
  safeAreaInsets: "object",
};

const DIMENSIONS: OptionTable<Record<ContainerDimension, number>> = {
  width: true,
  height: true,
  maxWidth: true,
  maxHeight: true,
};

/** @throws {SdkError} `invalid-argument` for an unknown member, or one of the wrong kind. */
export function checkContext(owner: string, context: HostContext): void {
  checkOptions(owner, context, CONTEXT);
  checkOptions<object>(`${owner}: containerDimensions`, context.containerDimensions ?? {}, DIMENSIONS);
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

/** Limits a size to the fixed and to the maximum size of the container. */
export function withinContainer(
  { width, height }: AppPageSize,
  { containerDimensions: container = {} }: HostContext,
): AppPageSize {
  return {
    ...(width !== undefined && { width: least(width, container.width, container.maxWidth) }),
    ...(height !== undefined && { height: least(height, container.height, container.maxHeight) }),
  };
}

function least(...numbers: readonly (number | undefined)[]): number {
  return Math.min(...numbers.filter((each) => each !== undefined));
}
