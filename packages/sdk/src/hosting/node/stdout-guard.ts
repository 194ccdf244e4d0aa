/** Stdout guard: while stdout carries messages, text that other code writes to it goes to stderr. */
import type { Writable } from "node:stream";

const WARNING =
  "[parley-mcp] Something wrote to stdout, which carries the protocol's messages. This and what follows goes to stderr. " +
  "Use console.error for logs in a stdio server.\n";

type Write = Writable["write"];

const guards = new WeakSet<Write>();

export function isGuarded(stdout: Writable): boolean {
  return guards.has(stdout.write);
}

/** Replaces `stdout.write`. Returns a function that restores it. */
export function guardStdout(stdout: Writable, stderr: Writable): () => void {
  const original = stdout.write;
  let hasWarned = false;
  // One function for both overloads of `write`, which differ in their optional arguments.
  const redirect = ((chunk: string, encoding: BufferEncoding, callback?: () => void) => {
    if (!hasWarned) stderr.write(WARNING);
    hasWarned = true;
    return stderr.write(chunk, encoding, callback);
  }) as Write;
  guards.add(redirect);
  stdout.write = redirect;
  return () => {
    // Other code may have replaced the method since; its replacement stays.
    if (stdout.write === redirect) stdout.write = original;
  };
}
