/**
 * Redirects the output of a console to a stream. Node's console already writes to `process.stdout`. The consoles of Bun and
 * Deno bypass `process.stdout`, so stdout-guard.ts does not see their output.
 */
import { Console } from "node:console";
import type { Writable } from "node:stream";

/** The console methods that print to standard output. */
const PRINTING = [
  "log",
  "info",
  "debug",
  "dir",
  "dirxml",
  "table",
  "group",
  "groupCollapsed",
  "count",
  "timeEnd",
  "timeLog",
] as const;

export type PrintingConsole = Pick<Console, (typeof PRINTING)[number]>;

/** Whether the console of this runtime bypasses `process.stdout`. */
export function bypassesStdout(versions: Readonly<Record<string, string | undefined>>): boolean {
  return versions.bun !== undefined || versions.deno !== undefined;
}

/** Replaces the printing methods. Returns a function that restores them. */
export function guardConsole(guarded: PrintingConsole, stream: Writable): () => void {
  const through: PrintingConsole = new Console(stream);
  const undo = PRINTING.map((name) => {
    const original = guarded[name];
    const redirected = through[name].bind(through);
    guarded[name] = redirected;
    return () => {
      // Other code may have replaced the method since; its replacement stays.
      if (guarded[name] === redirected) guarded[name] = original;
    };
  });
  return () => {
    for (const restore of undo) restore();
  };
}
