/** A `fetch` that authorizes its requests, for HTTP that is not MCP or that other libraries make. */
import { isSecureUrl } from "../grammar/loopback.js";
import { coversResource } from "../grammar/resource-uri.js";
import { type AnswerHead, callAuthorized } from "./authorized-call.js";
import type { OAuthAuthorization } from "./oauth-authorization.js";

/** Options of `oauthFetch`. */
export interface OAuthFetchOptions {
  /** Makes the requests. @defaultValue the platform's `fetch` */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

class ResponseHead implements AnswerHead {
  readonly response: Response;

  constructor(response: Response) {
    this.response = response;
  }

  get status(): number {
    return this.response.status;
  }

  header(name: string): string | undefined {
    return this.response.headers.get(name) ?? undefined;
  }

  discard(): void {
    // A body that cannot be canceled is left to the garbage collector.
    void Promise.allSettled([this.response.body?.cancel()]);
  }
}

/**
 * A `fetch` whose requests to `resource`, and to paths below it, carry its access token. Requests to anything else go out as
 * they are. The body of a request is kept in memory until it is answered.
 * @throws {SdkError} `invalid-argument` for a resource without TLS.
 * @example
 * const client = { clientId: "nightly-job", clientSecret: process.env.CLIENT_SECRET };
 * const fetch = oauthFetch(clientCredentials({ client }), "https://api.example.com/orders");
 * const response = await fetch("https://api.example.com/orders/7");
 */
export function oauthFetch(
  authorization: OAuthAuthorization,
  resource: string | URL,
  { fetch = (...given) => globalThis.fetch(...given) }: OAuthFetchOptions = {},
): typeof globalThis.fetch {
  const session = authorization.session(new URL(resource));
  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    if (!isSecureUrl(url) || !coversResource(String(resource), url)) return fetch(request);
    // Kept, since a request may have to be sent again.
    const body = request.body === null ? undefined : await request.arrayBuffer();
    const call = {
      method: request.method,
      url,
      signal: () => request.signal,
      send: async (added: Readonly<Record<string, string>>) => {
        const headers = new Headers(request.headers);
        for (const [name, value] of Object.entries(added)) headers.set(name, value);
        const init = body === undefined ? { headers } : { headers, body };
        return new ResponseHead(await fetch(new Request(request, init)));
      },
    };
    return (await callAuthorized(session, call)).response;
  };
}
