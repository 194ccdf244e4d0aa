/** Text of a peer in messages: a message repeats its start alone, however long it is. */
const MAX_SHOWN_CHARS = 100;

/** The first 100 characters of a text, with an ellipsis if more follow. */
export function shorten(text: string): string {
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}
