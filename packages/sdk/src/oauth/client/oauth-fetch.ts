/** A `fetch` that authorizes its requests, for other HTTP services and for libraries that take a `fetch`. */
import { REDIRECT_STATUSES } from "../grammar/guarded-fetch.js";
import { isSecureUrl } from "../grammar/loopback.js";
import { coversResource } from "../grammar/resource-uri.js";
import { type AnswerHead, callAuthorized } from "./authorized-call.js";
import type { OAuthAuthorization } from "./oauth-authorization.js";

/** Options of `oauthFetch`. */
export interface OAuthFetchOptions {
  /** Makes the requests. @defaultValue the platform's `fetch` */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

const MAX_REDIRECTS = 20;
/** Headers of the caller that are not sent to another origin. */
const CREDENTIALS = ["authorization", "cookie", "proxy-authorization"];

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
    // A failed cancel is ignored: the garbage collector releases the body.
    void Promise.allSettled([this.response.body?.cancel()]);
  }
}

/**
 * A `fetch` whose requests to `resource`, and to paths below it, carry its access token. Other requests are sent unchanged, and
 * redirects to other URLs are followed without the token. The body of a request stays in memory until the response arrives.
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
  const server = new URL(resource);
  // Throws for a resource without TLS before the first request.
  authorization.session(server);
  const send = async (request: Request, redirects: number): Promise<Response> => {
    const url = new URL(request.url);
    if (!isSecureUrl(url) || !coversResource(String(resource), url)) return fetch(request);
    // Buffered, since the request may have to be sent again.
    const body = request.body === null ? undefined : await request.arrayBuffer();
    const follows = request.redirect === "follow";
    const call = {
      method: request.method,
      url,
      signal: () => request.signal,
      send: async (added: Readonly<Record<string, string>>) => {
        const headers = new Headers(request.headers);
        for (const [name, value] of Object.entries(added)) headers.set(name, value);
        // With `follow`, the platform would send the token to every redirect target on this origin.
        const redirect = follows ? "manual" : request.redirect;
        return new ResponseHead(await fetch(new Request(request, { headers, redirect, ...(body && { body }) })));
      },
    };
    const head = await callAuthorized(authorization.session(server), call);
    const next = follows ? redirected(request, head.response, body) : undefined;
    if (next === undefined) return head.response;
    head.discard();
    if (redirects === MAX_REDIRECTS) throw new TypeError(`${url.href} led to more than ${MAX_REDIRECTS} redirects`);
    return send(next, redirects + 1);
  };
  return (input, init) => send(new Request(input, init), 0);
}

/** The request that follows a redirect, by the rules of `fetch`, without the access token. @throws {TypeError} */
function redirected(request: Request, response: Response, body: ArrayBuffer | undefined): Request | undefined {
  const { status, type } = response;
  if (type === "opaqueredirect") {
    throw new TypeError(`${request.url} redirects, and this platform does not say where: request the target itself`);
  }
  const location = REDIRECT_STATUSES.includes(status) ? response.headers.get("location") : null;
  if (location === null) return undefined;
  const url = new URL(location, request.url);
  const headers = new Headers(request.headers);
  if (url.origin !== new URL(request.url).origin) for (const name of CREDENTIALS) headers.delete(name);
  const { method, signal } = request;
  const becomesGet = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
  if (becomesGet) headers.delete("content-type");
  if (becomesGet || body === undefined)
    return new Request(url, { method: becomesGet ? "GET" : method, headers, signal });
  return new Request(url, { method, headers, signal, body });
}
