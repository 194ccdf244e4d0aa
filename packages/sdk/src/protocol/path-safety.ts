/** What text from a peer must not hold where it may end up in a path. */

/** A ".." segment, however it is written: between slashes or backslashes, as it stands or percent-encoded. */
const wayUp = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){2}(?:[/\\?#]|%2f|%5c|$)/i;

/** Ends a path early for code written in C, whatever comes after it. */
const nul = /\0|%00/;

/** Whether the text leads up and out of wherever it is put. */
export function hasWayUp(text: string): boolean {
  return wayUp.test(text);
}

/** Whether the text could make a path that is put together from it lead elsewhere. */
export function isUnsafeInPath(text: string): boolean {
  return hasWayUp(text) || nul.test(text);
}
