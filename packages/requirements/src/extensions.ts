/** Extensions and custom methods: what two sides may add to the protocol, and how each knows that the other did too. */
import { LOCAL, OVER_HTTP, REOPENED, type Requirements, SCRIPTED } from "./requirement.js";

const negotiation = "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation";
const resultType = "https://modelcontextprotocol.io/specification/2026-07-28/basic#resulttype";
const metaKeys = "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta";

export const extensions: Requirements = {
  "custom-methods:server-handler:roundtrip": {
    behavior: "Of a method that both sides define, handler and caller each get what the schemas yield at their end.",
    source: { decision: "defined-methods" },
    strength: "decision",
  },
  "custom-methods:client-handler:roundtrip": {
    behavior: "A method that both sides define can be served by the client, where servers send requests.",
    source: { decision: "defined-methods" },
    strength: "decision",
    until: "2025-11-25",
    needs: ["server-requests"],
  },
  "custom-methods:params-validation-error": {
    behavior: "Params against the definition are -32602 and name their path, on either side, and no handler runs.",
    source: { decision: "defined-methods" },
    strength: "decision",
  },
  "custom-methods:result-validation:outgoing": {
    behavior: "A handler's result against the definition is -32603 to the caller and is reported with its path.",
    source: { decision: "defined-methods" },
    strength: "decision",
  },
  "custom-methods:result-validation:incoming": {
    behavior: "An answer against the definition rejects with invalid-result and its path.",
    source: { decision: "defined-methods" },
    strength: "decision",
    over: SCRIPTED,
  },
  "custom-methods:notification-handler": {
    behavior:
      "A defined notification reaches its handler as the schema yields it; one against the schema is dropped and reported.",
    source: { decision: "defined-methods" },
    strength: "decision",
    needs: ["notifications"],
  },
  "custom-methods:notification-sending": {
    behavior: "A defined notification with params against the schema is not sent, and its sender is told.",
    source: { decision: "defined-methods" },
    strength: "decision",
  },
  "custom-methods:names": {
    behavior: "A definition cannot have the name of a method or notification of the specification.",
    source: { decision: "defined-names" },
    strength: "decision",
    over: LOCAL,
  },
  "extensions:declaration": {
    behavior:
      "Each side declares its extensions with their settings under capabilities.extensions, and none that it was not given.",
    source: negotiation,
    strength: "stated",
    needs: ["session"],
  },
  "extensions:declaration:client-extend": {
    behavior:
      "A client declares an extension that extend added before it was opened, uses it, and refuses one that comes later.",
    source: { decision: "extension-declaration" },
    strength: "decision",
    over: LOCAL,
  },
  "extensions:declaration:beside-others": {
    behavior: "Extensions declared by hand stand beside those that were given, on either side.",
    source: { decision: "extension-declaration" },
    strength: "decision",
    needs: ["session"],
  },
  "extensions:identifiers": {
    behavior: "An identifier without a prefix, against the naming rules or under a reserved prefix is refused.",
    source: negotiation,
    strength: "must",
    over: LOCAL,
  },
  "extensions:identifiers:by-hand": {
    behavior: "Identifiers that capabilities.extensions names by hand follow the same rules, on either side.",
    source: negotiation,
    strength: "must",
    over: LOCAL,
  },
  "extensions:conflicts": {
    behavior:
      "A side that is given two extensions with the same identifier, method or kind of result refuses the second.",
    source: { decision: "extension-declaration" },
    strength: "decision",
    over: LOCAL,
  },
  "extensions:settings": {
    behavior: "Either side reads the other's settings as the extension's schema yields them, or that there are none.",
    source: negotiation,
    strength: "stated",
    needs: ["session"],
  },
  "extensions:settings:malformed": {
    behavior:
      "Settings against the schema are refused when they are given, -32602 from a client, and invalid-result from a server.",
    source: { decision: "extension-settings" },
    strength: "decision",
    over: SCRIPTED,
  },
  "extensions:client:capability-ad:gates-server-behavior": {
    behavior:
      "An extension's method from a request that does not declare it is -32021 with the extension in requiredCapabilities.",
    source: metaKeys,
    strength: "must",
    since: "2026-07-28",
  },
  "extensions:gate:legacy-server": {
    behavior: "An extension's method from a legacy client that did not declare it is -32602 with requiredCapabilities.",
    source: { decision: "extension-gates" },
    strength: "decision",
    until: "2025-11-25",
    needs: ["session"],
  },
  "extensions:gate:client": {
    behavior: "A client does not send an extension's method to a server that did not declare it, and rejects the call.",
    source: negotiation,
    strength: "must",
  },
  "extensions:gate:unknown-server": {
    behavior: "Where a pinned revision left the server unasked, its answer decides whether it has the extension.",
    source: { decision: "extension-gates" },
    strength: "decision",
    since: "2026-07-28",
  },
  "extensions:gate:server-requests": {
    behavior:
      "A server sends an extension's request only to a client that declared it, and a client answers one only if the server did.",
    source: { decision: "extension-gates" },
    strength: "decision",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "extensions:fallback:server": {
    behavior: "An extension whose fallback is to serve is served to clients without it, and its handlers can tell.",
    source: negotiation,
    strength: "must",
    needs: ["session"],
  },
  "extensions:fallback:client": {
    behavior: "A client answers a method by the extension's fallback where the server lacks it, and asks it where not.",
    source: negotiation,
    strength: "must",
    needs: ["session"],
  },
  "extensions:fallback:client-rules": {
    behavior: "A fallback runs inside the client's middleware, its result is checked, and it cannot call itself.",
    source: { decision: "extension-fallbacks" },
    strength: "decision",
  },
  "extensions:client:notification-binding-delivery": {
    behavior: "An extension's notifications are checked and reach the client's handler in the order they were sent.",
    source: { decision: "extension-notifications" },
    strength: "decision",
    needs: ["notifications", "session"],
  },
  "extensions:notifications:gated-out": {
    behavior: "An extension's notification to a side that did not declare it is left out, without an error.",
    source: { decision: "extension-notifications" },
    strength: "decision",
    needs: ["session", "server-requests"],
  },
  "extensions:notifications:gated-in": {
    behavior: "An extension's notification from a side known not to have declared it is dropped and reported.",
    source: { decision: "extension-notifications" },
    strength: "decision",
    over: SCRIPTED,
  },
  "extensions:client:claimed-result-resolved": {
    behavior:
      "A result of an extension's kind is finished by the extension, and the caller gets what it was finished to.",
    source: resultType,
    strength: "must",
    since: "2026-07-28",
  },
  "extensions:client:claimed-result-undeclared-invalid": {
    behavior:
      "A result of an extension's kind rejects as unknown-result-type unless both sides declared it, and for other methods.",
    source: resultType,
    strength: "must",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "extensions:client:claimed-result-raw": {
    behavior: "A request that is sent by its name alone hands out a result of an extension's kind as it came.",
    source: { decision: "extension-results" },
    strength: "decision",
    since: "2026-07-28",
  },
  "extensions:client:claimed-result-checked": {
    behavior:
      "Both a result of an extension's kind and what it was finished to are checked; a given-up call does not wait.",
    source: { decision: "extension-results" },
    strength: "decision",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "extensions:server:claimed-result": {
    behavior:
      "A server answers with an extension's kind of result only clients that declared it, and -32021 all others; -32602 if legacy.",
    source: { decision: "extension-results" },
    strength: "decision",
  },
  "extensions:server:claimed-result-checked": {
    behavior:
      "A kind of result that no extension brings to the method, or one against its schema, fails the call and is reported.",
    source: resultType,
    strength: "must",
    since: "2026-07-28",
  },
  "extensions:client:capability-ad:legacy-omits-claimed": {
    behavior: "Extensions with kinds of results of their own are not declared, and do not exist, in the legacy era.",
    source: { decision: "extension-results" },
    strength: "decision",
    until: "2025-11-25",
  },
  "extensions:meta-keys": {
    behavior: "An extension's _meta keys are read, checked, on both sides by whoever knows that the other declared it.",
    source: { decision: "extension-meta" },
    strength: "decision",
    needs: ["session"],
  },
  "extensions:meta-keys:reserved": {
    behavior:
      "A _meta key of the specification's own, without a prefix or under one of official extensions is refused.",
    source: metaKeys,
    strength: "must",
    over: LOCAL,
  },
  "extensions:moved-methods": {
    behavior: "The tasks extension can define tasks/get and tasks/cancel, which the core had in 2025-11-25 alone.",
    source: { decision: "defined-names" },
    strength: "decision",
    since: "2026-07-28",
  },
  "extensions:listen:roundtrip": {
    behavior:
      "A listen filter of an extension is acknowledged as the server honors it, and its notifications carry the subscription's id.",
    source: { decision: "extension-listen-filters" },
    strength: "decision",
    since: "2026-07-28",
  },
  "extensions:listen:gate": {
    behavior:
      "A listen request with a filter of an extension that the client did not declare is -32021 with requiredCapabilities.",
    source: { decision: "extension-listen-filters" },
    strength: "decision",
    since: "2026-07-28",
  },
  "extensions:listen:invalid": {
    behavior: "A value that breaks the schema of its listen filter is -32602 with the path, and no handler runs.",
    source: { decision: "extension-listen-filters" },
    strength: "decision",
    since: "2026-07-28",
  },
  "extensions:listen:not-honored": {
    behavior:
      "The acknowledgment lacks a filter that nobody serves, that the server honors in no part, or that nobody defines.",
    source: { decision: "extension-listen-filters" },
    strength: "decision",
    since: "2026-07-28",
  },
  "extensions:listen:legacy": {
    behavior: "In the legacy era the honored part of a subscription lacks the filters of extensions.",
    source: { decision: "extension-listen-filters" },
    strength: "decision",
    until: "2025-11-25",
    needs: ["session"],
  },
  "extensions:listen:burst": {
    behavior: "Changes of a topic while its params are being made lead to one more notification, with the last state.",
    source: { decision: "extension-listen-filters" },
    strength: "decision",
    since: "2026-07-28",
  },
  "extensions:listen:limits": {
    behavior: "The topics of listen filters count for maxSubscribedResources, together with the resources.",
    source: { decision: "extension-listen-filters" },
    strength: "decision",
    since: "2026-07-28",
  },
  "extensions:listen:honor-failure": {
    behavior: "A listen filter whose honor fails or hangs holds no place after its request has ended.",
    source: { decision: "extension-listen-filters" },
    strength: "decision",
    since: "2026-07-28",
  },
  "extensions:listen:honor-result": {
    behavior:
      "An honored part that is no JSON, and topics that are no array of strings, are -32603 and reported; the stream's place is freed.",
    source: { decision: "extension-listen-filters" },
    strength: "decision",
    since: "2026-07-28",
  },
  "extensions:listen:params-failure": {
    behavior: "Params that throw or break the schema of the notification are reported, and the subscription goes on.",
    source: { decision: "extension-listen-filters" },
    strength: "decision",
    since: "2026-07-28",
  },
  "extensions:listen:unread": {
    behavior: "Of the unread notifications of a topic, a subscription keeps the newest.",
    source: { decision: "extension-listen-filters" },
    strength: "decision",
    since: "2026-07-28",
  },
  "extensions:listen:restored": {
    behavior: "A subscription with a filter of an extension is opened again with it after a loss.",
    source: { decision: "extension-listen-filters" },
    strength: "decision",
    since: "2026-07-28",
    over: REOPENED,
  },
  "extensions:listen:malformed": {
    behavior:
      "A client rejects a subscription whose acknowledgment breaks the filter's schema, and drops and reports such notifications.",
    source: { decision: "extension-listen-filters" },
    strength: "decision",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "custom-methods:mirrors": {
    behavior:
      "A method that mirrors a param is sent with the param as Mcp-Name over HTTP, and served over every connection.",
    source: { decision: "method-traits" },
    strength: "decision",
    since: "2026-07-28",
  },
  "custom-methods:mirrors:compared": {
    behavior:
      "A server refuses a request whose Mcp-Name is missing or differs from the param that its method mirrors, or whose param is no string.",
    source: { decision: "method-traits" },
    strength: "decision",
    since: "2026-07-28",
    over: OVER_HTTP,
  },
  "custom-methods:cacheable": {
    behavior:
      "A cacheable method's result carries the server's cache hint or its handler's, and the client's cache keeps it.",
    source: { decision: "method-traits" },
    strength: "decision",
    since: "2026-07-28",
  },
  "custom-methods:cacheable:changed-by": {
    behavior: "The notification that a cacheable method names makes its kept results stale, and no other.",
    source: { decision: "method-traits" },
    strength: "decision",
    since: "2026-07-28",
  },
  "custom-methods:cacheable:hints-checked": {
    behavior: "An invalid ttlMs of a cacheable method's handler fails the call and is reported.",
    source: { decision: "method-traits" },
    strength: "decision",
    since: "2026-07-28",
  },
  "custom-methods:pages": {
    behavior:
      "A method with pages is read page by page, starts over once at a refused cursor if it has a pageKey, and ends after maxPages.",
    source: { decision: "method-traits" },
    strength: "decision",
  },
  "extensions:moved-methods:legacy": {
    behavior:
      "In 2025-11-25 tasks/get is the specification's: a handler by name serves it, without the gate of the extension.",
    source: { decision: "defined-names" },
    strength: "decision",
    since: "2025-11-25",
    until: "2025-11-25",
  },
  "extensions:moved-methods:official": {
    behavior: "Only an official extension can define tasks/get and tasks/cancel.",
    source: { decision: "defined-names" },
    strength: "decision",
    over: LOCAL,
  },
  "extensions:declaration:by-hand": {
    behavior:
      "A value in capabilities.extensions that is no JSON object is refused, and so is an extension that is also declared by hand.",
    source: { decision: "extension-declaration" },
    strength: "decision",
    over: LOCAL,
  },
};
