/** A server as a program to run: what a client starts and speaks to over its standard streams. */
import type { JsonLimits } from "../wire/json-limits.js";

/** `inherit` shows it where this process shows its own; a function gets it line by line. */
export type ServerStderr = "inherit" | "ignore" | ((line: string) => void);

export interface ServerCommand extends JsonLimits {
  /** The program: a path, or a name that is looked up in PATH. It is run as it is, never through a shell. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /**
   * Variables for the program, on top of the few that every program needs (PATH, HOME, LANG and the like). What else
   * this process has in its environment is not passed on, since keys and tokens live there.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string | URL | undefined;
  /** What becomes of the program's stderr; `inherit` unless given. A function's lines end up in the error of a crash. */
  readonly stderr?: ServerStderr | undefined;
  /** How long the program may take to exit once its input is closed, before it is sent SIGTERM; 2 s unless given. */
  readonly exitGraceMs?: number | undefined;
  /** How long it may take after SIGTERM, before it is killed; 2 s unless given. */
  readonly killGraceMs?: number | undefined;
  /** The longest line that is accepted; 10 MiB unless given. A longer one is discarded, and the connection goes on. */
  readonly maxLineBytes?: number | undefined;
  /** How much may wait for a program that does not read before it is given up; 32 MiB unless given. */
  readonly maxQueuedBytes?: number | undefined;
}
