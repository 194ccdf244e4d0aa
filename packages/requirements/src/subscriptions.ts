/** How clients hear of changes: listen streams in the modern era, notifications and watched resources in the legacy one. */
import { type Requirements, SCRIPTED } from "./requirement.js";

export const subscriptions: Requirements = {
  "subscriptions:both-eras": {
    behavior: "client.listen is one iterator over tool, prompt and resource changes in every revision.",
    source: { decision: "listen-in-both-eras" },
    strength: "decision",
    needs: ["session"],
  },
  "resources:updated-notification": {
    behavior: "A watched resource's update reaches the client with its URI.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#subscriptions",
    strength: "stated",
    needs: ["session"],
  },
  "resources:updated-notification:sub-resource": {
    behavior:
      "A subscription hears of what lies beneath a watched resource under its own URI, and of nothing beside it.",
    source: { decision: "watching-resources" },
    strength: "decision",
    over: SCRIPTED,
  },
  "mcpserver:register:post-connect": {
    behavior: "What is registered or removed on a connected server shows in its lists, and is announced.",
    source: { decision: "changes-by-themselves" },
    strength: "decision",
    needs: ["session"],
  },
  "mcpserver:list-changed:debounce": {
    behavior: "A burst of registrations is announced once per list.",
    source: { decision: "changes-by-themselves" },
    strength: "decision",
    needs: ["session"],
  },
  "client:list-changed:capability-gated": {
    behavior:
      "A kind of change that a legacy server does not announce is neither honored, nor asked for, nor delivered.",
    source: { decision: "listen-in-both-eras" },
    strength: "decision",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "client:list-changed:signal-only": {
    behavior: "A change is told and nothing is fetched on its account.",
    source: { decision: "listen-in-both-eras" },
    strength: "decision",
    needs: ["session"],
  },
  "subscriptions:listen:client:iteration": {
    behavior: "Changes reach a subscription and the handlers of their notifications, whatever those handlers do.",
    source: { decision: "listen-in-both-eras" },
    strength: "decision",
    needs: ["session"],
  },
  "subscriptions:unread:kept-once": {
    behavior: "Changes that nobody has read yet are kept once per list and resource, in the order they first came.",
    source: { decision: "unread-changes" },
    strength: "decision",
    needs: ["session"],
  },
  "subscriptions:close:ends-iteration": {
    behavior: "Closing a subscription ends an iteration that waits, and what was not read is forgotten.",
    source: { decision: "ending-a-subscription" },
    strength: "decision",
    needs: ["session"],
  },
  "subscriptions:close:by-leaving-the-loop": {
    behavior: "Leaving a for-await loop closes the subscription, and so does the end of an await using block.",
    source: { decision: "ending-a-subscription" },
    strength: "decision",
    needs: ["session"],
  },
  "subscriptions:close:with-the-client": {
    behavior: "Closing the client ends the iteration of its subscriptions without an error.",
    source: { decision: "ending-a-subscription" },
    strength: "decision",
    needs: ["session"],
  },
  "subscriptions:listen:client:lost": {
    behavior: "When the connection is lost, iteration yields what was unread and then rejects with connection-closed.",
    source: { decision: "ending-a-subscription" },
    strength: "decision",
    over: SCRIPTED,
  },
  "subscriptions:bus:shared": {
    behavior: "Servers that share a change bus announce each other's changes to their clients.",
    source: { decision: "change-bus" },
    strength: "decision",
    needs: ["session"],
  },
  "subscriptions:bus:failure": {
    behavior:
      "A change that the bus fails to publish is reported to onError, and other changes are announced all the same.",
    source: { decision: "change-bus" },
    strength: "decision",
    needs: ["session"],
  },
  "subscriptions:bus:missed": {
    behavior: "A bus that has lost changes lets each client be notified of everything that it subscribed to.",
    source: { decision: "change-bus" },
    strength: "decision",
    needs: ["session"],
  },
  "subscriptions:listen:ack-first-stamped": {
    behavior:
      "The first message of a subscription acknowledges it, and every one carries the id of its listen request verbatim.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#acknowledgment",
    strength: "must",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "subscriptions:listen:per-stream-filter": {
    behavior: "A subscription is told of exactly the kinds and resources it asked for.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#opening-a-stream",
    strength: "must",
    since: "2026-07-28",
    needs: ["lockstep"],
  },
  "subscriptions:listen:honored-filter-narrows-to-advertised": {
    behavior: "The acknowledgment names what was asked for and is announced, and nothing else is delivered.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#acknowledgment",
    strength: "must",
    since: "2026-07-28",
  },
  "subscriptions:listen:none-without": {
    behavior: "A modern client that does not listen is sent no notification of any change.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#opening-a-stream",
    strength: "must",
    since: "2026-07-28",
  },
  "subscriptions:listen:invalid-filter": {
    behavior:
      "A listen request without a filter, or with a malformed one, is -32602 with the path and is not acknowledged.",
    source: { decision: "listen-limits" },
    strength: "decision",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "subscriptions:listen:capacity-guard": {
    behavior: "One listen request over maxListenStreams is 429 before any acknowledgment; the ones before go on.",
    source: { decision: "listen-limits" },
    strength: "decision",
    since: "2026-07-28",
  },
  "subscriptions:listen:capacity-freed": {
    behavior: "A subscription that ends, by whichever side or with its connection, makes room for another.",
    source: { decision: "listen-limits" },
    strength: "decision",
    since: "2026-07-28",
    needs: ["lockstep"],
  },
  "subscriptions:listen:too-many-resources": {
    behavior: "A listen request that names more than maxSubscribedResources resources is -32602.",
    source: { decision: "listen-limits" },
    strength: "decision",
    since: "2026-07-28",
  },
  "subscriptions:listen:graceful-close": {
    behavior:
      "A server that ends its subscriptions answers each listen request with a result that carries its id, as the last message of it.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#graceful-closure",
    strength: "should",
    since: "2026-07-28",
  },
  "subscriptions:listen:result-alone": {
    behavior: "A server that ends a subscription sends no cancellation beside the result.",
    source: { decision: "ending-a-listen" },
    strength: "decision",
    since: "2026-07-28",
  },
  "subscriptions:listen:client-cancels": {
    behavior:
      "Closing a subscription cancels its listen request; the server delivers nothing more and does not answer.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#behavior-requirements",
    strength: "should",
    since: "2026-07-28",
  },
  "tools:listen:list-changed": {
    behavior: "A change of the tools reaches a client that listens for it, tagged with its subscription.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#list-changed-notification",
    strength: "should",
    since: "2026-07-28",
  },
  "prompts:listen:list-changed": {
    behavior: "A change of the prompts reaches a client that listens for it, tagged with its subscription.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#list-changed-notification",
    strength: "should",
    since: "2026-07-28",
  },
  "resources:listen:list-changed": {
    behavior:
      "A change of the resources or templates reaches a client that listens for it, tagged with its subscription.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#list-changed-notification",
    strength: "should",
    since: "2026-07-28",
  },
  "subscriptions:listen:client:honored-surfacing": {
    behavior: "listen waits for the acknowledgment and shows what the server agreed to.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#acknowledgment",
    strength: "should",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "subscriptions:listen:client:concurrent-demux": {
    behavior:
      "Several subscriptions of one client each get what carries their own id, and what carries none of theirs reaches nobody.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#multiple-concurrent-subscriptions",
    strength: "stated",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "subscriptions:listen:client:graceful-close": {
    behavior: "A result of the listen request ends the iteration without an error, after what was unread.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#graceful-closure",
    strength: "stated",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "subscriptions:listen:client:cancelled": {
    behavior: "A cancellation of the listen request by the server ends the iteration without an error.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#cancellation",
    strength: "stated",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "subscriptions:listen:client:cancels-nothing-else": {
    behavior: "A server's cancellation of any other request of the client is ignored.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#error-handling",
    strength: "should",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "subscriptions:listen:client:refused": {
    behavior: "A listen request that the server refuses rejects listen with the server's error.",
    source: { decision: "listen-limits" },
    strength: "decision",
    since: "2026-07-28",
  },
  "subscriptions:listen:client:unacknowledged": {
    behavior: "A server that does not acknowledge in time is cancelled, and listen rejects with request-timeout.",
    source: { decision: "unacknowledged-listen" },
    strength: "decision",
    since: "2026-07-28",
  },
  "tools:list-changed": {
    behavior: "A change of the tools is announced to every legacy client.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#list-changed-notification",
    strength: "should",
    until: "2025-11-25",
    needs: ["session"],
  },
  "prompts:list-changed": {
    behavior: "A change of the prompts is announced to every legacy client.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/prompts#list-changed-notification",
    strength: "should",
    until: "2025-11-25",
    needs: ["session"],
  },
  "resources:list-changed": {
    behavior: "A change of the resources or templates is announced to every legacy client.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/resources#list-changed-notification",
    strength: "should",
    until: "2025-11-25",
    needs: ["session"],
  },
  "subscriptions:legacy:after-initialized": {
    behavior: "Nothing is announced before the client has said that it is initialized.",
    source: { decision: "legacy-announcements" },
    strength: "decision",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "subscriptions:legacy:announced-only": {
    behavior: "A legacy client is told of nothing that its handshake did not announce, whatever is registered later.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#operation",
    strength: "must",
    until: "2025-11-25",
    needs: ["session"],
  },
  "resources:subscribe": {
    behavior: "Subscribing to a resource is answered with an empty result.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions",
    strength: "stated",
    until: "2025-11-25",
    needs: ["session"],
  },
  "resources:subscribe:updated": {
    behavior: "An update goes to the connections that subscribed to the resource, and to no other.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions",
    strength: "stated",
    until: "2025-11-25",
    needs: ["session"],
  },
  "resources:subscribe:capability-required": {
    behavior:
      "A server that turned resources.subscribe off does not announce it and answers resources/subscribe with -32601.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/resources#capabilities",
    strength: "stated",
    until: "2025-11-25",
  },
  "resources:subscribe:not-served": {
    behavior:
      "A legacy server whose own handlers serve resources does not announce subscribing unless one serves that.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/resources#capabilities",
    strength: "stated",
    until: "2025-11-25",
    needs: ["session"],
  },
  "resources:subscribe:capacity-guard": {
    behavior: "One watched resource over maxSubscribedResources on a connection is 429; the ones before go on.",
    source: { decision: "listen-limits" },
    strength: "decision",
    until: "2025-11-25",
    needs: ["session"],
  },
  "resources:subscribe:once-per-client": {
    behavior:
      "Subscriptions of one client to the same resource ask the server once, and the last to close unsubscribes.",
    source: { decision: "watching-resources" },
    strength: "decision",
    until: "2025-11-25",
    needs: ["session"],
  },
  "resources:subscribe:refused": {
    behavior: "A refused resource rejects listen with the server's error, and those granted beside it are given back.",
    source: { decision: "watching-resources" },
    strength: "decision",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "resources:unsubscribe": {
    behavior: "Unsubscribing is answered with an empty result, also from what was never subscribed to.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions",
    strength: "stated",
    until: "2025-11-25",
    needs: ["session"],
  },
  "resources:unsubscribe:stops-updates": {
    behavior: "Updates stop once the resource is unsubscribed from; those of other resources go on.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions",
    strength: "stated",
    until: "2025-11-25",
    needs: ["session"],
  },
};
