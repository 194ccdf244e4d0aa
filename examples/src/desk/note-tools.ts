/** Tools that work on notes: structured output, resource links, sampling, a form, and a list of tools that changes. */
import type { ItemRegistration } from "parley-mcp/server";
import { ToolError } from "parley-mcp/server";
import type { ContentBlock } from "parley-mcp/types";
import { z } from "zod";
import { asMarkdown, type Desk, noteUri } from "./desk.js";
import { MAX_TEXT, MAX_TITLE, type Note } from "./notebook.js";

const id = z.string().max(60).describe("The id of a note, as find_notes tells it");
const text = z.string().max(MAX_TEXT);
const noteShape = z.object({ id: z.string(), title: z.string(), uri: z.string(), tags: z.array(z.string()) });

export function addNoteTools(desk: Desk): void {
  const { server, notebook } = desk;

  server.tool(
    "add_note",
    {
      title: "Add a note",
      description: "Writes a note and tells the id and URI it is kept under",
      input: z.object({
        title: z.string().trim().min(1).max(MAX_TITLE),
        text: text.describe("Markdown"),
        tags: z.array(z.string().max(30)).max(8).default([]),
      }),
      output: noteShape,
      annotations: { destructiveHint: false },
    },
    ({ title, text, tags }, context) => {
      const note = desk.addNote(title, text, tags);
      context.log.info({ added: note.id }, "notes");
      return describe(note);
    },
  );

  server.tool(
    "edit_note",
    {
      title: "Edit a note",
      description: "Replaces the text of a note, or adds to its end",
      input: z.object({ id, text, append: z.boolean().default(false) }),
      annotations: { idempotentHint: false },
    },
    (args, context) => {
      const note = desk.requireNote(args.id);
      const changed = args.append ? `${note.text}\n${args.text}` : args.text;
      if (changed.length > MAX_TEXT) throw new ToolError(`A note has at most ${MAX_TEXT} characters`);
      notebook.replaceText(note, changed);
      server.announce.resourceUpdated(noteUri(note.id));
      context.log.info({ edited: note.id }, "notes");
      return `${note.id} has ${changed.length} characters now`;
    },
  );

  server.tool(
    "find_notes",
    {
      title: "Find notes",
      description: "Notes that hold every word of the query; all of them without one",
      input: z.object({ query: z.string().max(200).default(""), limit: z.number().int().min(1).max(50).default(10) }),
      output: z.object({ found: z.number(), notes: z.array(noteShape) }),
      annotations: { readOnlyHint: true },
    },
    ({ query, limit }) => {
      const found = notebook.find(query);
      const notes = found.slice(0, limit);
      const links = notes.map(
        (note): ContentBlock => ({
          type: "resource_link",
          uri: noteUri(note.id),
          name: note.id,
          title: note.title,
          mimeType: "text/markdown",
        }),
      );
      const summary: ContentBlock = { type: "text", text: `${found.length} found, ${notes.length} listed` };
      return {
        content: [summary, ...links],
        structuredContent: { found: found.length, notes: notes.map(describe) },
      };
    },
  );

  server.tool(
    "summarize_note",
    {
      title: "Summarize a note",
      description: "In one sentence: by the client's model where it lends one, else the note's first sentence",
      input: z.object({ id }),
      annotations: { readOnlyHint: true },
    },
    async (args, context) => {
      const note = desk.requireNote(args.id);
      if (!context.clientCapabilities.sampling) return /^[^.!?\n]*[.!?]?/.exec(note.text)?.[0] || note.title;
      const request = `Summarize this note in one sentence:\n\n${asMarkdown(note)}`;
      const { content } = await context.sample({
        messages: [{ role: "user", content: { type: "text", text: request } }],
        maxTokens: 120,
      });
      const [first] = Array.isArray(content) ? content : [content];
      return first?.type === "text" ? first.text : note.title;
    },
  );

  server.tool(
    "plan_meeting",
    {
      title: "Plan a meeting",
      description: "Asks the user when and how long, then writes a note about the meeting",
      input: z.object({ topic: z.string().trim().min(1).max(MAX_TITLE) }),
      annotations: { destructiveHint: false },
    },
    async ({ topic }, context) => {
      const { action, content } = await context.elicit({
        message: `When is the meeting about ${topic}?`,
        schema: z.object({
          day: z.iso.date().describe("The day"),
          minutes: z.number().int().min(5).max(480).default(30).describe("How long, in minutes"),
          place: z.enum(["office", "call", "walk"]).default("call").describe("Where"),
        }),
      });
      if (action !== "accept") return "No meeting was planned";
      const plan = `${content.day}, ${content.minutes} minutes, ${content.place}`;
      const note = desk.addNote(`Meeting: ${topic}`.slice(0, MAX_TITLE), plan, ["meeting"]);
      return `Planned: ${plan}. The note is ${note.id}`;
    },
  );

  server.tool(
    "archive_note",
    {
      title: "Archive a note",
      description: "Takes a note off the desk; while the archive holds any, there is restore_note",
      input: z.object({ id }),
      annotations: { destructiveHint: false },
    },
    (args) => {
      const note = desk.requireNote(args.id);
      desk.unlist(note);
      notebook.archive(note);
      offerArchive();
      return `${note.id} is in the archive`;
    },
  );

  /** The tools that make sense only while the archive holds something. Clients hear that the list has changed. */
  let archiveTools: ItemRegistration[] = [];

  function offerArchive(): void {
    if (archiveTools.length > 0) return;
    const restore = server.tool(
      "restore_note",
      { title: "Restore a note", description: "Puts an archived note back on the desk", input: z.object({ id }) },
      (args) => {
        const note = notebook.restore(args.id);
        if (!note) throw new ToolError(`The archive holds: ${notebook.archived.map((each) => each.id).join(", ")}`);
        desk.list(note);
        withdrawArchive();
        return `${note.id} is back`;
      },
    );
    const empty = server.tool(
      "empty_archive",
      {
        title: "Empty the archive",
        description: "Throws the archived notes away for good, if the user agrees",
        annotations: { destructiveHint: true },
      },
      async (_args, context) => {
        const { action, content } = await context.elicit({
          message: `Throw away ${notebook.archived.map((each) => each.id).join(", ")}? This cannot be undone.`,
          schema: z.object({ sure: z.boolean().default(false).describe("Yes, throw them away") }),
        });
        if (action !== "accept" || !content.sure) return "The archive stays as it is";
        const count = notebook.emptyArchive();
        withdrawArchive();
        return `${count} thrown away`;
      },
    );
    archiveTools = [restore, empty];
  }

  function withdrawArchive(): void {
    if (notebook.archived.length > 0) return;
    for (const tool of archiveTools) tool.remove();
    archiveTools = [];
  }
}

function describe({ id, title, tags }: Note): z.infer<typeof noteShape> {
  return { id, title, uri: noteUri(id), tags: [...tags] };
}
