/** Resource identifiers of RFC 8707 and RFC 9728: their canonical form, and comparison. */
import { SdkError } from "../../errors/sdk-error.js";
import { isSecureUrl } from "./loopback.js";

/**
 * The canonical URI of a server: scheme and host in lower case, no fragment, no credentials, and no slash after a bare
 * origin.
 * @throws {SdkError} `invalid-argument` for a text that is not an absolute URL.
 */
export function canonicalResource(url: string | URL): string {
  if (!URL.canParse(String(url))) {
    throw new SdkError("invalid-argument", "a resource must be an absolute URL such as https://mcp.example.com/mcp");
  }
  const parsed = new URL(url);
  parsed.hash = "";
  parsed.username = "";
  parsed.password = "";
  const { search } = parsed;
  // The assignment removes the question mark of an empty query.
  parsed.search = search;
  return isBareOrigin(parsed) ? parsed.href.slice(0, -1) : parsed.href;
}

/**
 * The canonical URI of a server that needs tokens.
 * @throws {SdkError} `invalid-argument` for a URL that is not https and not loopback, or that has a fragment.
 */
export function secureResource(resource: string): string {
  const canonical = canonicalResource(resource);
  const fail = (problem: string) => new SdkError("invalid-argument", `resource ${JSON.stringify(resource)} ${problem}`);
  if (!isSecureUrl(new URL(canonical))) throw fail("must use https, or http on a loopback host");
  if (resource.includes("#")) throw fail("must have no fragment");
  return canonical;
}

function isBareOrigin({ pathname, search }: URL): boolean {
  return pathname === "/" && search === "";
}

/** Whether two identifiers name the same resource. A malformed one, or one with a fragment, equals no other. */
export function sameResource(one: string, other: string): boolean {
  const [first, second] = [comparable(one), comparable(other)];
  return first !== undefined && first === second;
}

function comparable(resource: string): string | undefined {
  if (resource.includes("#") || !URL.canParse(resource)) return undefined;
  const url = new URL(resource);
  url.pathname = withoutSlash(url.pathname);
  return canonicalResource(url);
}

/**
 * Whether the resource of a metadata document covers a URL: both have the same origin, and the path of the resource is the path
 * of the URL or a parent of it.
 */
export function coversResource(advertised: string, url: URL): boolean {
  if (advertised.includes("#") || !URL.canParse(advertised)) return false;
  const resource = new URL(advertised);
  if (!/^https?:$/.test(resource.protocol) || resource.origin !== url.origin) return false;
  if (resource.search !== "" && resource.search !== url.search) return false;
  return `${withoutSlash(url.pathname)}/`.startsWith(`${withoutSlash(resource.pathname)}/`);
}

function withoutSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
