/**
 * The interface between the endpoint and authorization by access tokens. `parley-mcp/oauth/resource` implements it. The
 * endpoint knows nothing of OAuth.
 */
import type { Caller } from "../../transport/caller.js";
import type { HttpRequest } from "./http-host.js";

/** Authenticates callers for a host. `protectedResource` makes one. */
export interface ResourceGate {
  /** Loads data that requests need, such as the keys of the issuer. `serveHttp` awaits it before it listens. */
  ready(): Promise<void>;
  /** The URL that tokens are issued for. With an http: URL, `serveHttp` refuses port 0, since the URL names a port. */
  readonly resource?: string | undefined;
  /** JSON documents by path. Every client may read them, from any origin. */
  readonly documents: ReadonlyMap<string, string>;
  /** The scopes that every request needs. */
  readonly requiredScopes: readonly string[];
  /** Identifies the caller; synchronously if its token is cached. @throws {HttpRefusal} 400, 401 or 503, or rejects with it. */
  authenticate(request: HttpRequest): Caller | Promise<Caller>;
}
