/** The seam between the HTTP transports and authorization, which `parley-mcp/oauth` implements. */
import type { Fetch } from "./fetch-http.js";
import type { SendHttp } from "./http-call.js";

/** Authorizes the HTTP calls of connections. One object may serve many connections and servers. */
export interface HttpAuthorization {
  /**
   * Wraps `http`, so that calls to the server at `url` carry its access token. A call that the server refuses for want of
   * authorization is sent again once there is a token. `fetch` is the connection's own, for calls to authorization servers.
   */
  authorize(url: URL, http: SendHttp, fetch: Fetch | undefined): SendHttp;
  /** Names the login that calls to `url` are made under, for caches. It holds no secret and changes with every login. */
  identity(url: URL): Promise<string>;
}

/**
 * The name under which a connection's headers carry the identity. It is no legal name of a header, so it collides with
 * none, and it is never sent.
 */
export const IDENTITY_FIELD = ":identity";
