/**
 * The cookie of the authorization endpoint. Its first part binds pages to a browser. Its second part is set by a login and keeps
 * the user logged in. One cookie holds both, since not every host can send two.
 */

import { base64url } from "jose";

export interface BrowserCookie {
  readonly browser: string;
  /** Replaced at each login, against session fixation: others may know an earlier value. */
  readonly session?: string;
}

const VALUE = /^([A-Za-z0-9_-]{43})(?:\.([A-Za-z0-9_-]{43}))?$/;

export class BrowserCookies {
  readonly #name: string;
  readonly #attributes: string;

  constructor(issuer: URL) {
    const isSecure = issuer.protocol === "https:";
    // Cookies ignore ports, and `__Host-` cookies require `Path=/`: servers on one host need different cookie names.
    const port = issuer.port || (isSecure ? "443" : "80");
    const path = issuer.pathname === "/" ? "" : `-${base64url.encode(issuer.pathname)}`;
    this.#name = `${isSecure ? "__Host-" : ""}parley-${port}${path}`;
    // Lax: clients and upstream providers send the browser here from other sites.
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  }

  /** Reads the cookie of a request. Undefined if it is absent or malformed. */
  read(request: Request): BrowserCookie | undefined {
    const wanted = `${this.#name}=`;
    const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
    const value = pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length);
    const [, browser, session] = VALUE.exec(value ?? "") ?? [];
    return browser === undefined ? undefined : { browser, ...(session !== undefined && { session }) };
  }

  /** Serializes the value of a `Set-Cookie` header. */
  serialize({ browser, session }: BrowserCookie, maxAgeMs: number): string {
    const value = session === undefined ? browser : `${browser}.${session}`;
    return `${this.#name}=${value}; Max-Age=${Math.floor(maxAgeMs / 1_000)}; ${this.#attributes}`;
  }
}
