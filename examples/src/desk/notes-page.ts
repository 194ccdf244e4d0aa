/** The page of show_notes: the notes as a list, and a field for a new one. Everything of a note reaches the page as text. */

const STYLE = `
body { margin: 0; padding: 12px; font: 15px/1.5 system-ui, sans-serif; color: #1c2320; background: #fbfaf7; }
body.dark { color: #e8ece9; background: #131816; }
h1 { margin: 0 0 8px; font-size: 1.1em; }
ul { margin: 0 0 12px; padding: 0; list-style: none; }
li { padding: 6px 0; border-bottom: 1px solid #8884; }
input, button { font: inherit; padding: 4px 8px; }
`;

const SCRIPT = `
"use strict";
const answers = new Map();
const list = document.querySelector("ul");
const field = document.querySelector("input");
let lastId = 0;

function post(message) {
  parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function request(method, params) {
  lastId += 1;
  post({ id: lastId, method, params });
  return new Promise((resolve) => answers.set(lastId, resolve));
}

function show({ notes }) {
  list.replaceChildren(...notes.map(({ title }) => Object.assign(document.createElement("li"), { textContent: title })));
  post({ method: "ui/notifications/size-changed", params: { height: document.documentElement.offsetHeight } });
}

async function addNote() {
  const title = field.value.trim();
  if (title === "") return;
  field.value = "";
  await request("tools/call", { name: "add_note", arguments: { title, text: title } });
  const { result } = await request("tools/call", { name: "show_notes", arguments: {} });
  if (result) show(result.structuredContent);
}

addEventListener("message", ({ data, source }) => {
  if (source !== parent) return;
  if (data.method === undefined) answers.get(data.id)?.(data);
  else if (data.method === "ui/notifications/tool-result") show(data.params.structuredContent);
  else if (data.method === "ui/resource-teardown") post({ id: data.id, result: {} });
});
document.querySelector("button").addEventListener("click", addNote);

const appInfo = { name: "desk-notes", version: "1.0.0" };
request("ui/initialize", { appInfo, appCapabilities: {}, protocolVersion: "2026-01-26" }).then(({ result }) => {
  document.body.classList.toggle("dark", result.hostContext.theme === "dark");
  post({ method: "ui/notifications/initialized" });
});
`;

export const NOTES_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Notes</title>
<style>${STYLE}</style>
<h1>Notes on the desk</h1>
<ul></ul>
<input aria-label="Title of a new note" maxlength="120"> <button>Add</button>
<script>${SCRIPT}</script>
</html>
`;
