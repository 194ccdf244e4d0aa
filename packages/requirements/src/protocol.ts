/** Messages themselves: frames, ids, notifications, batches, methods of anybody's making, middleware. */
import { FRAMES, type Requirements, SCRIPTED } from "./requirement.js";

export const protocol: Requirements = {
  "protocol:request-id:unique": {
    behavior:
      "Every request a client sends has an id, a string or an integer, that no earlier one of the connection had.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#requests",
    strength: "must",
    over: FRAMES,
  },
  "protocol:request-id:verbatim": {
    behavior: "A server's answer repeats the request's id unchanged in value and in type.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#result-responses",
    strength: "must",
    over: SCRIPTED,
  },
  "protocol:request-id:unusual": {
    behavior: 'Requests with the ids 0, -1 and "" are served, and can be cancelled.',
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#requests",
    strength: "must",
    over: SCRIPTED,
  },
  "protocol:request-id:refused": {
    behavior:
      "A request whose id is null, fractional or no scalar is -32600 in an answer without id; the next one is served.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#requests",
    strength: "must",
    over: SCRIPTED,
  },
  "protocol:request-id:too-large": {
    behavior:
      "A request whose id is an integer beyond 2^53 is answered -32600, since it would not survive the round trip.",
    source: { decision: "verbatim-ids" },
    strength: "decision",
    over: SCRIPTED,
  },
  "protocol:request-id:caller-supplied": {
    behavior: "A request goes out under the id that its caller chose.",
    source: { decision: "caller-supplied-ids" },
    strength: "decision",
    over: FRAMES,
  },
  "protocol:request-id:collision": {
    behavior: 'While 7 is pending a request under "7" is refused as request-id-in-use; afterwards it goes out as "7".',
    source: { decision: "caller-supplied-ids" },
    strength: "decision",
    since: "2026-07-28",
    over: FRAMES,
  },
  "protocol:request-id:used-before": {
    behavior: "In the legacy era a request under an id that was used before, pending or not, is refused and not sent.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic#requests",
    strength: "must",
    until: "2025-11-25",
    over: FRAMES,
  },
  "protocol:request-id:duplicate-in-flight": {
    behavior:
      "A request under an id that is being served is answered -32600, and the first one is answered as if alone.",
    source: { decision: "duplicate-id-in-flight" },
    strength: "decision",
    over: SCRIPTED,
  },
  "protocol:request-id:per-connection": {
    behavior: "Requests under the same id on two connections of one server are answered independently.",
    source: { decision: "server-is-a-definition" },
    strength: "decision",
    over: SCRIPTED,
  },
  "protocol:frame:unparsable": {
    behavior: "Text that is no JSON is answered -32700 without id, and the connection goes on.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes",
    strength: "must",
    over: SCRIPTED,
  },
  "protocol:frame:not-a-message": {
    behavior: "JSON that is no JSON-RPC message is answered -32600 without id, and the connection goes on.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes",
    strength: "must",
    over: SCRIPTED,
  },
  "protocol:frame:no-id-member": {
    behavior: "An error answer to a message whose id could not be read has no id member at all.",
    source: { decision: "unreadable-id" },
    strength: "decision",
    over: SCRIPTED,
  },
  "protocol:frame:deep-nesting": {
    behavior: "A message nested 100,000 levels deep is refused, and the connection goes on.",
    source: { decision: "bounded-by-default" },
    strength: "decision",
    over: SCRIPTED,
  },
  "protocol:frame:proto-key": {
    behavior: "A __proto__ key anywhere in a message changes no object's prototype, and the message is served.",
    source: { decision: "hostile-keys-are-data" },
    strength: "decision",
    over: SCRIPTED,
  },
  "protocol:frame:answers": {
    behavior:
      "An answer has a result, or an error with a whole number as code and one line as message, even if a handler throws " +
      "another code; a notification has no id.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#responses",
    strength: "must",
    over: FRAMES,
  },
  "protocol:frame:unknown-fields": {
    behavior: "Fields that no revision defines reach the handler with the params, and the caller with the result.",
    source: { decision: "unknown-fields-pass" },
    strength: "decision",
  },
  "protocol:in-process:listings-unharmed": {
    behavior: "A caller that tries to change what a list gave it changes nothing for the next caller.",
    source: { decision: "by-reference" },
    strength: "decision",
  },
  "protocol:notifications:no-response": {
    behavior: "No notification is answered: neither a known, an unknown nor a malformed one.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#notifications",
    strength: "must",
    over: SCRIPTED,
  },
  "protocol:notifications:handler-failure": {
    behavior: "A notification handler that throws is reported to onError, and the connection goes on.",
    source: { decision: "handler-crash-is-opaque" },
    strength: "decision",
    needs: ["notifications"],
  },
  "protocol:response:unknown-id": {
    behavior: "An answer under an id that nobody waits for is dropped and reported to onError; calls go on.",
    source: { decision: "stray-answers" },
    strength: "decision",
    over: SCRIPTED,
  },
  "protocol:response:duplicate": {
    behavior: "The second answer to one request is dropped and reported to onError.",
    source: { decision: "stray-answers" },
    strength: "decision",
    over: SCRIPTED,
  },
  "protocol:response:id-text-match": {
    behavior: 'An answer under "7" settles the request that went out as 7.',
    source: { decision: "caller-supplied-ids" },
    strength: "decision",
    over: SCRIPTED,
  },
  "protocol:error:without-id": {
    behavior: "An error answer that carries no id is reported to onError.",
    source: { decision: "stray-answers" },
    strength: "decision",
    over: SCRIPTED,
  },
  "protocol:server-requests:dropped": {
    behavior: "A request from a server, or what is no message, is dropped, reported to onError and not answered.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#requests",
    strength: "stated",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "protocol:batch:receive": {
    behavior: "A batch is answered with one array that holds an answer per request and none per notification.",
    source: "https://modelcontextprotocol.io/specification/2025-03-26/basic#batching",
    strength: "must",
    since: "2025-03-26",
    until: "2025-03-26",
    over: SCRIPTED,
  },
  "protocol:batch:invalid-members": {
    behavior: "What is no message inside a batch gets its own -32600, and the rest of the batch is served.",
    source: "https://modelcontextprotocol.io/specification/2025-03-26/basic#batching",
    strength: "must",
    since: "2025-03-26",
    until: "2025-03-26",
    over: SCRIPTED,
  },
  "protocol:batch:empty": {
    behavior: "An empty batch is answered with a single -32600.",
    source: "https://modelcontextprotocol.io/specification/2025-03-26/basic#batching",
    strength: "must",
    since: "2025-03-26",
    until: "2025-03-26",
    over: SCRIPTED,
  },
  "protocol:batch:limit": {
    behavior: "A batch of more messages than maxBatchItems is answered with a single -32600, and none of it is served.",
    source: { decision: "bounded-by-default" },
    strength: "decision",
    since: "2025-03-26",
    until: "2025-03-26",
    over: SCRIPTED,
  },
  "protocol:batch:bytes": {
    behavior:
      "The answers to a batch take 16 Mi characters at most: one that finds no room is 429, and the others are answered.",
    source: { decision: "bytes-held" },
    strength: "decision",
    since: "2025-03-26",
    until: "2025-03-26",
    over: SCRIPTED,
  },
  "protocol:batch:no-initialize": {
    behavior: "An initialize inside a batch opens no session: it is answered -32600.",
    source: "https://modelcontextprotocol.io/specification/2025-03-26/basic/lifecycle#initialization",
    strength: "must",
    since: "2025-03-26",
    until: "2025-03-26",
    over: SCRIPTED,
  },
  "protocol:batch:send": {
    behavior: "A client sends several calls as one batch, and each settles with its own answer.",
    source: "https://modelcontextprotocol.io/specification/2025-03-26/basic#batching",
    strength: "may",
    since: "2025-03-26",
    until: "2025-03-26",
    over: FRAMES,
  },
  "protocol:batch:not-yet": {
    behavior: "Before batches existed an array is answered -32600, nothing in it is served, and a client sends none.",
    source: { decision: "batches-in-one-revision" },
    strength: "decision",
    until: "2024-11-05",
    over: SCRIPTED,
  },
  "protocol:batch:no-more": {
    behavior:
      "Since batches were removed an array is answered -32600, nothing in it is served, and a client sends none.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#jsonrpcmessage",
    strength: "stated",
    since: "2025-06-18",
    over: SCRIPTED,
  },
  "protocol:custom-method:roundtrip": {
    behavior:
      "A method of the author's own is served by its handler with params and result intact, both ways where allowed.",
    source: { decision: "any-method" },
    strength: "decision",
    needs: ["server-requests"],
  },
  "protocol:custom-method:params-validation": {
    behavior: "Params that fail the schema given with a custom method are -32602, and the handler does not run.",
    source: { decision: "any-method" },
    strength: "decision",
  },
  "protocol:custom-method:notification": {
    behavior: "A notification of the author's own that a handler sends reaches the client's handler for it.",
    source: { decision: "any-method" },
    strength: "decision",
    needs: ["notifications"],
  },
  "protocol:custom-notification:roundtrip": {
    behavior: "A notification of the author's own that a client sends reaches the server's handler for it.",
    source: { decision: "any-method" },
    strength: "decision",
  },
  "protocol:request-handler:override-builtin": {
    behavior: "A handler registered for a method of the specification replaces the built-in one.",
    source: { decision: "any-method" },
    strength: "decision",
  },
  "protocol:handler:re-register-replaces": {
    behavior: "A second handler for a method or a notification takes the place of the first, on either side.",
    source: { decision: "any-method" },
    strength: "decision",
    needs: ["server-requests"],
  },
  "protocol:handler:fallback": {
    behavior: 'The handler of "*" takes what has no handler of its own, and nothing else, on either side.',
    source: { decision: "any-method" },
    strength: "decision",
    needs: ["server-requests"],
  },
  "flow:proxy:forward-tools-resources": {
    behavior:
      "A server that serves what a client of its own gets from another server hands on lists, results and errors that it throws anew intact.",
    source: { decision: "any-method" },
    strength: "decision",
  },
  "protocol:middleware:server": {
    behavior:
      "Server middleware runs around every request and notification, first added outermost, and may answer itself.",
    source: { decision: "middleware" },
    strength: "decision",
  },
  "protocol:middleware:client": {
    behavior: "Client middleware runs around every request and notification it sends and receives once it is open.",
    source: { decision: "middleware" },
    strength: "decision",
    needs: ["server-requests"],
  },
  "protocol:middleware:client-batch": {
    behavior:
      "Client middleware runs around each call of a batch, and what it answers itself is left out of the batch.",
    source: { decision: "middleware" },
    strength: "decision",
    since: "2025-03-26",
    until: "2025-03-26",
  },
};
