/** A fault for each check of conversations, input rounds and requests of the server. */
import { isObject, isResponse, type JsonObject } from "../../wire/json-rpc.js";
import { type ClientFault, onHeader, onMessage, withHeader } from "./client-fault.fixture.js";

/** A change of the retries of a tool. */
function onRetry(tool: string, change: (params: JsonObject, message: JsonObject) => JsonObject): ClientFault {
  return onMessage("tools/call", (message) => {
    const params = message.params as JsonObject;
    const isRetry = "inputResponses" in params || "requestState" in params;
    return isRetry && params.name === tool ? { ...message, params: change(params, message) } : message;
  });
}

/** Another answer to a question of an input round. */
function onInput(tool: string, key: string, input: JsonObject): ClientFault {
  return onRetry(tool, (params) => ({ ...params, inputResponses: { [key]: input } }));
}

/** Another answer to a request of the server. */
function onAnswer(id: string, given: JsonObject): ClientFault {
  return onMessage(undefined, (message) =>
    isResponse(message) && message.id === id ? { jsonrpc: "2.0", id, ...given } : message,
  );
}

/** Declares less than the client serves. */
function undeclared(capability: string): ClientFault {
  return onMessage("initialize", (message) => {
    const params = message.params as JsonObject;
    const { [capability]: _old, ...capabilities } = params.capabilities as JsonObject;
    return { ...message, params: { ...params, capabilities } };
  });
}

function onResumption(
  change: (headers: Readonly<Record<string, string>>) => Readonly<Record<string, string>>,
): ClientFault {
  return {
    change: (call) => ("last-event-id" in call.headers ? { ...call, headers: change(call.headers) } : call),
  };
}

/** A change of handshakes after the first. */
function onRenewal(isIt: (message: JsonObject) => boolean, change: ClientFault["change"]): ClientFault {
  let count = 0;
  return {
    change: (call) => {
      if (!isObject(call.message) || !isIt(call.message)) return call;
      count += 1;
      return count > 1 ? change?.(call) : call;
    },
  };
}

const SAMPLED = { result: { role: "assistant", model: "none", content: { type: "text", text: "x" } } };

