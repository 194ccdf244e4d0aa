/** Calls through the proxy that `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` name, as most command line tools read them. */
import type { LookupFunction } from "node:net";
import type { Dispatcher } from "undici";

type Undici = typeof import("undici");
type Variables = Readonly<Record<string, string | undefined>>;

/** A server on the same machine is never called through a proxy, which would call its own machine. */
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** Undefined if the environment names no proxy. */
export function environmentProxy(
  { EnvHttpProxyAgent, Pool }: Undici,
  lookup: LookupFunction | undefined,
  environment: Variables = process.env,
): Dispatcher | undefined {
  const httpProxy = environment.http_proxy ?? environment.HTTP_PROXY ?? "";
  const httpsProxy = environment.https_proxy ?? environment.HTTPS_PROXY ?? httpProxy;
  const exceptions = environment.no_proxy ?? environment.NO_PROXY ?? "";
  if (`${httpProxy}${httpsProxy}` === "" || exceptions.trim() === "*") return undefined;
  /** Connections to the proxy. A failure of the proxy keeps its message and loses its code. */
  class TunnelPool extends Pool {
    override connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
      // `undici` connects again without end after an error with the code of a closed socket.
      return super.connect(options).catch((cause: Error) => {
        throw new Error(`the proxy failed: ${cause.message}`, { cause });
      });
    }
  }
  return new EnvHttpProxyAgent({
    httpProxy,
    httpsProxy,
    noProxy: [exceptions, ...LOOPBACK].join(),
    // Callers limit the time of their calls, and an event stream may be silent for hours.
    headersTimeout: 0,
    bodyTimeout: 0,
    clientFactory: (origin, options) => new TunnelPool(origin, options),
    ...(lookup && { connect: { lookup } }),
  });
}

/** Codes of a resolver that does not know a name, which the proxy may know. */
const UNKNOWN_NAME: ReadonlySet<unknown> = new Set(["ENOTFOUND", "EAI_AGAIN"]);

/**
 * The proxy resolves names, so the addresses of a name are checked before the call where this machine knows the name too.
 * @throws what `lookup` refuses an address with.
 */
export function checkName(lookup: LookupFunction, hostname: string): Promise<void> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error) => (error && !UNKNOWN_NAME.has(error.code) ? reject(error) : resolve()));
  });
}
