/**
 * Guard against DNS rebinding, by which a web page reaches a local server through the user's browser. Over loopback, `Host`
 * and `Origin` must name a loopback host. Elsewhere the allow-lists decide.
 */
import { describeKind } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { HttpRequest } from "./http-host.js";
import { HttpRefusal } from "./http-refusal.js";

const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;
const HOST = /^(\[[0-9a-f:.]+\]|[^:/?#@\s]+)(?::\d{1,5})?$/;
const WEB_ORIGIN = /^https?:\/\/(.+)$/;

/** Entries of the options. Any other entry would match no request. */
const HOST_ENTRY = /^(?:\[[\da-f:.]+\]|[^*:/?#@\s]+)(?::\d{1,5})?$/i;
const ORIGIN_ENTRY = /^(?:null|[a-z][a-z\d+.-]*:\/\/[^*/?#@\s]+)$/i;

export type AllowList = readonly string[] | "any" | undefined;

export class HostChecks {
  readonly #hosts: ReadonlySet<string> | "any" | undefined;
  readonly #origins: ReadonlySet<string> | "any";

  constructor(hosts: AllowList, ...origins: AllowList[]) {
    this.#hosts = hosts === "any" ? "any" : hosts && lowerCased(hosts);
    this.#origins = origins.includes("any") ? "any" : lowerCased(origins.flatMap((list) => list ?? []));
  }

  /** @throws {HttpRefusal} 400 for several hosts (RFC 9112, section 3.2), 403 */
  checkHost(request: Pick<HttpRequest, "header" | "isLocal">): void {
    const host = request.header("host");
    if (host?.includes(",")) throw HttpRefusal.badRequest("Invalid request: it has more than one Host header");
    if (!this.#allowsHost(host, request.isLocal)) throw refusal("Host", host ?? "(none)", "allowedHosts");
  }

  /** @throws {HttpRefusal} 403 */
  checkOrigin(request: Pick<HttpRequest, "header" | "isLocal">): void {
    const origin = request.header("origin");
    if (origin === undefined || this.#allowsOrigin(origin, request.isLocal)) return;
    throw refusal("Origin", origin, "allowedOrigins");
  }

  #allowsHost(header: string | undefined, isLocal: boolean): boolean {
    if (this.#hosts === "any" || (this.#hosts === undefined && !isLocal)) return true;
    const host = header?.toLowerCase() ?? "";
    if (isLocal && LOOPBACK_HOST.test(host)) return true;
    const name = HOST.exec(host)?.[1];
    return this.#hosts !== undefined && name !== undefined && (this.#hosts.has(host) || this.#hosts.has(name));
  }

  #allowsOrigin(header: string, isLocal: boolean): boolean {
    const origin = header.toLowerCase();
    if (this.#origins === "any" || this.#origins.has(origin)) return true;
    return isLocal && LOOPBACK_HOST.test(WEB_ORIGIN.exec(origin)?.[1] ?? "");
  }
}

/** Checks a list of host names, such as `allowedHosts`. @throws {SdkError} `invalid-argument` */
export function checkHosts(option: string, hosts: unknown): void {
  checkEntries(option, hosts, HOST_ENTRY, "mcp.example.com");
}

/** Checks a list of origins, such as `allowedOrigins`. @throws {SdkError} `invalid-argument` */
export function checkOrigins(option: string, origins: unknown): void {
  checkEntries(option, origins, ORIGIN_ENTRY, "https://app.example.com");
}

function checkEntries(option: string, list: unknown, entry: RegExp, example: string): void {
  if (list === undefined || list === "any") return;
  const odd = Array.isArray(list) ? list.find((one) => typeof one !== "string" || !entry.test(one)) : list;
  if (odd === undefined) return;
  const complaint = `expected "any" or a list such as ["${example}"], got ${describeKind(odd)}`;
  throw new SdkError("invalid-argument", `${option}: ${complaint}${Array.isArray(list) ? " in it" : ""}`);
}

function lowerCased(list: readonly string[]): ReadonlySet<string> {
  return new Set(list.map((entry) => entry.toLowerCase()));
}

function refusal(header: string, value: string, option: string): HttpRefusal {
  const message = `Forbidden: ${header} ${JSON.stringify(value)} is not allowed here; ${option} names those that are`;
  return HttpRefusal.forbidden(message);
}