/** Made anew for each use, since some faults count. */
export function conversationFaults(): Record<string, ClientFault> {
  return {
    "client-round-state": onRetry("ask-form", (params) => ({
      ...params,
      requestState: String(params.requestState).trim(),
    })),
    "client-round-keys": {
      ...onInput("ask-form", "city", { action: "accept", content: { city: "Paris" } }),
      also: ["client-round-form-action"],
    },
    "client-round-id": onMessage("tools/call", (message) =>
      (message.params as JsonObject).name === "ask-form" ? { ...message, id: 500 } : message,
    ),
    "client-round-params": onRetry("ask-form", (params) => ({ ...params, arguments: {} })),
    "client-round-headers": {
      change: (call) =>
        isObject(call.message) && isObject(call.message.params) && "inputResponses" in call.message.params
          ? { ...call, headers: withHeader(call.headers, "mcp-name", undefined) }
          : call,
    },
    "client-round-form-action": onInput("ask-form", "city?", { action: "yes" }),
    "client-round-form-defaults": onInput("ask-form", "city?", { action: "accept", content: {} }),
    "client-round-sample": onInput("ask-sample", "model", { role: "assistant" }),
    "client-round-roots": onInput("ask-roots", "roots", { roots: [{ uri: "https://example.com" }] }),
    "client-round-no-state": onRetry("ask-without-state", (params) => ({ ...params, requestState: "old" })),
    "client-round-state-only": onRetry("ask-state-only", (params) => ({ ...params, inputResponses: {} })),
    "client-round-no-leak": onMessage("tools/call", (message) => {
      const params = message.params as JsonObject;
      return params.name === "ask-never" ? { ...message, params: { ...params, requestState: "r" } } : message;
    }),
    "client-rounds-bounded": { off: "bounds-rounds" },
    "client-unknown-result-type": { off: "stops-at-unknown-result" },
    "client-rounds-methods": { off: "asks-allowed-methods-only" },

    "client-answers-ping": onAnswer("ping-1", { result: { pong: true } }),
    "client-roots-declared": undeclared("roots"),
    "client-roots-files": onAnswer("roots-1", { result: { roots: [{ uri: "https://example.com" }] } }),
    "client-sampling-declared": undeclared("sampling"),
    "client-sampling-result": onAnswer("sample-1", { result: { role: "assistant" } }),
    "client-sampling-balance": onAnswer("unbalanced-1", SAMPLED),
    "client-sampling-mixed": onAnswer("mixed-1", SAMPLED),
    "client-form-declared": undeclared("elicitation"),
    "client-form-action": onAnswer("form-1", { result: { action: "yes" } }),
    "client-form-content": onAnswer("form-1", { result: { action: "accept", content: { city: 7 } } }),
    "client-elicitation-mode": onAnswer("mode-1", { result: { action: "accept" } }),
    "client-unknown-request": onAnswer("unknown-1", { error: { code: -32603, message: "Failed" } }),
    "client-answer-shape": onMessage(undefined, (message) =>
      message.id === "roots-1" && isResponse(message) ? { ...message, error: { code: 1, message: "both" } } : message,
    ),
    "client-answer-once": {
      change: (call) => (isObject(call.message) && call.message.id === "roots-1" ? [call, call] : call),
    },

    "client-probe-404": { off: "falls-back" },
    "client-probe-400": { off: "falls-back" },
    "client-probe-unknown-method": { off: "falls-back" },
    "client-probe-other-error": { off: "falls-back" },
    "client-probe-supported": { off: "retries-supported" },
    "client-probe-unsupported": { off: "heeds-modern-errors" },
    "client-probe-header-mismatch": { off: "heeds-modern-errors" },
    "client-probe-capability": { off: "heeds-modern-errors" },
    "client-unknown-revision": { off: "leaves-unknown-revision" },
    "client-no-sessions": onHeader("tools/list", "mcp-session-id", "guessed"),
    "client-no-standalone-stream": { off: "tolerates-405" },
    "client-session-renewed": { off: "renews-session" },
    "client-session-renewed-bare": onRenewal(
      ({ method }) => method === "initialize",
      (call) => ({ ...call, headers: withHeader(call.headers, "mcp-session-id", "parley-check-session-0") }),
    ),
    "client-session-renewed-initialized": onRenewal(
      ({ method }) => method === "notifications/initialized",
      (call) => ({ ...call, message: { jsonrpc: "2.0", method: "notifications/future" } }),
    ),
    "client-session-renewed-call": { off: "calls-again" },
    "client-sessions-bounded": { off: "bounds-renewals" },
    "client-resumes": { off: "resumes" },
    "client-resumes-event-id": onResumption((headers) => withHeader(headers, "last-event-id", "event-1")),
    "client-resumes-after-retry": { off: "waits-retry" },
    "client-resumes-in-session": onResumption((headers) => withHeader(headers, "mcp-session-id", undefined)),
    "client-resumes-not-reposted": {
      change: (call) => (isObject(call.message) && call.message.method === "tools/call" ? [call, call] : call),
    },
    "client-answered-not-resumed": { off: "resumes-only-unanswered" },
    "client-lost-not-resumed": { off: "resumes-only-with-id" },
    "client-modern-not-resumed": {
      change: (call) =>
        isObject(call.message) && call.message.method === "tools/call"
          ? [call, { url: call.url, verb: "GET", headers: { "last-event-id": "event-1" } }]
          : call,
    },
    "client-redirect": { off: "refuses-redirects" },
    "client-empty-cursor": { off: "follows-empty-cursor" },
    "client-repeated-cursor": { off: "stops-at-repeated-cursor" },
  };
}
