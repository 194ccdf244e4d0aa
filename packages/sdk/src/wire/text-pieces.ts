/** Cuts long text into pieces, for writers that wait for slow readers. */

/** Characters per piece. */
export const PIECE_LENGTH: number = 64 * 1024;

/** The end of the piece that starts at an offset. A surrogate pair is never divided. */
export function pieceEnd(text: string, start: number): number {
  const end = start + PIECE_LENGTH;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}
