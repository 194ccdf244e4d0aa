/** How a fault is planted in the scripted client: a habit that is off, a change of its requests, or text that it cannot read. */
import { isObject, type JsonObject } from "../../wire/json-rpc.js";

/** A request on its way out. */
export interface OutgoingCall {
  readonly url: URL;
  readonly verb: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly message?: unknown;
  /** The fields of a form. */
  readonly form?: Readonly<Record<string, string>>;
}

/** What the scripted client does right unless a fault turns it off. */
export type Habit =
  | "falls-back"
  | "heeds-modern-errors"
  | "retries-supported"
  | "leaves-unknown-revision"
  | "renews-session"
  | "bounds-renewals"
  | "calls-again"
  | "tolerates-405"
  | "resumes"
  | "waits-retry"
  | "resumes-only-with-id"
  | "resumes-only-unanswered"
  | "reopens-standalone"
  | "answers-requests"
  | "ignores-modern-requests"
  | "stops-at-unknown-result"
  | "asks-allowed-methods-only"
  | "bounds-rounds"
  | "follows-empty-cursor"
  | "stops-at-repeated-cursor"
  | "leaves-out-bad-tools"
  | "refreshes-headers"
  | "bounds-refreshes"
  | "limits-size"
  | "refuses-redirects"
  | "compares-resource"
  | "compares-issuer"
  | "needs-s256"
  | "compares-state"
  | "compares-iss"
  | "needs-advertised-iss"
  | "bounds-logins"
  | "steps-up"
  | "unites-scopes"
  | "refreshes-token"
  | "rotates-refresh-token"
  | "tries-path-first"
  | "tries-root"
  | "tries-openid"
  | "tries-oauth-first"
  | "reads-challenge"
  | "registers-anew"
  | "refuses-token-redirect"
  | "gives-up"
  | "goes-on-after-giving-up"
  | "ends-input"
  | "kills-stubborn"
  | "restarts"
  | "ends-lines"
  | "ignores-stderr"
  | "ends-subscription"
  | "forgets-ended-subscription"
  | "goes-on-after-subscription"
  | "restores-subscription"
  | "asks-for-metadata-url"
  | "opens-sse-stream"
  | "compares-endpoint-origin"
  | "waits-for-endpoint-name"
  | "resolves-endpoint"
  | "follows-calls-alone"
  | "waits-poll-interval"
  | "takes-new-interval";

export interface ClientFault {
  readonly off?: Habit;
  /** A changed request, several, or none. */
  readonly change?: (call: OutgoingCall) => OutgoingCall | readonly OutgoingCall[] | undefined;
  /** A response whose text matches fails its request. */
  readonly stumbles?: RegExp;
  /** Other checks that see the fault. */
  readonly also?: readonly string[];
}

/** A change of requests with one method, or of all requests. */
export function onMessage(
  method: string | undefined,
  change: (message: JsonObject, call: OutgoingCall) => unknown,
): ClientFault {
  return {
    change: (call) => {
      const message = call.message as JsonObject | undefined;
      return message !== undefined && (method === undefined || message.method === method)
        ? { ...call, message: change(message, call) }
        : call;
    },
  };
}

/** A header of requests with one method that has another value, or is missing. */
export function onHeader(method: string | undefined, name: string, value: string | undefined): ClientFault {
  return {
    change: (call) => {
      const message = call.message as JsonObject | undefined;
      if (message === undefined || (method !== undefined && message.method !== method)) return call;
      return { ...call, headers: withHeader(call.headers, name, value) };
    },
  };
}

export function withHeader(
  headers: Readonly<Record<string, string>>,
  name: string,
  value: string | undefined,
): Readonly<Record<string, string>> {
  const { [name]: _old, ...rest } = headers;
  return value === undefined ? rest : { ...rest, [name]: value };
}

/** A request more, right after the first one with a method. */
export function extraMessage(after: string, extra: JsonObject): ClientFault {
  let isSent = false;
  return {
    change: (call) => {
      if ((call.message as JsonObject | undefined)?.method !== after || isSent) return call;
      isSent = true;
      return [call, { ...call, message: { jsonrpc: "2.0", ...extra } }];
    },
  };
}

/** The method and the params of a call, which a call without a message has none of. */
export function messageOf(call: OutgoingCall): { readonly method: unknown; readonly params: JsonObject } {
  const { method, params } = (call.message ?? {}) as JsonObject;
  return { method, params: isObject(params) ? params : {} };
}

/** Sends nothing that satisfies a test. */
export function without(isDropped: (method: unknown, params: JsonObject) => boolean): ClientFault {
  return {
    change: (call) => {
      const { method, params } = messageOf(call);
      return isDropped(method, params) ? undefined : call;
    },
  };
}
