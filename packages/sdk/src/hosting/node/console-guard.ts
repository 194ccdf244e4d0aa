/**
 * Sends what a console prints through a stream. The console of Node does so by itself; those of Bun and Deno write to
 * standard output past `process.stdout`, where no guard of the stream sees it.
 */
import { Console } from "node:console";
import type { Writable } from "node:stream";

/** What prints to standard output. */
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

/** Whether the console of this runtime writes past `process.stdout`. */
export function bypassesStdout(versions: Readonly<Record<string, string | undefined>>): boolean {
  return versions.bun !== undefined || versions.deno !== undefined;
}

/** Returns what gives the console its own methods back. */
export function guardConsole(guarded: PrintingConsole, stream: Writable): () => void {
  const through: PrintingConsole = new Console(stream);
  const undo = PRINTING.map((name) => {
    const original = guarded[name];
    const redirected = through[name].bind(through);
    guarded[name] = redirected;
    return () => {
      // Whoever has replaced it since wants theirs to stay.
      if (guarded[name] === redirected) guarded[name] = original;
    };
  });
  return () => {
    for (const restore of undo) restore();
  };
}
