/** Faults of transports: HTTP, sessions, lines and authorization. */
import { isObject } from "../wire/json-rpc.js";
import { type Mutant, onError, onMethod, onReply, paramsOf, refusing, without } from "./fault-makers.fixture.js";
import type { Incoming, Reply, Setup } from "./scripted-server.fixture.js";

const MODERN_ONLY: Setup = { revisions: ["2026-07-28"] };
const PROTECTED: Setup = { token: "secret-token" };

function tells(method: string): (incoming: Incoming) => boolean {
  return ({ message }) => message?.id === undefined && message?.method === method;
}

function isStreamedCall({ message }: Incoming, reply: Reply): boolean {
  return message?.method === "tools/call" && reply.isStream;
}

function isStandalone({ verb, headers }: Incoming, { isStream }: Reply): boolean {
  return verb === "GET" && isStream && headers["last-event-id"] === undefined;
}

const http: readonly Mutant[] = [
  without("removed-ping", "removed ping"),
  without("removed-logging-setlevel", "removed logging/setLevel"),
  without("removed-resources-subscribe", "removed resources/subscribe"),
  without("removed-resources-unsubscribe", "removed resources/unsubscribe"),
  without("removed-initialize", "removed initialize"),
  onError("unknown-method-status", -32601, (_error, reply) => {
    reply.status = 200;
  }),
  onReply("notification-accepted", tells("notifications/cancelled"), (reply) => {
    reply.status = 200;
  }),
  onReply("notification-no-body", tells("notifications/cancelled"), (reply) => {
    reply.text = "accepted";
  }),
  without("posted-response-refused", "posted response"),
  onReply(
    "cancellation-accepted",
    (incoming) => paramsOf(incoming).requestId === 1,
    (reply) => {
      reply.status = 500;
    },
  ),
  onReply("legacy-notification-accepted", tells("notifications/cancelled"), (reply) => {
    reply.status = 200;
  }),
  onReply("legacy-notification-no-body", tells("notifications/roots/list_changed"), (reply) => {
    reply.text = "accepted";
  }),
  without("legacy-response-accepted", "response status"),
  without("foreign-origin-post", "origin POST"),
  without("foreign-origin-get", "origin GET"),
  without("foreign-origin-delete", "origin DELETE"),
  without("foreign-host", "host"),
  onReply(
    "unknown-verb",
    ({ verb }) => verb === "PUT",
    (reply) => {
      reply.status = 200;
    },
  ),
  without("wrong-content-type", "content type"),
  without("narrow-accept", "accept"),
  onError("parse-error-status", -32700, (_error, reply) => {
    reply.status = 200;
  }),
  onError("invalid-request-status", -32600, (_error, reply, { message }) => {
    if (message?.hello) reply.status = 200;
  }),
  { ...without("modern-only-get", "modern GET"), setup: MODERN_ONLY },
  { ...without("modern-only-delete", "modern DELETE"), setup: MODERN_ONLY },
  {
    ...onError("initialize-names-revisions", -32022, (error, _reply, { message }) => {
      if (message?.method !== "initialize") return;
      error.message = "Unsupported";
      error.data = {};
    }),
    setup: MODERN_ONLY,
  },
  ...["answer-media-type", "legacy-answer-media-type"].map((check) => ({
    ...onMethod(check, "completion/complete", (reply) => {
      reply.headers["content-type"] = "text/plain";
    }),
    also: [
      ...["prompt", "template"].map((what) => `completion-unknown-${what}`),
      ...["ref", "argument"].map((what) => `completion-without-${what}`),
      ...["values", "limit", "total"].map((what) => `completion-${what}`),
    ],
  })),
  onReply("stream-ends-after-answer", isStreamedCall, (reply) => {
    reply.staysOpen = true;
  }),
  onMethod("stream-not-buffered", "subscriptions/listen", (reply) => {
    reply.headers["x-accel-buffering"] = "yes";
  }),
  onReply("no-requests-on-streams", isStreamedCall, (reply) => {
    reply.messages.unshift({ jsonrpc: "2.0", id: "ask", method: "roots/list" });
  }),
];

