/**
 * The sandbox page: the document between a host and a page. A web host serves it from an origin of its own, in a frame with
 * `sandbox="allow-scripts allow-same-origin"`. It loads the page into an inner frame under the page's policy, and passes messages on.
 */

import { DIRECTIVES, FEATURES, joinDirectives, joinFeatures, ORIGIN } from "./page-policy.js";
import { checkOrigin } from "./post-message-transport.js";

/**
 * The HTML of the sandbox page for the host at `hostOrigin`.
 * @throws {SdkError} `invalid-argument` for an origin that is none.
 *
 * @example
 * const html = sandboxPage("https://chat.example");
 */
export function sandboxPage(hostOrigin: string): string {
  checkOrigin("hostOrigin", hostOrigin);
  const values = { HOST: hostOrigin, DIRECTIVES, FEATURES, ORIGIN: ORIGIN.source };
  // A script ends at the first "</script", even inside a text.
  const constants = JSON.stringify(values).replaceAll("<", "\\u003c");
  return `<!doctype html>
<meta charset="utf-8">
<title>Sandbox</title>
<style>html, body, iframe { margin: 0; width: 100%; height: 100%; border: 0; display: block; }</style>
<body>
<script>
"use strict";
const { HOST, DIRECTIVES, FEATURES, ORIGIN } = ${constants};
const joinDirectives = ${joinDirectives};
const joinFeatures = ${joinFeatures};
${SCRIPT}
</script>
`;
}

/** Runs in the browser, which is why it is a text. */
const SCRIPT = `const isOwn = (message) => String(message?.method).startsWith("ui/notifications/sandbox-");
let view;

function show({ html, sandbox = "allow-scripts", csp = {}, permissions = {} }) {
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = joinDirectives(csp, DIRECTIVES, new RegExp(ORIGIN, "i"));
  // Here too: the policy of this document decides where the inner frame may navigate.
  document.head.append(policy);
  view = document.createElement("iframe");
  view.setAttribute("sandbox", sandbox);
  view.allow = joinFeatures(permissions, FEATURES);
  view.srcdoc = "<!doctype html>" + policy.outerHTML + html;
  // A second document would get the messages for the page. The host sees this frame load again, and closes.
  view.addEventListener("load", () => view.addEventListener("load", () => location.replace("about:blank")), { once: true });
  document.body.append(view);
}

addEventListener("message", ({ data, origin, source }) => {
  if (source === parent && origin === HOST) {
    if (!isOwn(data)) view?.contentWindow.postMessage(data, "*");
    else if (view === undefined && data.method === "ui/notifications/sandbox-resource-ready") show(data.params);
  } else if (view !== undefined && source === view.contentWindow && !isOwn(data)) {
    parent.postMessage(data, HOST);
  }
});
parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, HOST);`;
