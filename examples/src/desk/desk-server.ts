/** The server that `npm start` runs: a desk with notes and small tools, using most of what a server can do. */
import type { McpServer } from "parley-mcp/server";
import { Desk, type DeskOptions } from "./desk.js";
import { addDeskPrompts } from "./desk-prompts.js";
import { addDeskResources, tick } from "./desk-resources.js";
import { addEverydayTools } from "./everyday-tools.js";
import { addNoteTools } from "./note-tools.js";
import { addNotesApp } from "./notes-app.js";

const TICK_MS = 3_000;

export interface DeskServer {
  readonly server: McpServer;
  /** Stops the clock. */
  stop(): void;
}

export function createDeskServer(
  options: { readonly tickMs?: number; readonly shared?: DeskOptions | undefined } = {},
): DeskServer {
  const desk = new Desk(options.shared);
  addNoteTools(desk);
  addNotesApp(desk);
  addEverydayTools(desk);
  addDeskResources(desk);
  addDeskPrompts(desk);
  desk.addNote("Welcome", "This is a note. Ask for another one, or change this one with edit_note.", ["start"]);
  desk.addNote("Groceries", "Milk. Bread. Ten tomatoes.", ["home", "food"]);
  desk.addNote("Garden", "Water the beds on Monday. Order seeds before spring.", ["home", "plants"]);
  // A desk that nobody serves any more must not keep the process alive.
  const clock = setInterval(() => tick(desk), options.tickMs ?? TICK_MS).unref();
  return { server: desk.server, stop: () => clearInterval(clock) };
}
