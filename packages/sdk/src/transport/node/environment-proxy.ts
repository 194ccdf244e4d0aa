/** The HTTP proxy of the variables `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, read as most command line tools do. */
import type { LookupFunction } from "node:net";
import type { Dispatcher } from "undici";
import { SdkError } from "../../errors/sdk-error.js";
import type { HttpDispatcher } from "../http/http-client-options.js";
import { NoProxy } from "./no-proxy.js";

type Undici = typeof import("undici");
type Variables = Readonly<Record<string, string | undefined>>;

/** Undefined if the environment names no proxy. */
export function environmentProxy(
  { Agent, ProxyAgent, Pool }: Undici,
  lookup: LookupFunction | undefined,
  environment: Variables = process.env,
): HttpDispatcher | undefined {
  const httpProxy = environment.http_proxy ?? environment.HTTP_PROXY ?? "";
  const httpsProxy = environment.https_proxy ?? environment.HTTPS_PROXY ?? httpProxy;
  for (const proxy of [httpProxy, httpsProxy]) checkProxy(proxy);
  if (`${httpProxy}${httpsProxy}` === "") return undefined;
  const exceptions = new NoProxy(environment.no_proxy ?? environment.NO_PROXY ?? "");
  /** Connections to the proxy. An error of the proxy keeps its message but not its code. */
  class TunnelPool extends Pool {
    override connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
      // After an error with the code of a closed socket, `undici` would reconnect forever.
      const connected = super.connect(options).then(refuseBody);
      return connected.catch((cause: Error) => {
        throw new Error(`the proxy failed: ${cause.message}`, { cause });
      });
    }
  }
  // No timeouts: callers limit the time of their calls, and an event stream may be silent for hours.
  const options = { headersTimeout: 0, bodyTimeout: 0, ...(lookup && { connect: { lookup } }) };
  const direct = new Agent(options);
  const clientFactory = (origin: URL, given: object) => new TunnelPool(origin, given);
  const agentFor = (uri: string) => (uri === "" ? direct : new ProxyAgent({ ...options, uri, clientFactory }));
  const [overHttp, overTls] = [agentFor(httpProxy), agentFor(httpsProxy)];
  return {
    dispatch: (request: Dispatcher.DispatchOptions, handler) => {
      const url = new URL(String(request.origin));
      const proxied = url.protocol === "https:" ? overTls : overHttp;
      return (exceptions.has(url) ? direct : proxied).dispatch(request, handler);
    },
  };
}

/**
 * Refuses a tunnel whose answer has a body. The body would be read as the response of the server, and `undici` would reconnect
 * forever.
 */
function refuseBody(data: Dispatcher.ConnectData): Dispatcher.ConnectData {
  const { "content-length": length = "0", "transfer-encoding": coding } = data.headers;
  if (length === "0" && coding === undefined) return data;
  data.socket.destroy();
  throw new Error("it answered CONNECT with a body");
}

/** @throws {SdkError} `invalid-argument` for a variable that is not the URL of an HTTP proxy. */
function checkProxy(url: string): void {
  if (url === "" || /^https?:\/\/[^/]/.test(url)) return;
  const advice = 'HTTP_PROXY and HTTPS_PROXY: expected a URL such as "http://proxy.example:3128"';
  throw new SdkError("invalid-argument", advice);
}

/** Resolver errors for an unknown name. The proxy may still know the name. */
const UNKNOWN_NAME: ReadonlySet<unknown> = new Set(["ENOTFOUND", "EAI_AGAIN"]);

/**
 * Checks the addresses of a name before a call through a proxy, which resolves the name itself. A name that this machine
 * cannot resolve passes. Rejects with the error of `lookup` for a refused address.
 */
export function checkName(lookup: LookupFunction, hostname: string): Promise<void> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error) => (error && !UNKNOWN_NAME.has(error.code) ? reject(error) : resolve()));
  });
}
