/** Conversation starters: with suggestions for their arguments, and with notes embedded. */
import type { PromptMessage } from "parley-mcp/types";
import { z } from "zod";
import { asMarkdown, type Desk, noteUri, startingWith } from "./desk.js";
import type { Note } from "./notebook.js";

const TONES = ["friendly", "formal", "plain", "playful"];

export function addDeskPrompts(desk: Desk): void {
  const { server, notebook } = desk;
  const noteIds = () => notebook.notes.map(({ id }) => id);

  server.prompt(
    "plan_day",
    {
      title: "Plan my day",
      description: "A plan for the hours there are, around one focus",
      input: z.object({
        focus: z.string().describe("What matters most today"),
        hours: z.string().default("8").describe("How many hours there are"),
      }),
      complete: {
        focus: (typed) => startingWith(typed, new Set(notebook.notes.flatMap(({ tags }) => tags))),
        hours: (typed) => startingWith(typed, ["2", "4", "6", "8"]),
      },
    },
    ({ focus, hours }) =>
      `Plan ${hours} hours for me around ${focus}. Look at my notes with find_notes first, and leave room for breaks.`,
  );

  server.prompt(
    "rewrite_note",
    {
      title: "Rewrite a note",
      description: "The same note in another tone",
      input: z.object({
        note: z.string().describe("The id of a note"),
        tone: z.string().describe("How it should sound"),
      }),
      complete: {
        note: (typed) => startingWith(typed, noteIds()),
        tone: (typed) => startingWith(typed, TONES),
      },
    },
    ({ note, tone }): PromptMessage[] => {
      const found = notebook.get(note);
      const request = text(`Rewrite the note "${note}" so that it sounds ${tone}, then keep it with edit_note.`);
      return found ? [embedded(found), request] : [request];
    },
  );

  server.prompt(
    "weekly_review",
    { title: "Weekly review", description: "All notes at once, and the question what to do about them" },
    () => [...notebook.notes.map(embedded), text("What of this is done, what is next, and what can go?")],
  );
}

function text(words: string): PromptMessage {
  return { role: "user", content: { type: "text", text: words } };
}

function embedded(note: Note): PromptMessage {
  const resource = { uri: noteUri(note.id), mimeType: "text/markdown", text: asMarkdown(note) };
  return { role: "user", content: { type: "resource", resource } };
}
