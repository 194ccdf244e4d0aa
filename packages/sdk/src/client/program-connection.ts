/**
 * Connects to programs that the client starts. A server that accepts only `initialize` as its first message may exit on
 * `server/discover`. The client starts such a program again with the handshake, and remembers the program.
 */
import { SdkError } from "../errors/sdk-error.js";
import { BoundedMap } from "../runtime/bounded-map.js";
import type { ServerCommand } from "../transport/server-command.js";

const known = new BoundedMap<string, true>({ maxEntries: 256, maxWeight: 262_144 });

export interface ProgramAttempts<Connection> {
  /** Starts the program and opens with `server/discover`. */
  probed(): Promise<Connection>;
  /** Starts the program and opens with the handshake. */
  unprobed(): Promise<Connection>;
  /** Called when the probed program answered, but the negotiation failed. */
  onRefused(): void;
}

/** @throws {SdkError} `connection-closed` for a program that exits on the probe and on the handshake. */
export async function connectProgram<Connection>(
  target: ServerCommand,
  attempts: ProgramAttempts<Connection>,
): Promise<Connection> {
  if (exitsOnProbe(target)) return connectUnprobed(target, attempts);
  try {
    return await attempts.probed();
  } catch (error) {
    if (isConnectionLoss(error)) return connectUnprobed(target, attempts);
    attempts.onRefused();
    throw error;
  }
}

async function connectUnprobed<Connection>(
  target: ServerCommand,
  { unprobed }: ProgramAttempts<Connection>,
): Promise<Connection> {
  try {
    const connection = await unprobed();
    rememberExit(target);
    return connection;
  } catch (error) {
    // The handshake does not help. The program may have been replaced, so the next connection probes again.
    forgetExit(target);
    if (!isConnectionLoss(error)) throw error;
    const advice =
      "The program ended when its first message was initialize, and earlier when it was server/discover. If it speaks " +
      'one revision alone, name that in the options of the client, as in revision: "2025-06-18"';
    throw new SdkError("connection-closed", `${error.message}\n${advice}`, { cause: error.cause });
  }
}

export function exitsOnProbe(target: ServerCommand): boolean {
  return known.has(keyOf(target));
}

export function rememberExit(target: ServerCommand): void {
  const key = keyOf(target);
  known.set(key, true, key.length);
}

export function forgetExit(target: ServerCommand): void {
  known.delete(keyOf(target));
}

export function isConnectionLoss(error: unknown): error is SdkError {
  return error instanceof SdkError && error.code === "connection-closed";
}

/** Two commands that differ only in their environment start the same program. */
function keyOf({ command, args = [], cwd = "" }: ServerCommand): string {
  return JSON.stringify([command, args, String(cwd)]);
}
