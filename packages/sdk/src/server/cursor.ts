/** Cursors of this server's own lists: the place in registration order after which the next page begins. */
import { invalidParams } from "../errors/protocol-error.js";

const FORMAT = /^([a-z-]+):(\d{1,15})$/;

export function encodeCursor(list: string, position: number): string {
  return btoa(`${list}:${position}`);
}

/** @throws {ProtocolError} -32602 for anything this server did not hand out for this list. */
export function decodeCursor(list: string, cursor: string): number {
  const match = FORMAT.exec(decodeBase64(cursor));
  if (match?.[1] !== list) {
    throw invalidParams(`params.cursor: not a cursor of this list; leave it out to start from the beginning`);
  }
  return Number(match[2]);
}

function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}
