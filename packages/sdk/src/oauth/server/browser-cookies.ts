/**
 * The cookie of the authorization endpoint. Its first part binds pages to a browser. Its second part, once there is one,
 * keeps the browser's user logged in. One cookie holds both, since not every host can send two.
 */

import { base64url } from "jose";

export interface BrowserCookie {
  readonly browser: string;
  /** Made anew at each login: a value that was there before may be known to others. */
  readonly session?: string;
}

const VALUE = /^([A-Za-z0-9_-]{43})(?:\.([A-Za-z0-9_-]{43}))?$/;

export class BrowserCookies {
  readonly #name: string;
  readonly #attributes: string;

  constructor(issuer: URL) {
    const isSecure = issuer.protocol === "https:";
    // Cookies know no ports, and `__Host-` cookies no paths: servers on one host need names of their own.
    const port = issuer.port || (isSecure ? "443" : "80");
    const path = issuer.pathname === "/" ? "" : `-${base64url.encode(issuer.pathname)}`;
    this.#name = `${isSecure ? "__Host-" : ""}parley-${port}${path}`;
    // Lax: clients and upstream providers send the browser here from other sites.
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  }

  /** Undefined for a cookie that is absent, or was not made by this server. */
  read(request: Request): BrowserCookie | undefined {
    const wanted = `${this.#name}=`;
    const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
    const value = pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length);
    const [, browser, session] = VALUE.exec(value ?? "") ?? [];
    return browser === undefined ? undefined : { browser, ...(session !== undefined && { session }) };
  }

  /** A `Set-Cookie` header. */
  serialize({ browser, session }: BrowserCookie, maxAgeMs: number): string {
    const value = session === undefined ? browser : `${browser}.${session}`;
    return `${this.#name}=${value}; Max-Age=${Math.floor(maxAgeMs / 1_000)}; ${this.#attributes}`;
  }
}
