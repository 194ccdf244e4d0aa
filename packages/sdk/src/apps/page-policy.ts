/** The Content Security Policy and the permissions of a page, from its metadata. The sandbox page applies the same tables. */
import type { OptionTable } from "../errors/option-table.js";
import type { JsonObject } from "../runtime/json.js";
import { type AppCsp, type AppPermission, permissionsObject } from "./apps-extension.js";

/** The four lists of origins. */
export type CspList = Exclude<keyof AppCsp, "wasmUnsafeEval">;

export const CSP_OPTIONS: OptionTable<AppCsp> = {
  connectDomains: "list",
  resourceDomains: "list",
  frameDomains: "list",
  baseUriDomains: "list",
  wasmUnsafeEval: "boolean",
};

export const CSP_LISTS: readonly CspList[] = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"];

/** A directive with its fixed sources, the list that adds to them, and its value without any source. */
type Directive = readonly [name: string, fixed: readonly string[], list?: CspList, fallback?: string];

export const DIRECTIVES: readonly Directive[] = [
  ["default-src", []],
  ["script-src", ["'self'", "'unsafe-inline'"], "resourceDomains"],
  ["style-src", ["'self'", "'unsafe-inline'"], "resourceDomains"],
  ["img-src", ["'self'", "data:"], "resourceDomains"],
  ["font-src", ["'self'"], "resourceDomains"],
  ["media-src", ["'self'", "data:"], "resourceDomains"],
  ["connect-src", [], "connectDomains"],
  ["frame-src", [], "frameDomains"],
  ["object-src", []],
  ["form-action", []],
  ["base-uri", [], "baseUriDomains", "'self'"],
];

/** The browser's names of the permissions. */
export const FEATURES: Readonly<Record<AppPermission, string>> = {
  camera: "camera",
  microphone: "microphone",
  geolocation: "geolocation",
  clipboardWrite: "clipboard-write",
};

/**
 * An origin, or all subdomains of one. Anything else could end the directive, or allow more than an origin. All subdomains of a
 * top-level domain, such as `https://*.com`, are the sites of anybody.
 */
export const ORIGIN: RegExp = /^(?:https?|wss?):\/\/(?:\*\.[\w-]+\.)?[\w-]+(?:\.[\w-]+)*(?::\d{1,5})?$/i;

/** The value of the `Content-Security-Policy` header for a page. Leaves out entries that are not origins. */
export function contentSecurityPolicy(csp: AppCsp = {}): string {
  return joinDirectives(csp, DIRECTIVES, ORIGIN);
}

/** The `allow` attribute of a frame for the permissions that a host grants. */
export function permissionsPolicy(permissions: readonly AppPermission[]): string {
  return joinFeatures(permissionsObject(permissions), FEATURES);
}

// The script of the sandbox page contains the source of the next two functions. They refer to their parameters only, and name no
// inner functions, because some compilers add calls to helpers of the module for names.

export function joinDirectives(csp: AppCsp, directives: readonly Directive[], origin: RegExp): string {
  return directives
    .map(([name, fixed, list, fallback = "'none'"]) => {
      const wasm = name === "script-src" && csp.wasmUnsafeEval === true ? ["'wasm-unsafe-eval'"] : [];
      const origins = ((list && csp[list]) ?? []).filter((each) => origin.test(each));
      return `${name} ${[...fixed, ...wasm, ...origins].join(" ") || fallback}`;
    })
    .join("; ");
}

export function joinFeatures(permissions: JsonObject, features: Readonly<Record<string, string>>): string {
  return Object.entries(features)
    .flatMap(([permission, feature]) => (permissions[permission] ? feature : []))
    .join("; ");
}

/**
 * A page with its policy, for hosts that load a page without a sandbox page. The policy comes before all that the page has, so that
 * it holds for everything in it.
 */
export function withPolicy(html: string, csp: AppCsp = {}): string {
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy(csp)}">${html}`;
}
