/**
 * Finds the authorization server of a resource: its metadata by RFC 9728, then the metadata of the issuer by RFC 8414 or
 * OpenID Connect. Servers of 2025-03-26 have no resource metadata; their own origin is the issuer.
 */
import { SdkError } from "../../errors/sdk-error.js";
import type { GuardedFetch } from "../grammar/guarded-fetch.js";
import {
  type AuthorizationServerMetadata,
  type ProtectedResourceMetadata,
  parseAuthorizationServerMetadata,
  parseProtectedResourceMetadata,
} from "../grammar/metadata.js";
import { canonicalResource, coversResource } from "../grammar/resource-uri.js";
import { authorizationServerMetadataUrls, resourceMetadataUrls } from "../grammar/well-known.js";
import { authorizationFailed } from "./oauth-response.js";

export interface DiscoveredServer {
  /** The issuer exactly as the resource names it. Tokens and credentials of the server are stored under it. */
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** False if the server publishes no metadata, and its endpoints are assumed. */
  readonly isDescribed: boolean;
}

export interface DiscoveredResource {
  /** The value of every `resource` parameter: as the metadata spells it, or the canonical form of the URL. */
  readonly resource: string;
  readonly metadata: ProtectedResourceMetadata | undefined;
  /** Issuers to choose from, at least one. */
  readonly issuers: readonly string[];
}

/**
 * @param challenged the `resource_metadata` of the challenge, if it had one
 * @throws {SdkError} `authorization-failed` for metadata of another resource, or that cannot be used.
 */
export async function discoverResource(
  url: URL,
  challenged: string | undefined,
  fetch: GuardedFetch,
): Promise<DiscoveredResource> {
  const candidates = [...(challenged !== undefined ? [metadataUrl(challenged)] : []), ...resourceMetadataUrls(url)];
  for (const candidate of candidates) {
    const document = await fetchDocument(candidate, fetch);
    if (document === undefined) continue;
    const metadata = parseProtectedResourceMetadata(document);
    if (!coversResource(metadata.resource, url)) throw foreignResource(candidate, metadata.resource, url);
    const named = metadata.authorization_servers ?? [];
    return { resource: metadata.resource, metadata, issuers: named.length > 0 ? named : [url.origin] };
  }
  return { resource: canonicalResource(url), metadata: undefined, issuers: [url.origin] };
}

/** @throws {SdkError} `authorization-failed` if every metadata document names another issuer, or one cannot be used. */
export async function discoverAuthorizationServer(issuer: string, fetch: GuardedFetch): Promise<DiscoveredServer> {
  const base = new URL(issuer);
  let mismatch: SdkError | undefined;
  for (const candidate of authorizationServerMetadataUrls(base)) {
    const document = await fetchDocument(candidate, fetch);
    if (document === undefined) continue;
    const metadata = parseAuthorizationServerMetadata(document);
    if (metadata.issuer === issuer) return { issuer, metadata, isDescribed: true };
    mismatch ??= foreignIssuer(candidate, metadata.issuer, issuer);
  }
  if (mismatch) throw mismatch;
  return { issuer, metadata: assumedMetadata(issuer, base), isDescribed: false };
}

/** The default endpoints of revision 2025-03-26 for a server without metadata. */
function assumedMetadata(issuer: string, base: URL): AuthorizationServerMetadata {
  const at = (path: string) => new URL(path, base.origin).href;
  return {
    issuer,
    authorization_endpoint: at("/authorize"),
    token_endpoint: at("/token"),
    registration_endpoint: at("/register"),
    response_types_supported: ["code"],
  };
}

/** Replaces a 404 of an assumed endpoint by an error that names the missing metadata. */
export function withoutMetadata({ issuer, isDescribed }: DiscoveredServer, error: unknown): unknown {
  if (isDescribed || !(error instanceof SdkError) || error.status !== 404) return error;
  const places = authorizationServerMetadataUrls(new URL(issuer)).map(({ href }) => href);
  return new SdkError(
    "authorization-failed",
    `No metadata of the authorization server ${issuer} was found at ${places.join(" or ")}, and its default endpoint is not ` +
      `there: ${error.message}. Have the server and its proxy pass these paths to the authorization server, e.g. by \`routes\``,
    { cause: error, status: 404 },
  );
}

/** Fetches a JSON document. Undefined if the server answers with a 4xx status, or with something else than JSON. */
async function fetchDocument(url: URL, fetch: GuardedFetch): Promise<unknown> {
  const name = `GET ${url.origin}${url.pathname}`;
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { headers: { accept: "application/json" } });
    text = await response.text();
  } catch (cause) {
    throw authorizationFailed(`${name} failed`, cause);
  }
  const { status } = response;
  if (status >= 500) {
    throw new SdkError("authorization-failed", `${name} was answered with status ${status}: try again later`, {
      status,
    });
  }
  if (status !== 200) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function metadataUrl(challenged: string): URL {
  if (URL.canParse(challenged)) return new URL(challenged);
  throw new SdkError("authorization-failed", "The server's challenge names a resource_metadata that is no URL");
}

function foreignResource(where: URL, resource: string, url: URL): SdkError {
  return new SdkError(
    "authorization-failed",
    `${where.href} describes the resource ${JSON.stringify(resource)}, which is not ${url.origin}${url.pathname}: ` +
      "the server's metadata must name the server itself",
  );
}

function foreignIssuer(where: URL, found: string, expected: string): SdkError {
  return new SdkError(
    "authorization-failed",
    `${where.href} names the issuer ${JSON.stringify(found)}; expected exactly ${JSON.stringify(expected)}`,
  );
}
