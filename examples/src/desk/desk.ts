/** What the tools, resources and prompts of the desk share: the server, the notebook, and keeping the two in step. */
import { type ItemRegistration, McpServer, type McpServerOptions, ToolError } from "parley-mcp/server";
import { serveTasks } from "parley-mcp/tasks";
import { MAX_NOTES, type Note, Notebook } from "./notebook.js";

/** What several processes of one desk share. */
export type DeskOptions = Pick<McpServerOptions, "changeBus" | "requestState">;

export class Desk {
  readonly notebook = new Notebook();
  readonly server: McpServer;
  /** Workers serve no tasks: a poll may reach a worker that does not know the task. */
  readonly hasTasks: boolean;
  readonly #listed = new Map<string, ItemRegistration>();

  constructor(shared?: DeskOptions) {
    this.hasTasks = shared === undefined;
    this.server = new McpServer({
      ...shared,
      name: "desk",
      title: "Desk",
      version: "1.0.0",
      instructions: "Notes, and small tools for every day. Look for a note with find_notes before you write a new one.",
      capabilities: { logging: {} },
      websiteUrl: "https://modelcontextprotocol.io",
      tasks: this.hasTasks ? serveTasks() : undefined,
    });
  }

  /** @throws {ToolError} that tells the model what it may name instead. */
  requireNote(id: string): Note {
    const note = this.notebook.get(id);
    if (note !== undefined) return note;
    const known = this.notebook.notes.map((each) => each.id);
    throw new ToolError(`There is no note "${id}". There are: ${known.join(", ") || "none"}`);
  }

  /** @throws {ToolError} when there is no room. */
  addNote(title: string, text: string, tags: readonly string[] = []): Note {
    if (this.notebook.isFull) throw new ToolError(`The notebook holds ${MAX_NOTES} notes; empty the archive first`);
    const note = this.notebook.add({ title, text, tags });
    this.list(note);
    return note;
  }

  /** Makes a note a resource. Clients hear of it by themselves: the list of resources has changed. */
  list({ id, title, tags }: Note): void {
    const description = tags.length > 0 ? `A note about ${tags.join(", ")}` : "A note";
    const config = { name: id, title, description, mimeType: "text/markdown" };
    const registration = this.server.resource(noteUri(id), config, () => asMarkdown(this.requireNote(id)));
    this.#listed.set(id, registration);
  }

  unlist({ id }: Note): void {
    this.#listed.get(id)?.remove();
    this.#listed.delete(id);
  }
}

export function noteUri(id: string): string {
  return `desk://notes/${id}`;
}

export function asMarkdown({ title, text }: Note): string {
  return `# ${title}\n\n${text}\n`;
}

/** The names that begin with what was typed, whatever its case. */
export function startingWith(typed: string, names: Iterable<string>): string[] {
  return [...names].filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()));
}
