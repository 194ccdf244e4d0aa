/**
 * The apps extension (SEP-1865): its identifier, and the metadata of tools and pages. serve-apps.ts writes the metadata on a server,
 * app-page-reader.ts reads it on a client. The messages between a host and a page are in app-host.ts.
 */
import type { Tool } from "../protocol/tools.js";
import { defineExtension, type Extension } from "../routing/extension.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import type { JsonSchema } from "../schema/schema.js";

/** The MIME type of a page. */
export const APP_MIME_TYPE = "text/html;profile=mcp-app";

/** The URI scheme of pages. */
export const APP_SCHEME = "ui://";

/** What a page may load: origins such as `https://api.example.com` or `https://*.example.com`, and WebAssembly. The rest is blocked. */
export interface AppCsp {
  /** Origins of `fetch`, `XMLHttpRequest` and `WebSocket`. @defaultValue none */
  readonly connectDomains?: readonly string[] | undefined;
  /** Origins of scripts, styles, images, fonts and media. @defaultValue none */
  readonly resourceDomains?: readonly string[] | undefined;
  /** Origins of nested frames. @defaultValue none */
  readonly frameDomains?: readonly string[] | undefined;
  /** Origins of the document's `base`. @defaultValue the page's own */
  readonly baseUriDomains?: readonly string[] | undefined;
  /** Whether the page compiles WebAssembly. @defaultValue false */
  readonly wasmUnsafeEval?: boolean | undefined;
}

/** A feature of the browser that a page asks for. The host decides. */
export type AppPermission = (typeof APP_PERMISSIONS)[number];

export const APP_PERMISSIONS = ["camera", "microphone", "geolocation", "clipboardWrite"] as const;

/** Permissions as messages have them: an object with an empty member for each. */
export function permissionsObject(permissions: readonly AppPermission[]): JsonObject {
  return Object.fromEntries(permissions.map((name) => [name, {}]));
}

/** Who may call a tool: the model, or the page of the same server. */
export type AppToolVisibility = "model" | "app";

/** The settings that a client declares. */
export interface AppsClientSettings {
  /** The MIME types of pages that the client shows. */
  mimeTypes: string[];
}

interface SchemaOf<Value> {
  readonly "~standard": { readonly types?: { readonly input: Value; readonly output: Value } | undefined };
}

/** The apps extension. A host declares it with `apps.onClient({ mimeTypes: [APP_MIME_TYPE] })`. */
export const apps: Extension<SchemaOf<AppsClientSettings>, JsonSchema> = defineExtension("io.modelcontextprotocol/ui", {
  clientSettings: typed<AppsClientSettings>({
    type: "object",
    properties: { mimeTypes: { type: "array", items: { type: "string" } } },
    required: ["mimeTypes"],
  }),
});

const EVERYBODY: readonly AppToolVisibility[] = ["model", "app"];

/** The page of a tool, by its `_meta`; undefined for a tool without a page. */
export function pageUriOf(tool: Pick<Tool, "_meta">): string | undefined {
  const { resourceUri } = uiOf(tool);
  return typeof resourceUri === "string" ? resourceUri : undefined;
}

/** Whether a tool is for the model or for pages. A tool without a visibility is for both, one with a malformed visibility for neither. */
export function isVisibleTo(who: AppToolVisibility, tool: Pick<Tool, "_meta">): boolean {
  const { visibility = EVERYBODY } = uiOf(tool);
  return Array.isArray(visibility) && visibility.includes(who);
}

/** The `ui` member of a `_meta`. */
export function uiOf({ _meta }: { readonly _meta?: unknown }): { readonly [name: string]: unknown } {
  const ui = isJsonObject(_meta) ? _meta.ui : undefined;
  return isJsonObject(ui) ? ui : {};
}

/** Gives plain JSON Schema the type of the values that it accepts. */
function typed<Value>(schema: JsonSchema): SchemaOf<Value> {
  // `~standard` holds types only here: without it at run time, the SDK compiles the value as JSON Schema.
  return schema as unknown as SchemaOf<Value>;
}