const sessions: readonly Mutant[] = [
  { check: "session-id-characters", sessionId: (number) => `session with spaces ${number}` },
  { check: "session-id-length", sessionId: (number) => `s${number}` },
  {
    check: "session-id-fresh",
    sessionId: () => "session-for-everybody",
    without: ["session ended"],
    also: ["session-ended"],
  },
  without("session-required", "session required"),
  {
    ...refusing("session-kept", ({ message }) => message?.method === "ping" && message.id === 2),
    also: ["frame-goes-on"],
  },
  { ...without("session-unknown-post", "session known POST"), also: ["session-ended"] },
  without("session-unknown-get", "session known GET"),
  without("session-unknown-delete", "session known DELETE"),
  onReply(
    "session-delete",
    ({ verb }, { status }) => verb === "DELETE" && status === 200,
    (reply) => {
      reply.status = 500;
    },
  ),
  without("session-ended", "session ended"),
  without("version-header-unknown", "spoken version"),
  refusing(
    "version-header-absent",
    ({ message, headers }) => message?.method === "ping" && headers["mcp-protocol-version"] === undefined,
  ),
  onReply("stream-get", isStandalone, (reply) => {
    reply.isStream = false;
    reply.headers["content-type"] = "text/html";
  }),
  without("stream-get-accept", "accept GET"),
  onReply("stream-get-no-answers", isStandalone, (reply) => {
    reply.messages = [{ jsonrpc: "2.0", id: 2, result: {} }];
  }),
  onReply(
    "answers-on-own-response",
    ({ message }) => message?.id === "parley-check-b",
    (reply) => {
      for (const message of reply.messages.filter(isObject)) message.id = "parley-check-c";
    },
  ),
  {
    ...onReply(
      "event-ids-unique",
      (_incoming, { idPrefix }) => idPrefix !== undefined,
      (reply) => {
        reply.idPrefix = "s1";
      },
    ),
    also: ["resume-own-stream"],
  },
  onReply("event-ids-primed", isStreamedCall, (reply) => {
    reply.isPrimed = false;
  }),
  onReply("event-ids-not-before", isStreamedCall, (reply) => {
    reply.isPrimed = true;
  }),
  without("resume-replays", "replay"),
  without("resume-own-stream", "replay scope"),
  onMethod("session-only-on-initialize", "prompts/get", (reply) => {
    reply.headers["mcp-session-id"] = "another-session";
  }),
];

const stdio: readonly Mutant[] = [
  without("stdio-exit", "exit"),
  without("stdio-blank-lines", "blank lines"),
  without("stdio-both-eras", "both eras"),
  {
    ...onMethod("stdio-messages-alone", "prompts/get", (reply) => {
      reply.text = ["Getting a prompt", ...reply.messages.map((message) => JSON.stringify(message))].join("\n");
    }),
    also: ["answers-are-readable"],
  },
];

const sse: readonly Mutant[] = [
  { ...without("sse-endpoint-first", "sse endpoint first"), also: ["answers-are-readable"] },
  without("sse-endpoint-origin", "sse endpoint origin"),
  without("sse-sessions-apart", "sse sessions"),
  without("sse-unknown-session", "sse session known"),
  without("sse-foreign-origin-get", "sse origin GET"),
  without("sse-foreign-origin-post", "sse origin POST"),
  without("sse-foreign-host", "sse host"),
  without("sse-post-accepted", "sse accepted"),
  without("sse-answers-on-stream", "sse empty body"),
  without("sse-message-events", "sse event type"),
];

/** A change of the challenge of a protected server. */
function onChallenge(check: string, change: (challenge: string) => string): Mutant {
  return {
    setup: PROTECTED,
    ...onReply(
      check,
      (_incoming, { status }) => status === 401,
      (reply) => {
        reply.headers["www-authenticate"] = change(reply.headers["www-authenticate"] ?? "");
      },
    ),
  };
}

/** A change of the metadata of a protected server. */
function onMetadata(check: string, change: (reply: Reply) => void): Mutant {
  return {
    setup: PROTECTED,
    ...onReply(check, (_incoming, { text }) => text?.includes("authorization_servers") === true, change),
  };
}

const authorization: readonly Mutant[] = [
  onChallenge("auth-challenge", (challenge) => challenge.replace("Bearer", "Basic")),
  {
    setup: PROTECTED,
    check: "auth-challenge-metadata",
    also: ["auth-metadata-served"],
    change(reply) {
      const challenge = reply.headers["www-authenticate"];
      if (challenge) reply.headers["www-authenticate"] = challenge.replace(/resource_metadata="[^"]*", /, "");
      if (reply.text?.includes("authorization_servers")) reply.status = 404;
    },
  },
  onChallenge("auth-challenge-scope", (challenge) => challenge.replace(', scope="mcp"', "")),
  { ...without("auth-invalid-token", "token valid"), setup: PROTECTED },
  onChallenge("auth-invalid-token-error", (challenge) => challenge.replace("invalid_token", "invalid_request")),
  {
    setup: PROTECTED,
    ...onReply(
      "auth-nothing-served",
      (_incoming, { status }) => status === 401,
      (reply, { message }) => {
        const serverInfo = { name: "scripted", version: "1.0.0" };
        const meta = { "io.modelcontextprotocol/serverInfo": serverInfo };
        reply.messages = [{ jsonrpc: "2.0", id: message?.id, result: { resultType: "complete", _meta: meta } }];
      },
    ),
  },
  onMetadata("auth-metadata-served", (reply) => {
    reply.status = 404;
  }),
  onMetadata("auth-metadata-resource", (reply) => {
    reply.text = JSON.stringify({ authorization_servers: ["https://login.example.com"] });
  }),
  onMetadata("auth-metadata-servers", (reply) => {
    reply.text = JSON.stringify({ resource: "http://127.0.0.1:3000/mcp", authorization_servers: [] });
  }),
];

export const TRANSPORT_MUTANTS: readonly Mutant[] = [...http, ...sessions, ...sse, ...stdio, ...authorization];
