/** HTTP calls to one URL: merges headers, follows redirects, adds authorization, and turns failures into `SdkError`. */
import { SdkError } from "../../errors/sdk-error.js";
import type { CallController } from "./call-controller.js";
import { type Fetch, fetchHttp } from "./fetch-http.js";
import type { HttpAnswer, HttpCall, SendHttp } from "./http-call.js";
import {
  checkHttpClientOptions,
  type HeaderSource,
  type HttpAuthorization,
  type HttpClientOptions,
} from "./http-client-options.js";
import { asSdkError, nameOf } from "./http-error.js";
import { followRedirects, isRedirect } from "./redirects.js";

/**
 * Key of the login's identity in the result of `connectionHeaders`. It is not a valid header name, so it collides with no
 * header. It is removed before sending.
 */
const IDENTITY_FIELD = ":identity";

export type HeaderFields = Readonly<Record<string, string>>;

export class EndpointClient {
  readonly url: URL;
  readonly #http: SendHttp;
  readonly #headers: HeaderSource | undefined;
  readonly #authorization: HttpAuthorization | undefined;
  /** The URL that tokens are for. */
  readonly #resource: URL;

  /**
   * @param resource the URL of the server, if `url` came from the server itself
   * @throws {SdkError} `invalid-argument` for a URL that is not http(s) or carries credentials, and for a number out of range.
   */
  constructor(url: string | URL, options: HttpClientOptions, resource?: URL) {
    checkHttpClientOptions(options);
    const { http, fetch, headers, authorization } = options;
    this.url = checkedUrl(url);
    this.#resource = resource ?? this.url;
    // Called as a plain function: browsers refuse a fetch that is called as a method of something else.
    const plain = http ?? fetchHttp(fetch ?? ((...given: Parameters<Fetch>) => globalThis.fetch(...given)));
    if (authorization && typeof authorization.authorize !== "function") {
      const advice = "write `authorization: oauth({ … })` of parley-mcp/oauth";
      throw new SdkError("invalid-argument", `authorization: expected what oauth returns; ${advice}`);
    }
    this.#http = authorization === undefined ? plain : authorization.authorize(this.#resource, plain, fetch);
    this.#headers = headers;
    this.#authorization = authorization;
  }

  /**
   * The connection's headers for a request that is sent now, and the identity of its login.
   * @throws {SdkError} `connection-closed`
   */
  async connectionHeaders(): Promise<HeaderFields> {
    try {
      const headers = (typeof this.#headers === "function" ? await this.#headers() : this.#headers) ?? {};
      if (this.#authorization === undefined) return headers;
      return { ...headers, [IDENTITY_FIELD]: await this.#authorization.identity(this.#resource) };
    } catch (cause) {
      throw asSdkError("connection-closed", `${this.name("POST")} failed`, cause);
    }
  }

  /** The name of a call in error messages. */
  name(method: HttpCall["method"]): string {
    return nameOf(method, this.url);
  }

  /**
   * Makes a call. `layers` are header layers; later layers override earlier ones, and all override those of the connection.
   * `own` are the connection's headers, if known. Error messages begin with `name`.
   * @throws {SdkError} `connection-closed` if no response came; the reason of the abort if the call was aborted.
   */
  async call(
    method: HttpCall["method"],
    layers: readonly (HeaderFields | undefined)[],
    controller: CallController,
    body?: string,
    { name = this.name(method), own }: { readonly name?: string; readonly own?: HeaderFields | undefined } = {},
  ): Promise<HttpAnswer> {
    const http = this.#http;
    try {
      const connection = own ?? (typeof this.#headers === "function" ? await this.#headers() : this.#headers);
      controller.throwIfAborted();
      const call: HttpCall = { method, url: this.url, headers: mergeHeaders(connection, layers), body, controller };
      const answer = await http(call);
      return isRedirect(answer) ? await followRedirects(http, call, answer) : answer;
    } catch (cause) {
      controller.throwIfAborted();
      throw asSdkError("connection-closed", `${name} failed`, cause);
    }
  }
}

function mergeHeaders(
  own: HeaderFields | undefined,
  layers: readonly (HeaderFields | undefined)[],
): Record<string, string> {
  const merged: Record<string, string> = {};
  addHeaders(merged, own);
  for (const layer of layers) addHeaders(merged, layer);
  delete merged[IDENTITY_FIELD];
  return merged;
}

/** Header names are case-insensitive, so layers are merged in lower case. */
function addHeaders(merged: Record<string, string>, layer: HeaderFields = {}): void {
  for (const name of Object.keys(layer)) merged[name.toLowerCase()] = layer[name] as string;
}

/** A host, optionally with a port, a path or a query, but without a scheme. */
const WITHOUT_SCHEME = /^[\w.-]+(?::\d+)?(?:[/?]|$)/;

function checkedUrl(given: string | URL): URL {
  const text = String(given);
  if (!URL.canParse(text)) {
    const advice = WITHOUT_SCHEME.test(text) ? `; write https://${text}` : "";
    throw new SdkError("invalid-argument", `Not a URL: ${JSON.stringify(text)}${advice}`);
  }
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    // `URL` parses `host:port` as a scheme and a path.
    const advice = WITHOUT_SCHEME.test(text) ? `; write http://${text}` : "";
    const complaint = `A server is reached by an http: or https: URL, not by ${url.protocol}${advice}`;
    throw new SdkError("invalid-argument", complaint);
  }
  if (url.username !== "" || url.password !== "") {
    throw new SdkError("invalid-argument", "Credentials do not belong into the URL: pass them in `headers`");
  }
  return url;
}
