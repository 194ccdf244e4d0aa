/** Keeps stray output out of the protocol: while stdout carries messages, what others write to it goes to stderr. */
import type { Writable } from "node:stream";

const WARNING =
  "[parley-mcp] Something wrote to stdout, which carries the protocol's messages. This and what follows goes to stderr. " +
  "Use console.error for logs in a stdio server.\n";

type Write = Writable["write"];

const guards = new WeakSet<Write>();

export function isGuarded(stdout: Writable): boolean {
  return guards.has(stdout.write);
}

/** Returns what takes the guard away again. */
export function guardStdout(stdout: Writable, stderr: Writable): () => void {
  const original = stdout.write;
  let hasWarned = false;
  // One function for both of the method's forms, which differ in what may be left out.
  const redirect = ((chunk: string, encoding: BufferEncoding, callback?: () => void) => {
    if (!hasWarned) stderr.write(WARNING);
    hasWarned = true;
    return stderr.write(chunk, encoding, callback);
  }) as Write;
  guards.add(redirect);
  stdout.write = redirect;
  return () => {
    // Whoever has replaced it since wants theirs to stay.
    if (stdout.write === redirect) stdout.write = original;
  };
}
