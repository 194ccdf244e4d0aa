/** The apps extension: pages of tools on a server, reading them as a client, and showing them as a host. */
import { LOCAL, type Requirements } from "./requirement.js";

const page = "https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx";

export const apps: Requirements = {
  "apps:declaration": {
    behavior: "A server with apps declares io.modelcontextprotocol/ui.",
    source: { decision: "apps-declared-by-servers" },
    strength: "decision",
  },
  "apps:page:read": {
    behavior:
      "resources/read of a page has its URI, text/html;profile=mcp-app, the HTML as text, and its wishes in _meta.ui.",
    source: `${page}#content-requirements`,
    strength: "must",
  },
  "apps:page:refused": {
    behavior:
      "A page is refused at registration without a ui:// URI, an HTML document, origins in csp or known permissions.",
    source: `${page}#content-requirements`,
    strength: "must",
    over: LOCAL,
  },
  "apps:page:computed": {
    behavior: "A page whose HTML is a function is made anew for each read, and not sent if it is no HTML document.",
    source: `${page}#content-requirements`,
    strength: "must",
  },
  "apps:page:listed": {
    behavior:
      "A page is in resources/list with its MIME type, unless it has listed: false, and can be read either way.",
    source: `${page}#resource-discovery`,
    strength: "may",
  },
  "apps:tool:page": {
    behavior: "A tool with a page has its URI and its visibility in _meta.ui, beside its own _meta.",
    source: `${page}#resource-discovery`,
    strength: "stated",
  },
  "apps:tool:plain": {
    behavior: "A client without the extension lists and calls a tool with a page, and gets its content as text.",
    source: `${page}#server-behavior`,
    strength: "should",
  },
  "apps:tool:app-only": {
    behavior: "Only clients that declared the MIME type of pages see a tool for pages alone in lists.",
    source: { decision: "apps-hidden-tools" },
    strength: "decision",
    needs: ["session"],
  },
  "apps:tool:refused": {
    behavior: "A tool is refused with a visibility for nobody, an unknown one, or a _meta.ui of its own.",
    source: `${page}#visibility`,
    strength: "stated",
    over: LOCAL,
  },
  "apps:client:settings": {
    behavior: "A host declares the MIME types that it shows, and cannot declare the extension without them.",
    source: `${page}#client-server-capability-negotiation`,
    strength: "must",
    needs: ["session"],
  },
  "apps:client:read": {
    behavior:
      "readAppPage reads the page of a tool by resources/read, as text or blob, with its origins and permissions.",
    source: `${page}#resource-discovery`,
    strength: "must",
  },
  "apps:client:refused": {
    behavior:
      "readAppPage rejects a page of another scheme, MIME type or URI, one that is too large, and a tool without a page.",
    source: `${page}#content-requirements`,
    strength: "must",
  },
  "apps:client:visibility": {
    behavior: "A tool whose visibility lacks the model is not for the model, and one without a visibility is for both.",
    source: `${page}#visibility`,
    strength: "must",
  },
  "apps:policy": {
    behavior:
      "The policy of a page allows the origins that it declared and nothing else, without any if it declared none.",
    source: `${page}#sandbox-proxy`,
    strength: "must",
    over: LOCAL,
  },
  "apps:policy:wasm": {
    behavior: "A page that declared wasmUnsafeEval may compile WebAssembly, and no other page may.",
    source: `${page}#ui-resource-format`,
    strength: "stated",
  },
  "apps:sandbox-page": {
    behavior:
      "The sandbox page says that it is ready, loads the HTML under its policy, and passes on all messages but its own.",
    source: `${page}#sandbox-proxy`,
    strength: "must",
    over: LOCAL,
  },
  "apps:transport:peer": {
    behavior: "Messages of another window or origin are dropped, and messages go to the origin of the frame alone.",
    source: { decision: "apps-frames" },
    strength: "decision",
    over: LOCAL,
  },
  "apps:transport:malformed": {
    behavior:
      "A posted value that is no JSON-RPC message, too large, or contains itself is reported, and the page goes on.",
    source: `${page}#security-implications`,
    strength: "stated",
  },
  "apps:host:initialize": {
    behavior:
      "ui/initialize is answered with the revision, the host, its capabilities by its callbacks, and its context.",
    source: `${page}#host-context-in-mcpuiinitializeresult`,
    strength: "should",
  },
  "apps:host:initialize-first": {
    behavior: "A page that did not send ui/initialize is refused with -32600, and malformed params with -32602.",
    source: { decision: "apps-handshake" },
    strength: "decision",
  },
  "apps:host:silence": {
    behavior: "A host sends nothing to a page before its initialized notification, and then the input and the result.",
    source: `${page}#sandbox-proxy`,
    strength: "must",
  },
  "apps:host:second-document": {
    behavior:
      "A second document in the frame is refused: the host closes, reports it, and sends it no input and no result.",
    source: { decision: "apps-handshake" },
    strength: "decision",
  },
  "apps:host:initialize-again": {
    behavior:
      "A page that sends the same ui/initialize again before its initialized notification is answered again; with other params the host closes.",
    source: { decision: "apps-handshake" },
    strength: "decision",
  },
  "apps:host:initialize-loop": {
    behavior: "A page that sends the same ui/initialize without end is answered four times; then the host closes.",
    source: { decision: "apps-handshake" },
    strength: "decision",
  },
  "apps:host:run": {
    behavior:
      "run sends the input, calls the tool, and sends its result, or that it was cancelled if the call fails, as the only outcome.",
    source: `${page}#notifications-host-view`,
    strength: "must",
  },
  "apps:host:order": {
    behavior: "A host cannot send a second input, an outcome before the input, or a second outcome.",
    source: `${page}#notifications-host-view`,
    strength: "stated",
  },
  "apps:host:partial-input": {
    behavior: "Partial inputs are sent until the complete input, and not after it.",
    source: `${page}#notifications-host-view`,
    strength: "must",
  },
  "apps:host:tools": {
    behavior: "A page calls tools of its server that are visible to it; others are refused and never reach the server.",
    source: `${page}#visibility`,
    strength: "must",
    needs: ["session"],
  },
  "apps:host:resources": {
    behavior: "A page reads resources of its server, and gets the errors of the server with their code.",
    source: `${page}#standard-mcp-messages`,
    strength: "stated",
  },
  "apps:host:links": {
    behavior: "ui/open-link opens http, https and mailto URLs, and is answered -32000 for others and for a denied one.",
    source: `${page}#requests-view-host`,
    strength: "should",
  },
  "apps:host:messages": {
    behavior:
      "ui/message gives the host one content block or several with their role, and is answered -32000 if denied.",
    source: `${page}#requests-view-host`,
    strength: "should",
  },
  "apps:host:model-context": {
    behavior: "ui/update-model-context gives the host the context of the page.",
    source: `${page}#requests-view-host`,
    strength: "should",
  },
  "apps:host:display-mode": {
    behavior: "A display mode changes if both sides support it. The answer has the resulting mode in any case.",
    source: `${page}#display-modes`,
    strength: "must",
  },
  "apps:host:context": {
    behavior: "A changed context is sent to the page, except for a display mode that the page does not support.",
    source: `${page}#display-modes`,
    strength: "must",
  },
  "apps:host:size": {
    behavior: "A host hears of a changed size, up to the fixed and the maximum size of its container.",
    source: `${page}#container-dimensions`,
    strength: "must",
  },
  "apps:host:log": {
    behavior: "Log messages of a page reach the host.",
    source: `${page}#standard-mcp-messages`,
    strength: "stated",
  },
  "apps:host:approval": {
    behavior: "A host sees each request of a page before it is served, and can refuse it.",
    source: `${page}#sandbox-proxy`,
    strength: "may",
  },
  "apps:host:unknown": {
    behavior: "A page gets -32601 for an unknown method, an answer to ping, and nothing for an unknown notification.",
    source: `${page}#standard-mcp-messages`,
    strength: "stated",
  },
  "apps:host:teardown": {
    behavior:
      "A host asks an initialized page before it closes the connection, and waits for the answer, but not forever.",
    source: `${page}#notifications-host-view`,
    strength: "must",
  },
  "apps:host:sandbox": {
    behavior: "When the sandbox is ready, the host sends it the HTML with its policy and permissions, once.",
    source: `${page}#sandbox-proxy`,
    strength: "must",
  },
  "apps:host:bounded": {
    behavior: "Requests of a page in progress are limited, and the next one is refused.",
    source: { decision: "apps-frames" },
    strength: "decision",
  },
  "apps:host:reports": {
    behavior: "A page in a loop cannot flood onError: errors above a rate are left out, and the host reports so once.",
    source: { decision: "apps-frames" },
    strength: "decision",
  },
  "apps:host:rates": {
    behavior:
      "A page that sends requests of a method faster than its rate gets 429, and the host does nothing. Log messages above their rate are dropped and reported once.",
    source: { decision: "apps-frames" },
    strength: "decision",
  },
};
