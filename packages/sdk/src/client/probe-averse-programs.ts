/**
 * Programs that exit when their first message is `server/discover`, as servers do that accept `initialize` alone. They
 * are greeted with the handshake from then on, so that they are started twice only once.
 */
import { BoundedMap } from "../runtime/bounded-map.js";
import type { ServerCommand } from "../transport/server-command.js";

const known = new BoundedMap<string, true>({ maxEntries: 256, maxWeight: 262_144 });

export function exitsOnProbe(target: ServerCommand): boolean {
  return known.has(keyOf(target));
}

export function rememberExit(target: ServerCommand): void {
  const key = keyOf(target);
  known.set(key, true, key.length);
}

/** The program may have been replaced by one that exits for another reason. */
export function forgetExit(target: ServerCommand): void {
  known.delete(keyOf(target));
}

/** Two commands that differ in their environment alone start the same program. */
function keyOf({ command, args = [], cwd = "" }: ServerCommand): string {
  return JSON.stringify([command, args, String(cwd)]);
}
