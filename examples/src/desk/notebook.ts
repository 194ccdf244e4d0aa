/** The notes on the desk and those in its archive. Kept in memory and bounded: whoever can connect can write. */

export interface Note {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly tags: readonly string[];
}

export const MAX_NOTES = 200;
/** What a note may hold, for the schemas of the tools. */
export const MAX_TITLE = 120;
export const MAX_TEXT = 20_000;

const MAX_SLUG = 40;

export class Notebook {
  readonly #notes = new Map<string, Note>();
  readonly #archive = new Map<string, Note>();

  get isFull(): boolean {
    return this.#notes.size + this.#archive.size >= MAX_NOTES;
  }

  get notes(): readonly Note[] {
    return [...this.#notes.values()];
  }

  get archived(): readonly Note[] {
    return [...this.#archive.values()];
  }

  get(id: string): Note | undefined {
    return this.#notes.get(id);
  }

  /** A note under an id of its own, made from the title. */
  add(note: Omit<Note, "id">): Note {
    const added = { ...note, id: this.#freeId(note.title) };
    this.#notes.set(added.id, added);
    return added;
  }

  replaceText(note: Note, text: string): Note {
    const changed = { ...note, text };
    this.#notes.set(note.id, changed);
    return changed;
  }

  archive(note: Note): void {
    this.#notes.delete(note.id);
    this.#archive.set(note.id, note);
  }

  restore(id: string): Note | undefined {
    const note = this.#archive.get(id);
    if (note === undefined) return undefined;
    this.#archive.delete(id);
    this.#notes.set(id, note);
    return note;
  }

  emptyArchive(): number {
    const count = this.#archive.size;
    this.#archive.clear();
    return count;
  }

  /** Notes whose title, text or tags hold every word of the query. */
  find(query: string): Note[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    return this.notes.filter(({ title, text, tags }) => {
      const all = `${title}\n${text}\n${tags.join("\n")}`.toLowerCase();
      return words.every((word) => all.includes(word));
    });
  }

  #freeId(title: string): string {
    const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ["note"];
    const slug = words.join("-").slice(0, MAX_SLUG);
    let id = slug;
    for (let count = 2; this.#notes.has(id) || this.#archive.has(id); count += 1) id = `${slug}-${count}`;
    return id;
  }
}
