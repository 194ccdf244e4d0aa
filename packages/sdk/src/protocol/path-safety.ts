/** Recognizes text from a peer that is unsafe in a file path. */

/** Tabs, line feeds and carriage returns, which the URL parser drops wherever they stand, also within an encoding. */
const DROPPED = "[\\t\\n\\r]*";
const SLASH = `(?:[/\\\\]|${encoded("2f", "5c")})`;
/** The URL parser reads a pipe after a drive letter as a colon. */
const COLON = `(?:[:|]|${encoded("3a", "7c")})`;
const SLASH_OR_COLON = `(?:[/\\\\:|]|${encoded("2f", "5c", "3a", "7c")})`;
/** Trailing C0 controls and spaces, which the URL parser drops as it does leading ones. */
const TRAILING = "[\\0-\\x20]*$";
const DOT = `(?:\\.|${encoded("2e")})`;

/** A ".." segment after a slash, a backslash or a device name's colon, also percent-encoded. */
const WAY_UP = new RegExp(
  `(?:^|${SLASH_OR_COLON})${DROPPED}${DOT}${DROPPED}${DOT}${DROPPED}(?:${SLASH}|[?#]|${TRAILING})`,
  "i",
);

/** A slash or backslash (absolute and UNC paths), a drive letter, or a file URL, also percent-encoded. */
const ABSOLUTE = new RegExp(`^(?:${SLASH}|(?:[a-z]|${[..."file"].join(DROPPED)})${DROPPED}${COLON})`, "i");

/** A NUL ends a path early for code written in C. */
const NUL = new RegExp(`\\0|${encoded("00")}`);

/** Leading C0 controls and spaces, which the URL parser drops. */
const LEADING_CONTROLS = /^[\0-\x20]+/;

/** Whether the text has a ".." segment, which leads out of any directory. */
export function hasDotDotSegment(text: string): boolean {
  return WAY_UP.test(text.replace(LEADING_CONTROLS, ""));
}

/** Whether a path resolved from the text ignores the directory it is resolved against. */
export function isAbsolutePath(text: string): boolean {
  return ABSOLUTE.test(text.replace(LEADING_CONTROLS, ""));
}

/** Whether the text is unsafe in a path at any position. */
export function isUnsafeInPath(text: string): boolean {
  return hasDotDotSegment(text) || NUL.test(text);
}

/** One of several percent-encoded characters. */
function encoded(...characters: readonly string[]): string {
  return `%${DROPPED}(?:${characters.map((digits) => [...digits].join(DROPPED)).join("|")})`;
}
