/** The page: the replicas with a button each, and who served the last calls. */
import { createHash } from "node:crypto";

const STYLE = `
:root { color-scheme: light dark; --a: #14684c; --b: #8a4b08; --c: #3b4ea8; --bad: #a4262c; }
@media (prefers-color-scheme: dark) { :root { --a: #6fd3ab; --b: #f0b35e; --c: #9fb0ff; --bad: #ff9a9a; } }
body { margin: 0 auto; padding: 2rem 1.25rem; max-width: 48rem; font: 16px/1.5 system-ui, sans-serif; }
#replicas { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: 1rem; padding: 0; list-style: none; }
#replicas li { border: 2px solid; border-radius: 0.6rem; padding: 0.8rem 1rem; }
#replicas li.down { opacity: 0.5; border-style: dashed; }
.a { color: var(--a); } .b { color: var(--b); } .c { color: var(--c); } .bad { color: var(--bad); }
table { width: 100%; border-collapse: collapse; }
td, th { text-align: left; padding: 0.15rem 0.5rem; }
button { font: inherit; padding: 0.2rem 0.8rem; }
`;

/** Texts reach the page as text and never as markup. */
const SCRIPT = `
"use strict";
const NAMES = ["a", "b", "c"];
function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}
function replicaOf({ name, pid, served }) {
  const item = element("li", pid ? name : name + " down", "");
  const button = element("button", "", pid ? "Kill" : "Start");
  button.id = "button-" + name;
  button.onclick = () => fetch((pid ? "kill/" : "start/") + name, { method: "POST" }).then(refresh);
  item.append(element("strong", "", "Replica " + name), element("p", "", pid ? "process " + pid : "not running"),
    element("p", "served", served + " calls"), button);
  return item;
}
function rowOf({ at, era, outcome, ms }) {
  const row = document.createElement("tr");
  row.append(element("td", "", new Date(at).toLocaleTimeString()), element("td", "", era),
    element("td", NAMES.includes(outcome) ? outcome : "bad", outcome), element("td", "", ms + " ms"));
  return row;
}
let shown = "";
async function refresh() {
  const state = await (await fetch("state")).json();
  const replicas = JSON.stringify(state.replicas.map(({ name, pid }) => [name, pid]));
  const list = document.getElementById("replicas");
  // A button that is made anew under the pointer would lose its click.
  if (replicas !== shown) list.replaceChildren(...state.replicas.map(replicaOf));
  else state.replicas.forEach(({ served }, index) => {
    list.children[index].querySelector(".served").textContent = served + " calls";
  });
  shown = replicas;
  document.getElementById("calls").replaceChildren(...state.calls.map(rowOf));
}
setInterval(() => refresh().catch(() => undefined), 300);
refresh();
`;

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

export const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

/** `url` is our own. */
export function renderPage(url: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Replicas</title><style>${STYLE}</style></head>
<body>
<h1>Three replicas, one server</h1>
<p>Clients connect to <code>${url}</code>. HAProxy passes each request to the next replica. Their state is in Redis.</p>
<ul id="replicas"></ul>
<h2>Who served what</h2>
<table><thead><tr><th>Time</th><th>Era</th><th>Served by</th><th>Took</th></tr></thead><tbody id="calls"></tbody></table>
<script>${SCRIPT}</script>
</body>
</html>
`;
}
