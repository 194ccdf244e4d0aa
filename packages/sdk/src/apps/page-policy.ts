/** The Content Security Policy and the permissions of a page, from its metadata. The sandbox page applies the same table. */
import { APP_PERMISSIONS, type AppCsp, type AppPermission } from "./apps-extension.js";

/** The four lists of origins. */
export type CspList = keyof AppCsp;

export const CSP_LISTS: readonly CspList[] = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"];

/** Each directive with its fixed sources and the list that adds to them. Without any source it is `'none'`. */
export const DIRECTIVES: readonly (readonly [name: string, fixed: readonly string[], list?: CspList])[] = [
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
];

/** `base-uri` by itself: its default is `'self'`, and a list replaces the default. */
const BASE_URI = "base-uri";

/** The browser's names of the permissions. */
export const FEATURES: Readonly<Record<AppPermission, string>> = {
  camera: "camera",
  microphone: "microphone",
  geolocation: "geolocation",
  clipboardWrite: "clipboard-write",
};

/** An origin, or all subdomains of one. Anything else could end the directive, or allow more than an origin. */
export const ORIGIN: RegExp = /^(?:https?|wss?):\/\/(?:\*\.)?[\w-]+(?:\.[\w-]+)*(?::\d{1,5})?$/i;

/** The value of the `Content-Security-Policy` header for a page. Leaves out what is not an origin. */
export function contentSecurityPolicy(csp: AppCsp = {}): string {
  const origins = (list: CspList | undefined) =>
    list && csp[list] ? csp[list].filter((each) => ORIGIN.test(each)) : [];
  const directives = DIRECTIVES.map(([name, fixed, list]) => {
    return `${name} ${[...fixed, ...origins(list)].join(" ") || "'none'"}`;
  });
  return [...directives, `${BASE_URI} ${origins("baseUriDomains").join(" ") || "'self'"}`].join("; ");
}

/** The `allow` attribute of a frame for the permissions that a host grants. */
export function permissionsPolicy(permissions: readonly AppPermission[]): string {
  return APP_PERMISSIONS.filter((name) => permissions.includes(name))
    .map((name) => FEATURES[name])
    .join("; ");
}

/**
 * A page with its policy, for hosts that load a page without a sandbox page. The policy comes before all that the page has, so that
 * it holds for everything in it.
 */
export function withPolicy(html: string, csp: AppCsp = {}): string {
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy(csp)}">${html}`;
}
