/** Serves one path of the authorization server: checks method and rate, answers preflights, and turns errors into responses. */
import { OAuthError } from "../grammar/oauth-error.js";
import type { AddressRates } from "./address-rates.js";
import { errorResponse, preflightResponse, statusOf } from "./endpoint-response.js";
import { errorPage } from "./pages.js";

/** The callers of an endpoint: clients, from any origin, or browsers of users, which get pages. */
export type EndpointAudience = "clients" | "browsers";

export interface EndpointRoute {
  readonly method: "GET" | "POST";
  readonly audience: EndpointAudience;
  readonly rates: AddressRates;
  readonly handle: (request: Request, address: string | undefined) => Promise<Response>;
}

/** Serves a request at a route. Never rejects. */
export async function serveRoute(
  route: EndpointRoute,
  request: Request,
  address: string | undefined,
  onError: (error: unknown) => void,
): Promise<Response> {
  const { method, audience, rates, handle } = route;
  if (request.method === "OPTIONS" && audience === "clients") return preflightResponse(method);
  if (request.method !== method) return refusal(audience, 405, `use ${method}`, { allow: method });
  const waitMs = rates.take(address);
  if (waitMs > 0) {
    const seconds = `${Math.ceil(waitMs / 1_000)}`;
    return refusal(audience, 429, `too many requests; try again in ${seconds} seconds`, { "retry-after": seconds });
  }
  try {
    return await handle(request, address);
  } catch (error) {
    if (!(error instanceof OAuthError)) {
      onError(error);
      return refusal(audience, 500, "the server failed; its operator finds the reason in its log");
    }
    return audience === "browsers" ? errorPage(statusOf(error), `${error.description}`) : refused(request, error);
  }
}

function refused(request: Request, error: OAuthError): Response {
  // RFC 6749, section 5.2: a client that used the Authorization header gets a challenge with the scheme.
  const isChallenged = error.status === 401 && request.headers.has("authorization");
  return errorResponse(error, isChallenged ? { "www-authenticate": 'Basic realm="clients"' } : {});
}

function refusal(
  audience: EndpointAudience,
  status: number,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const code = CODES[status] ?? "invalid_request";
  if (audience === "clients") return errorResponse(new OAuthError(code, description, { status }), headers);
  const page = errorPage(status, `${description.charAt(0).toUpperCase()}${description.slice(1)}.`);
  for (const [name, value] of Object.entries(headers)) page.headers.set(name, value);
  return page;
}

const CODES: Readonly<Record<number, string>> = { 429: "temporarily_unavailable", 500: "server_error" };
