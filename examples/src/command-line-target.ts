/** The server that a command line names: a URL, or a program with its arguments. */
import type { ConnectTarget } from "parley-mcp/client";

/** Undefined if it names none. */
export function targetFrom([first, ...rest]: readonly string[]): ConnectTarget | undefined {
  if (first === undefined) return undefined;
  return /^https?:/.test(first) ? first : { command: first, args: rest };
}
