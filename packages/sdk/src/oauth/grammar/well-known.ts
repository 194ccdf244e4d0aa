/** URLs of metadata documents: by RFC 9728 for resources, by RFC 8414 and OpenID Connect Discovery for authorization servers. */

const RESOURCE = "/.well-known/oauth-protected-resource";
const AUTHORIZATION_SERVER = "/.well-known/oauth-authorization-server";
const OPENID = "/.well-known/openid-configuration";

/** The metadata URLs of a resource in the order to try them: the one with its path, then the one at the root. */
export function resourceMetadataUrls(resource: URL): readonly URL[] {
  const path = pathOf(resource);
  const root = at(resource, RESOURCE);
  if (path === "" && resource.search === "") return [root];
  const specific = at(resource, `${RESOURCE}${path}`);
  specific.search = resource.search;
  return [specific, root];
}

/** The metadata URLs of an authorization server in the order to try them. */
export function authorizationServerMetadataUrls(issuer: URL): readonly URL[] {
  const path = pathOf(issuer);
  const paths = [`${AUTHORIZATION_SERVER}${path}`, `${OPENID}${path}`, `${path}${OPENID}`];
  // Without a path, the last two are equal.
  return [...new Set(paths)].map((pathname) => at(issuer, pathname));
}

/** Puts a path on the origin of a URL. `new URL(pathname, base)` would read a path that starts with `//` as another host. */
function at({ origin }: URL, pathname: string): URL {
  const url = new URL(origin);
  url.pathname = pathname;
  return url;
}

function pathOf({ pathname }: URL): string {
  return pathname.endsWith("/") ? pathname.slice(0, -1) : pathname;
}
