/**
 * What an endpoint needs of authorization by access tokens. `parley-mcp/oauth/resource` implements it; the endpoint knows
 * nothing of OAuth.
 */
import type { Caller } from "../../transport/caller.js";
import type { HttpRequest } from "./http-host.js";

export interface ResourceGate {
  /** Prepares what requests need, such as the keys of the issuer. `serveHttp` awaits it before it listens. */
  ready(): Promise<void>;
  /** The URL that tokens are issued for. `serveHttp` refuses to listen elsewhere, if it is a URL of this machine. */
  readonly resource?: string | undefined;
  /** JSON documents by path. Anybody may read them, from any origin. */
  readonly documents: ReadonlyMap<string, string>;
  /** The scopes that every request needs. */
  readonly requiredScopes: readonly string[];
  /** Identifies the caller, at once where its token is known. @throws {HttpRefusal} 400, 401 or 503, or rejects with it. */
  authenticate(request: HttpRequest): Caller | Promise<Caller>;
}
