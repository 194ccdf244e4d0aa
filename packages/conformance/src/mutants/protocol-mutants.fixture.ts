/** Faults of the protocol underneath features: JSON-RPC, the handshake and capabilities. */
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import {
  type Mutant,
  metaOf,
  onError,
  onMethod,
  onReply,
  onResult,
  paramsOf,
  refusing,
  without,
} from "./fault-makers.fixture.js";
import type { Incoming } from "./scripted-server.fixture.js";

/** An id that comes back as another. */
function onId(check: string, id: unknown, other: unknown): Mutant {
  return onReply(
    check,
    ({ message }) => message?.id === id,
    (reply) => {
      for (const message of reply.messages.filter(isObject)) message.id = other;
    },
  );
}

/** The request after a cancellation of this id is refused. */
function afterCancelling(check: string, id: string): Mutant {
  let isArmed = false;
  return refusing(check, (incoming) => {
    const wasArmed = isArmed && incoming.message?.id !== undefined;
    isArmed = incoming.message?.method === "notifications/cancelled" && paramsOf(incoming).requestId === id;
    return wasArmed;
  });
}

const isUnknownPrompt = (incoming: Incoming) => paramsOf(incoming).name === "parley-check-no-such-prompt";

const jsonRpc: readonly Mutant[] = [
  onId("id-string", "parley-check-text", 1),
  onId("id-number", 90_210, "90210"),
  onId("id-zero", 0, null),
  onId("id-negative", -1, 1),
  onId("id-empty", "", null),
  onId("id-digits", "007", 7),
  without("frame-object", "message"),
  without("frame-scalar", "scalar"),
  without("frame-without-version", "jsonrpc"),
  without("id-null", "id"),
  without("frame-unparsable", "parse"),
  { ...without("frame-goes-on", "survives garbage"), kind: "stdio", also: ["frame-unparsable"] },
  without("method-unknown", "unknown method"),
  without("params-list", "params"),
  onReply(
    "notification-unknown",
    ({ message }) => message?.method === "notifications/parley-check",
    (reply) => {
      reply.messages = [{ jsonrpc: "2.0", id: null, result: {} }];
    },
  ),
  onReply(
    "notification-cancelled",
    ({ message }) => message?.method === "notifications/cancelled" && message.params === undefined,
    (reply) => {
      reply.messages = [{ jsonrpc: "2.0", id: null, error: { code: -32602, message: "No id" } }];
    },
  ),
  afterCancelling("cancel-unknown", "parley-check-unknown"),
  afterCancelling("cancel-answered", "parley-check-done"),
  onReply(
    "batch-answered",
    (_incoming, { isBatch, messages }) => isBatch && messages.length === 2,
    (reply) => {
      const isPlain = reply.messages.every((message) => isObject(message) && "result" in message);
      if (isPlain) reply.messages.pop();
    },
  ),
  without("batch-empty", "empty batch"),
  without("batch-members", "batch members"),
  without("batch-initialize", "batch initialize"),
  { ...without("batch-gone", "batch refused"), revision: "2025-11-25" },
  onError("batch-gone-status", -32600, (error, reply, { message }) => {
    if (message === undefined && String(error.message).startsWith("Batches")) reply.status = 200;
  }),
  onMethod("answers-are-json-rpc", "prompts/get", ({ messages }) => {
    for (const message of messages.filter(isObject)) message.jsonrpc = "1.0";
  }),
  onMethod("answers-one-outcome", "prompts/get", ({ messages }) => {
    for (const message of messages.filter(isObject))
      if ("result" in message) message.error = { code: 1, message: "Both" };
  }),
  {
    ...onMethod("answers-result-object", "resources/unsubscribe", ({ messages }) => {
      for (const message of messages.filter(isObject)) if ("result" in message) message.result = true;
    }),
    revision: "2025-11-25",
    also: ["resource-unsubscribe"],
  },
  onError("error-code-integer", -32602, (error, _reply, incoming) => {
    if (isUnknownPrompt(incoming)) error.code = "-32602";
  }),
  onError("error-message-text", -32602, (error, _reply, incoming) => {
    if (isUnknownPrompt(incoming)) error.message = 7;
  }),
  onError("error-codes-reserved", -32602, (error, _reply, incoming) => {
    if (Array.isArray(paramsOf(incoming).arguments)) error.code = -32050;
  }),
  onError("error-id-echoed", -32602, (_error, reply, incoming) => {
    if (!isUnknownPrompt(incoming)) return;
    for (const message of reply.messages.filter(isObject)) delete message.id;
  }),
  {
    ...onReply(
      "notifications-without-id",
      ({ message }) => message?.method === "tools/call",
      ({ messages }) => {
        for (const message of messages.filter(isObject))
          if (message.method === "notifications/progress") message.id = "told";
      },
    ),
    revision: "2025-11-25",
  },
  onReply(
    "answers-are-readable",
    ({ message }, { isStream }) => message?.method === "tools/call" && isStream,
    (reply) => {
      const events = reply.messages.map((message) => `data: ${JSON.stringify(message)}\n\n`);
      reply.text = ['data: {"oops\n\n', ...events].join("");
      reply.headers["content-type"] = "text/event-stream";
      reply.headers["x-accel-buffering"] = "no";
    },
  ),
];

