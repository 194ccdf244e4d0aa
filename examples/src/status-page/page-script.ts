/**
 * What keeps the page up to date. It runs in the browser, which is why it is a text here. Everything in an update may
 * come from a stranger, so it reaches the page as text and never as markup.
 */
export const SCRIPT = `
"use strict";
const MAX_ROWS = 50;
const rows = document.getElementById("rows");
const open = document.getElementById("open");
const state = document.getElementById("state");

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function rowOf(entry) {
  const row = document.createElement("tr");
  const request = element("td", "request", entry.request);
  if (entry.name) request.append(" ", element("span", "name", entry.name));
  row.append(
    element("td", "time", new Date(entry.at).toLocaleTimeString()),
    element("td", entry.era, entry.era || "none"),
    request,
    element("td", /^2/.test(entry.status) ? "status" : "status bad", entry.status),
    element("td", "number", entry.ms + " ms"),
  );
  return row;
}

const updates = new EventSource("events");

updates.onmessage = (event) => {
  const update = JSON.parse(event.data);
  if (update.isFirst) rows.replaceChildren();
  rows.prepend(...update.ended.map(rowOf).reverse());
  while (rows.children.length > MAX_ROWS) rows.lastElementChild.remove();
  open.replaceChildren(...update.open.map((text) => element("li", "", text)));
  state.textContent = update.total === 0
    ? "Waiting for the first request"
    : update.total + (update.total === 1 ? " request served" : " requests served");
};

updates.onerror = () => {
  open.replaceChildren();
  state.textContent = "The server is not there; this page will try again";
};
`;
