/**
 * HTTP client on Node over `undici`, which is loaded at the first call. Uses the dispatcher of the application, or the proxy
 * that the environment names, or a pool of connections. undici-call.ts implements a single call.
 */
import type { LookupFunction } from "node:net";
import type { HttpAnswer, HttpCall, SendHttp } from "../http/http-call.js";
import type { HttpDispatcher } from "../http/http-client-options.js";
import { ConnectionPool } from "./connection-pool.js";
import { checkName, environmentProxy } from "./environment-proxy.js";
import { UndiciCall } from "./undici-call.js";

export interface UndiciHttpOptions {
  /** Resolves host names. @defaultValue the resolver of the operating system */
  readonly lookup?: LookupFunction | undefined;
  /** Makes the connections. @defaultValue the proxy that the environment names, else a pool */
  readonly dispatcher?: HttpDispatcher | undefined;
}

/** Creates an HTTP client with its own connections. Idle connections do not keep the process alive. */
export function undiciHttp({ lookup, dispatcher }: UndiciHttpOptions = {}): SendHttp {
  if (dispatcher !== undefined) return (call) => dispatch(call, targetOf(call.url), dispatcher);
  let send: SendHttp | undefined;
  let loading: Promise<SendHttp> | undefined;
  return (call) => {
    if (send !== undefined) return send(call);
    loading ??= loadSender(lookup);
    return sendAfter(loading, call, (loaded) => {
      send = loaded;
      return loaded(call);
    });
  };
}

/** Sends a call when `ready` resolves. An abort before that takes effect then. */
function sendAfter<Ready>(
  ready: Promise<Ready>,
  { controller }: HttpCall,
  send: (ready: Ready) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const answer = ready.then(send);
  let isWaiting = true;
  const begin = () => {
    isWaiting = false;
  };
  const begun = ready.then(begin, begin);
  // By the time `begun` resolves, `send` has attached the call itself, or has failed.
  const sent = () => (isWaiting ? begun.then(() => controller.sent()) : Promise.resolve());
  controller.attach({ abort: () => undefined, sent });
  return answer;
}

async function loadSender(lookup: LookupFunction | undefined): Promise<SendHttp> {
  const undici = await import("undici");
  const proxy = environmentProxy(undici, lookup);
  return proxy ? sendOverProxy(proxy, lookup) : sendOverPool(new ConnectionPool(undici, lookup));
}

function sendOverProxy(proxy: HttpDispatcher, lookup: LookupFunction | undefined): SendHttp {
  return async (call) => {
    if (lookup !== undefined) await checkName(lookup, call.url.hostname);
    return dispatch(call, targetOf(call.url), proxy);
  };
}

function sendOverPool(pool: ConnectionPool): SendHttp {
  // The URL of an endpoint is one object for many calls, so its parts are computed once.
  const targets = new WeakMap<URL, Target>();
  return (call) => {
    const target = targets.get(call.url) ?? targetOf(call.url);
    targets.set(call.url, target);
    if (!pool.mayBeClosed(target.origin)) return dispatch(call, target, pool);
    return sendAfter(pool.readEvents(), call, () => dispatch(call, target, pool));
  };
}

interface Target {
  readonly origin: string;
  readonly path: string;
}

function targetOf({ origin, pathname, search }: URL): Target {
  return { origin, path: `${pathname}${search}` };
}

function dispatch(
  { method, headers, body, controller }: HttpCall,
  { origin, path }: Target,
  connections: HttpDispatcher | ConnectionPool,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    controller.throwIfAborted();
    const connection = connections instanceof ConnectionPool ? connections.take(origin) : undefined;
    const dispatcher = connection?.client ?? (connections as HttpDispatcher); // Without a pool, it is a dispatcher.
    const call = new UndiciCall(resolve, reject, connection);
    controller.attach(call);
    dispatcher.dispatch({ origin, path, method, ...call.contentOf(headers, body) }, call);
  });
}
