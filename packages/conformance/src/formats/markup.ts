/** Text inside XML and HTML. */

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes markup, and drops characters that XML cannot hold. */
export function escapeMarkup(text: string): string {
  return [...text]
    .filter((character) => character >= " " || character === "\n" || character === "\t")
    .map((character) => ENTITIES[character] ?? character)
    .join("");
}
