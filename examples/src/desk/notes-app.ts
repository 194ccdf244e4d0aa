/** An app: show_notes shows the notes as a page in hosts that show pages, and as text everywhere else. */
import { serveApps } from "parley-mcp/apps";
import { z } from "zod";
import type { Desk } from "./desk.js";
import { NOTES_PAGE } from "./notes-page.js";

/** Characters of a note's text on the page. */
const MAX_EXCERPT = 160;

export function addNotesApp({ server, notebook }: Desk): void {
  const ui = serveApps(server);
  // Hosts find the page by its tool.
  const page = ui.page("ui://desk/notes", { name: "notes", html: NOTES_PAGE, prefersBorder: true, listed: false });
  ui.tool(
    "show_notes",
    {
      title: "Show the notes",
      description: "Shows all notes to the user, with a field for a new one",
      output: z.object({ notes: z.array(z.object({ id: z.string(), title: z.string(), text: z.string() })) }),
      annotations: { readOnlyHint: true },
      page,
    },
    () => {
      const notes = notebook.notes.map(({ id, title, text }) => ({ id, title, text: text.slice(0, MAX_EXCERPT) }));
      const text = notes.map(({ title }) => `- ${title}`).join("\n") || "There are no notes";
      return { content: [{ type: "text", text }], structuredContent: { notes } };
    },
  );
}
