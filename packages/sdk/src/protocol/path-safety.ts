/** Text from a peer that must not become part of a file path. */

/** A ".." segment after a slash, a backslash or a device name's colon, also percent-encoded. */
const WAY_UP = /(?:^|[/\\:]|%2f|%5c|%3a)(?:\.|%2e){2}(?:[/\\?#]|%2f|%5c|$)/i;

/** A slash or backslash (absolute and UNC paths), a drive letter, or a file URL, also percent-encoded. */
const ELSEWHERE = /^(?:[/\\]|%2f|%5c|(?:[a-z]|file)(?::|%3a))/i;

/** A NUL ends a path early for code written in C. */
const NUL = /\0|%00/;

/** Leading C0 controls and spaces, which the URL parser drops. */
const LEADING_CONTROLS = /^[\0-\x20]+/;

/** Whether the text has a ".." segment, which leads out of any directory. */
export function hasWayUp(text: string): boolean {
  return WAY_UP.test(asUrlParserReads(text));
}

/** Whether a path resolved from the text ignores the directory it is resolved against. */
export function leadsElsewhere(text: string): boolean {
  return ELSEWHERE.test(asUrlParserReads(text));
}

/** Whether the text is unsafe in a path at any position. */
export function isUnsafeInPath(text: string): boolean {
  return hasWayUp(text) || NUL.test(text);
}

/** Without tabs, line feeds and carriage returns, too. One pass per character: a pattern takes ten times as long. */
function asUrlParserReads(text: string): string {
  return text.replace(LEADING_CONTROLS, "").replaceAll("\t", "").replaceAll("\n", "").replaceAll("\r", "");
}
