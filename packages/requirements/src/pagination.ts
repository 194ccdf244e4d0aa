/** Cursors: what a server hands out and what a client does with them. */
import { LOCAL, type Requirements, SCRIPTED } from "./requirement.js";

export const pagination: Requirements = {
  "pagination:exhaustion": {
    behavior: "Walking the cursors yields each item once, and the last page has no cursor.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#response-format",
    strength: "stated",
  },
  "pagination:page-size": {
    behavior: "The server's page-size option bounds every page of every list; a list that fits is one page.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#pagination-model",
    strength: "may",
  },
  "pagination:stable-cursor": {
    behavior: "Items registered or removed between two pages neither repeat nor hide another one.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#implementation-guidelines",
    strength: "should",
  },
  "pagination:invalid-cursor": {
    behavior: "A cursor that the server never handed out, or handed out for another list, is answered -32602.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#error-handling",
    strength: "should",
  },
  "pagination:client:starts-over": {
    behavior: "A walk whose cursor is refused starts over once and yields each item once; a second refusal rejects.",
    source: { decision: "lost-cursors" },
    strength: "decision",
  },
  "pagination:client:iteration": {
    behavior:
      "Iterating over a list on the client walks all pages, asks for each when needed, and stops when left early.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#implementation-guidelines",
    strength: "should",
  },
  "pagination:client:cursor-handling": {
    behavior: "A client sends back each cursor exactly as it came, whatever it looks like.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#implementation-guidelines",
    strength: "must",
    over: SCRIPTED,
  },
  "pagination:client:empty-cursor": {
    behavior: "An empty string is a cursor like any other: the client asks for the page it names.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#implementation-guidelines",
    strength: "must",
    over: SCRIPTED,
  },
  "pagination:client:page-cap": {
    behavior: "A list that never ends is given up as too-many-pages after the client's page limit.",
    source: { decision: "bounded-by-default" },
    strength: "decision",
    over: SCRIPTED,
  },
  "pagination:client:repeated-cursor": {
    behavior: "A page whose nextCursor is its own cursor ends the reading of a list with invalid-result.",
    source: { decision: "bounded-by-default" },
    strength: "decision",
    over: SCRIPTED,
  },
  "pagination:hidden:served": {
    behavior:
      "A tool, resource, template or prompt with listed: false is on no page of its list, and is served when a client names it.",
    source: { decision: "hidden-items" },
    strength: "decision",
  },
  "pagination:hidden:by-request": {
    behavior:
      "A listed function decides for each request whether an item is on a page; items are hidden unless it returns true.",
    source: { decision: "hidden-items" },
    strength: "decision",
  },
  "pagination:hidden:private": {
    behavior: "Pages of a list that a listed function decides about are private, whatever the server's cache hint is.",
    source: { decision: "hidden-items" },
    strength: "decision",
    since: "2026-07-28",
  },
  "pagination:hidden:not-announced": {
    behavior: "Registering or removing an item with listed: false announces no change of its list.",
    source: { decision: "hidden-items" },
    strength: "decision",
    needs: ["session"],
  },
  "pagination:hidden:checked": {
    behavior: "A listed that is neither a boolean nor a function is refused when it is registered.",
    source: { decision: "hidden-items" },
    strength: "decision",
    over: LOCAL,
  },
};