/** Handshakes for the newest legacy revision after those that find out what the server speaks. */
function onLaterHandshake(check: string, change: (result: JsonObject) => void): Mutant {
  let count = 0;
  return onResult(check, "initialize", (result, incoming) => {
    if (paramsOf(incoming).protocolVersion !== "2025-11-25") return;
    count += 1;
    if (count > 2) change(result);
  });
}

function onHandshake(check: string, change: (result: JsonObject) => void): Mutant {
  return onResult(check, "initialize", change);
}

const lifecycle: readonly Mutant[] = [
  onLaterHandshake("initialize-revision", (result) => {
    result.protocolVersion = "2025-06-18";
  }),
  onLaterHandshake("initialize-capabilities", (result) => {
    result.capabilities = [];
  }),
  onHandshake("initialize-server-info", (result) => {
    result.serverInfo = { name: "scripted" };
  }),
  onHandshake("initialize-instructions", (result) => {
    result.instructions = 7;
  }),
  refusing("initialize-unknown-revision", (incoming) => paramsOf(incoming).protocolVersion === "1999-01-01"),
  onResult("initialize-newest-revision", "initialize", (result, incoming) => {
    if (paramsOf(incoming).protocolVersion === "2099-01-01") result.protocolVersion = "2025-03-26";
  }),
  without("initialize-without-protocolversion", "initialize protocolVersion"),
  without("initialize-without-capabilities", "initialize capabilities"),
  without("initialize-without-clientinfo", "initialize clientInfo"),
  refusing("initialize-extra-fields", (incoming) => "extra" in paramsOf(incoming)),
  refusing("initialize-twice", ({ message }) => message?.method === "initialize" && message.id === 2),
  onResult("ping-answered", "ping", (result) => {
    result.pong = true;
  }),
  without("ping-before-initialize", "early ping"),
  refusing("legacy-meta-ignored", (incoming) => "com.example/odd" in metaOf(incoming)),
  onMethod("server-waits", "initialize", (reply) => {
    reply.isStream = true;
    reply.messages.unshift({ jsonrpc: "2.0", id: "ask", method: "roots/list" });
  }),
];

function onCapabilities(check: string, method: string, change: (capabilities: JsonObject) => void): Mutant {
  return onResult(check, method, ({ capabilities }) => {
    if (isObject(capabilities)) change(capabilities);
  });
}

const capabilities: readonly Mutant[] = [
  ...["tools", "resources", "prompts"].map((name) => ({
    ...onCapabilities(`${name}-declared`, "server/discover", (declared) => {
      delete declared[name];
    }),
    also: ["listen-filter-announced", ...(name === "resources" ? ["skills-resources-declared"] : [])],
  })),
  onCapabilities("capabilities-objects", "server/discover", (declared) => {
    declared.experimental = "yes";
  }),
  onCapabilities("extension-names", "server/discover", (declared) => {
    declared.extensions = { demo: {} };
  }),
  onCapabilities("list-changed-boolean", "server/discover", (declared) => {
    declared.prompts = { listChanged: "yes" };
  }),
  { ...without("completions-undeclared-refused", "completions declared"), setup: { lacks: ["completions"] } },
  { ...without("logging-undeclared-refused", "logging declared"), setup: { lacks: ["logging"] } },
  onCapabilities("subscribe-undeclared-refused", "initialize", (declared) => {
    declared.resources = {};
  }),
  onResult("lists-same-for-all", "tools/list", (result, { message }) => {
    if (message?.id === 1 && Array.isArray(result.tools)) result.tools.reverse();
  }),
  onResult("legacy-wire-clean", "prompts/get", (result) => {
    result.resultType = "complete";
  }),
];

export const PROTOCOL_MUTANTS: readonly Mutant[] = [...jsonRpc, ...lifecycle, ...capabilities];
