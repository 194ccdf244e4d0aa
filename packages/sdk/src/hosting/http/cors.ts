/** CORS: answers preflights of browsers, and exposes responses and the protocol's headers to pages of allowed origins. */
import { checkWholeNumber } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { HttpHeader, PARAM_HEADER_PREFIX } from "../../protocol/http-headers.js";
import type { JsonRpcAnswer } from "../../wire/json-rpc.js";
import { checkOrigins } from "./host-checks.js";
import type { EventSink, HttpBody, HttpHeaders, HttpRequest, HttpResponse } from "./http-host.js";

/** The origins whose pages may call the server and read its answers. */
export interface CorsOptions {
  /** Origins whose pages may call and read the answers. They need not be listed in `allowedOrigins` too. */
  readonly origins: readonly string[] | "any";
  /** Request headers to allow besides those of the protocol and `Authorization`. @defaultValue none */
  readonly headers?: readonly string[] | undefined;
  /** Seconds for which browsers may cache the answer to a preflight. @defaultValue 7_200 */
  readonly maxAgeSeconds?: number | undefined;
}

const OPTIONS: OptionTable<CorsOptions> = { origins: true, headers: "list", maxAgeSeconds: true };
const REQUEST_HEADERS = ["accept", "authorization", "content-type", "dpop", ...Object.values(HttpHeader)];
const TRACE_HEADERS = ["traceparent", "tracestate", "baggage"];
const EXPOSED = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, DPoP-Nonce, Retry-After";
const DEFAULT_MAX_AGE_SECONDS = 7_200;

export class Cors {
  readonly #origins: ReadonlySet<string> | "any";
  readonly #headers: ReadonlySet<string>;
  readonly #maxAge: string;

  /** @throws {SdkError} `invalid-argument` for an unknown option, and for a `maxAgeSeconds` that is no whole number from -1. */
  constructor(options: CorsOptions) {
    checkOptions("cors", options, OPTIONS);
    checkOrigins("cors.origins", options.origins ?? null);
    const { origins, headers = [], maxAgeSeconds = DEFAULT_MAX_AGE_SECONDS } = options;
    checkWholeNumber("cors.maxAgeSeconds", maxAgeSeconds, -1);
    this.#origins = origins === "any" ? "any" : new Set(origins.map((origin) => origin.toLowerCase()));
    this.#headers = new Set([...REQUEST_HEADERS, ...TRACE_HEADERS, ...headers.map((name) => name.toLowerCase())]);
    this.#maxAge = String(maxAgeSeconds);
  }

  /** Wraps the response to add CORS headers. Returns it unchanged for a request without an allowed origin. */
  expose(request: HttpRequest, response: HttpResponse): HttpResponse {
    const headers = this.#forOrigin(request);
    return headers ? new CorsResponse(response, { ...headers, "access-control-expose-headers": EXPOSED }) : response;
  }

  /** Answers a preflight. Returns false for any other request. */
  preflight(request: HttpRequest, verbs: string, response: HttpResponse): boolean {
    if (request.method !== "OPTIONS" || request.header("access-control-request-method") === undefined) return false;
    response.send(204, {
      ...this.#forOrigin(request),
      "access-control-allow-methods": verbs,
      "access-control-allow-headers": this.#allowedHeaders(request.header("access-control-request-headers")),
      "access-control-max-age": this.#maxAge,
    });
    return true;
  }

  #forOrigin(request: HttpRequest): HttpHeaders | undefined {
    const origin = request.header("origin");
    if (this.#origins === "any") return { "access-control-allow-origin": "*" };
    if (origin === undefined || !this.#origins.has(origin.toLowerCase())) return undefined;
    return { "access-control-allow-origin": origin, vary: "Origin" };
  }

  /** The requested headers that are allowed. No fixed list would do: tools choose the names of mirrored arguments. */
  #allowedHeaders(asked = ""): string {
    const names = asked.split(",").map((name) => name.trim().toLowerCase());
    return names.filter((name) => this.#headers.has(name) || name.startsWith(PARAM_HEADER_PREFIX)).join(", ");
  }
}

class CorsResponse implements HttpResponse {
  readonly #response: HttpResponse;
  readonly #headers: HttpHeaders;

  constructor(response: HttpResponse, headers: HttpHeaders) {
    this.#response = response;
    this.#headers = headers;
  }

  send(status: number, headers: HttpHeaders, body?: HttpBody | Uint8Array): void {
    this.#response.send(status, { ...headers, ...this.#headers }, body);
  }

  refused(answer: JsonRpcAnswer): void {
    this.#response.refused?.(answer);
  }

  stream(headers: HttpHeaders): EventSink {
    return this.#response.stream({ ...headers, ...this.#headers });
  }
}
