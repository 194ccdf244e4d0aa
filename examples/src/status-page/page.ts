/** The page as text. All that is put into it is escaped: names and titles may come from clients. */
import { createHash } from "node:crypto";
import { APP_SCRIPT } from "./app-script.js";
import { type Addresses, recipes } from "./connecting.js";
import type { Offer } from "./offer.js";
import { SCRIPT } from "./page-script.js";
import { STYLE } from "./page-style.js";
import { IMPORT_MAP } from "./sdk-modules.js";
import { TASK_SCRIPT } from "./task-script.js";

/** How the page shows the app and the long-running tool of the server. */
export interface AppView {
  /** The origin of the sandbox page. */
  readonly sandbox: string;
  /** The revision to speak. @defaultValue the newest one that both sides have */
  readonly revision?: string | undefined;
  /** The tool that the page runs as a task, and which takes seconds. @defaultValue none */
  readonly longTool?: string | undefined;
}

const SCRIPT_HASHES = [SCRIPT, IMPORT_MAP, APP_SCRIPT, TASK_SCRIPT].map(hashOf).join(" ");

/** Nothing but this style, these scripts and their modules, no connection but to this server, and no frame but the sandbox. */
export function contentSecurityPolicy(app: AppView | undefined): string {
  return [
    "default-src 'none'",
    `style-src ${hashOf(STYLE)}`,
    `script-src ${SCRIPT_HASHES} 'self'`,
    "connect-src 'self'",
    `frame-src ${app?.sandbox ?? "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Without `app`, the page says where the app can be seen. */
export function renderPage(offer: Offer, addresses: Addresses, app: AppView | undefined): string {
  const name = escaped(offer.name);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}: an MCP server</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${name}</h1>
<p class="soft">An example server for the Model Context Protocol, made with Parley. It listens at</p>
<code class="address">${escaped(addresses.url)}</code>
<p class="soft">and speaks ${escaped(offer.revisions.join(", "))}. What is written here is gone when it stops.</p>
</header>
<main>
<section aria-labelledby="app">
<h2 id="app">Its app</h2>
${app ? appView(app, addresses) : APP_BEHIND_LOGIN}
</section>
${app?.longTool === undefined ? "" : taskView(app.longTool, addresses)}
<section aria-labelledby="requests">
<div class="live">
<h2 id="requests">Requests</h2>
<p class="soft" id="state" role="status">Shown here as they come, in a browser with JavaScript</p>
</div>
<ul id="open" aria-label="Being served right now"></ul>
<div class="rows" tabindex="0" role="region" aria-labelledby="requests">
<table>
<thead><tr><th class="time">Time</th><th>Era</th><th>Request</th><th>Status</th><th class="number">Took</th></tr></thead>
<tbody id="rows"></tbody>
</table>
</div>
</section>
<section aria-labelledby="connect">
<h2 id="connect">Connect</h2>
<div class="cards wide">${recipes(addresses).map(recipeCard).join("")}</div>
</section>
<section aria-labelledby="offer">
<h2 id="offer">What it offers</h2>
<div class="cards">
${offerCard("Tools", offer.tools)}
${offerCard("Resources", offer.resources)}
${offerCard("Prompts", offer.prompts)}
</div>
</section>
</main>
<script>${SCRIPT}</script>
${app ? `<script type="importmap">${IMPORT_MAP}</script>\n<script type="module">${APP_SCRIPT}</script>` : ""}
${app?.longTool === undefined ? "" : `<script type="module">${TASK_SCRIPT}</script>`}
</body>
</html>
`;
}

const APP_BEHIND_LOGIN = `<div class="card" id="app-login">
<p>The tool show_notes has a page. Clients log in to this server, and this page does not. To see the app:</p>
<ul>
<li>connect a client that shows apps, such as Claude or VS Code, as below, and ask it to show the notes; or</li>
<li>start the server without a login, by <code>npm start</code>, and open this page again.</li>
</ul>
</div>`;

/** The script fills it in. */
function appView({ sandbox, revision }: AppView, { url }: Addresses): string {
  const workers =
    "Several processes serve this desk, each with notes of its own. This page stays with one of them by a session of 2025-11-25.";
  return `<div class="app" id="app-view" data-endpoint="${escaped(new URL(url).pathname)}" data-sandbox="${escaped(sandbox)}" data-revision="${escaped(revision ?? "")}">
<div class="app-host">
<div id="app-frame"></div>
<div id="app-question" role="alert" hidden>
<p id="app-question-text"></p>
<button id="app-allow" class="main">Allow</button>
<button id="app-refuse">Refuse</button>
</div>
</div>
<aside class="app-about">
<p class="soft" id="app-state" role="status">Shown here in a browser with JavaScript</p>
<p class="soft">This page is a small host: its client called the tool, and the frame is a sandbox of another origin. Calls of the app that change something ask you first.${revision === undefined ? "" : ` ${workers}`}</p>
<button id="app-again">Call it again</button>
<h3>The same result for clients without apps</h3>
<pre id="app-text" tabindex="0"></pre>
</aside>
</div>`;
}

/** The script fills it in. */
function taskView(tool: string, { url }: Addresses): string {
  return `<section aria-labelledby="task">
<h2 id="task">Its long-running tool</h2>
<div class="card" id="task-view" data-endpoint="${escaped(new URL(url).pathname)}" data-tool="${escaped(tool)}">
<div class="task-run">
<label>${escaped(tool)} for <input id="task-seconds" type="number" min="1" max="3600" value="25"> seconds</label>
<button id="task-start" class="main" disabled>Start</button>
<button id="task-cancel" disabled>Cancel</button>
</div>
<progress id="task-progress" max="1" value="0" aria-label="Progress of the task"></progress>
<p id="task-state" role="status">Not started. It runs here in a browser with JavaScript</p>
<p class="soft">The server answers the call at once with a task, and goes on by itself. This page follows the task: its requests are in the table below. Load the page again meanwhile, and it finds the task by its id.</p>
</div>
</section>`;
}

function recipeCard({ client, where, text }: ReturnType<typeof recipes>[number]): string {
  return `<article class="card"><h3>${escaped(client)}</h3><p class="soft">${escaped(where)}</p>
<pre tabindex="0">${escaped(text)}</pre></article>`;
}

function offerCard(title: string, offered: Offer["tools"]): string {
  const items = offered.map(({ name, description }) => `<dt>${escaped(name)}</dt><dd>${escaped(description)}</dd>`);
  return `<article class="card"><h3>${title} (${offered.length})</h3><dl>${items.join("")}</dl></article>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
