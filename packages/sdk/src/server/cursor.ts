/** Cursors of this server's own lists: the place in registration order after which the next page begins. */
export function encodeCursor(list: string, position: number): string {
  return btoa(`${list}:${position}`);
}

/** Undefined for anything that is not, letter by letter, a cursor of this list. */
export function decodeCursor(list: string, cursor: string): number | undefined {
  const position = Number(decodeBase64(cursor).slice(list.length + 1));
  const isPlace = Number.isSafeInteger(position) && position > 0;
  return isPlace && encodeCursor(list, position) === cursor ? position : undefined;
}

/** Nothing for what is no Base64. */
export function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}
