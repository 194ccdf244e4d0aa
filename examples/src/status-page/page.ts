/** The page as text. All that is put into it is escaped: names and titles may come from clients. */
import { createHash } from "node:crypto";
import { type Addresses, recipes } from "./connecting.js";
import type { Offer } from "./offer.js";
import { SCRIPT } from "./page-script.js";
import { STYLE } from "./page-style.js";

/** Nothing but this style and this script, and no connection but to this server. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function renderPage(offer: Offer, addresses: Addresses): string {
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
</body>
</html>
`;
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
