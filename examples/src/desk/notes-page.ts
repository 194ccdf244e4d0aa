/** The page of show_notes: a list, a field for a new note, and a button that archives one. Everything of a note reaches the page as text. */

const STYLE = `
:root { --ink: #1c2320; --soft: #59635e; --line: #e3e6df; --accent: #14684c; --accent-ink: #fff; --field: #fff; --bad: #a4262c; }
:root.dark {
  color-scheme: dark;
  --ink: #e8ece9; --soft: #a3aea8; --line: #333c37; --accent: #6fd3ab; --accent-ink: #10201a; --field: #131816; --bad: #ff9a9a;
}
* { box-sizing: border-box; }
html { background: transparent; }
body { margin: 0; padding: 16px 18px 18px; font: 15px/1.45 system-ui, sans-serif; color: var(--ink); }
header { display: flex; justify-content: space-between; align-items: baseline; margin: 0 0 6px; }
h1 { margin: 0; font-size: 1.1em; }
#count, .text { color: var(--soft); font-size: 0.87em; }
ul { margin: 0 0 14px; padding: 0; list-style: none; }
li { display: flex; gap: 12px; align-items: center; padding: 9px 0; border-bottom: 1px solid var(--line); }
li div { flex: 1; min-width: 0; overflow-wrap: anywhere; }
.title { font-weight: 600; }
.text { display: block; }
#new { display: flex; gap: 8px; }
input { flex: 1; min-width: 0; font: inherit; padding: 7px 10px; border: 1px solid var(--line); border-radius: 7px; background: var(--field); color: inherit; }
button { font: inherit; padding: 7px 14px; border: 1px solid var(--accent); border-radius: 7px; background: var(--accent); color: var(--accent-ink); cursor: pointer; }
li button { padding: 2px 9px; font-size: 0.84em; background: transparent; color: var(--accent); }
button:disabled { opacity: 0.5; cursor: default; }
#problem { margin: 10px 0 0; color: var(--bad); font-size: 0.87em; }
#problem:empty { display: none; }
`;

const SCRIPT = `
"use strict";
const answers = new Map();
const byId = (id) => document.getElementById(id);
const field = document.querySelector("input");
let lastId = 0;
let height = 0;

function post(message) {
  parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function request(method, params) {
  lastId += 1;
  const id = lastId;
  post({ id, method, params });
  return new Promise((resolve, reject) => answers.set(id, { resolve, reject })).finally(() => answers.delete(id));
}

/** The result of a tool. Rejects with what the host, the server or the tool says. */
async function call(name, args) {
  const result = await request("tools/call", { name, arguments: args });
  if (result.isError) throw new Error(result.content[0]?.text ?? name + " failed");
  return result;
}

function element(name, className, text) {
  return Object.assign(document.createElement(name), { className, textContent: text });
}

function itemOf({ id, title, text }) {
  const item = document.createElement("li");
  const words = document.createElement("div");
  words.append(element("span", "title", title));
  if (text !== title) words.append(element("span", "text", text));
  const archive = element("button", "", "Archive");
  archive.setAttribute("aria-label", "Archive " + title);
  archive.addEventListener("click", () => change("archive_note", { id }));
  item.append(words, archive);
  return item;
}

function show({ notes }) {
  document.querySelector("ul").replaceChildren(...notes.map(itemOf));
  byId("count").textContent = notes.length === 1 ? "1 note" : notes.length + " notes";
}

/** Calls a tool that changes the notes, and shows them again. */
async function change(name, args) {
  const buttons = document.querySelectorAll("button");
  for (const button of buttons) button.disabled = true;
  byId("problem").textContent = "";
  try {
    await call(name, args);
    show((await call("show_notes", {})).structuredContent);
    return true;
  } catch (error) {
    byId("problem").textContent = error.message;
    return false;
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

// No form: the sandbox of the frame keeps forms from being sent.
async function addNote() {
  const title = field.value.trim();
  if (title !== "" && (await change("add_note", { title, text: title }))) field.value = "";
}

function adapt({ theme }) {
  if (theme !== undefined) document.documentElement.classList.toggle("dark", theme === "dark");
}

addEventListener("message", ({ data, source }) => {
  if (source !== parent) return;
  if (data.method === undefined) {
    if (data.error) answers.get(data.id)?.reject(new Error(data.error.message));
    else answers.get(data.id)?.resolve(data.result);
  } else if (data.method === "ui/notifications/tool-result") show(data.params.structuredContent);
  else if (data.method === "ui/notifications/host-context-changed") adapt(data.params);
  else if (data.method === "ui/resource-teardown") post({ id: data.id, result: {} });
});
byId("add").addEventListener("click", addNote);
field.addEventListener("keydown", ({ key }) => key === "Enter" && addNote());

const appInfo = { name: "desk-notes", version: "1.0.0" };
request("ui/initialize", { appInfo, appCapabilities: {}, protocolVersion: "2026-01-26" }).then(({ hostContext = {} }) => {
  adapt(hostContext);
  post({ method: "ui/notifications/initialized" });
  new ResizeObserver(() => {
    const wanted = Math.ceil(document.body.getBoundingClientRect().height);
    if (wanted === height) return;
    height = wanted;
    post({ method: "ui/notifications/size-changed", params: { height } });
  }).observe(document.body);
});
`;

export const NOTES_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Notes</title>
<style>${STYLE}</style>
<header><h1>Notes on the desk</h1><span id="count">Waiting for the notes</span></header>
<ul></ul>
<div id="new"><input aria-label="Title of a new note" placeholder="A new note" maxlength="120"> <button id="add">Add</button></div>
<p id="problem" role="alert"></p>
<script>${SCRIPT}</script>
</html>
`;
