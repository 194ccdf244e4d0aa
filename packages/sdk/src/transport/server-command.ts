/** Options of a server that the client starts as a child process and connects to over stdio. */
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import type { JsonLimits } from "../wire/json-limits.js";

/** `inherit` writes to the stderr of this process; a function is called with each line. */
export type ServerStderr = "inherit" | "ignore" | ((line: string) => void);

/** A program that the client starts, to speak with it over its standard streams. */
export interface ServerCommand extends JsonLimits {
  /** Program to run: a path, or a name that is looked up in PATH. It never runs through a shell. */
  readonly command: string;
  /** Arguments of the program. @defaultValue none */
  readonly args?: readonly string[] | undefined;
  /**
   * Environment variables for the program, in addition to a few that every program needs (PATH, HOME, LANG and the like). The
   * program gets no other variables of this process, since they may contain keys and tokens.
   * @defaultValue none
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Working directory of the program. @defaultValue the working directory of this process */
  readonly cwd?: string | URL | undefined;
  /**
   * Handling of the program's stderr. Lines passed to a function are also in the error of a crash.
   * @defaultValue "inherit"
   */
  readonly stderr?: ServerStderr | undefined;
  /** Time for the program to exit after its input is closed; then the client sends SIGTERM. @defaultValue 2_000 */
  readonly exitGraceMs?: number | undefined;
  /** Time for the program to exit after SIGTERM; then the client sends SIGKILL. @defaultValue 2_000 */
  readonly killGraceMs?: number | undefined;
  /**
   * Bytes of one line, which is one message. The client discards a longer one and keeps the connection; the call that it
   * answers rejects.
   * @defaultValue 16_777_216
   */
  readonly maxLineBytes?: number | undefined;
  /**
   * Close the connection once more than this many bytes wait for a program that does not read.
   * @defaultValue 33_554_432
   */
  readonly maxQueuedBytes?: number | undefined;
}

const OPTIONS: OptionTable<ServerCommand> = {
  command: true,
  args: true,
  env: "object",
  cwd: true,
  stderr: true,
  exitGraceMs: true,
  killGraceMs: true,
  maxLineBytes: true,
  maxQueuedBytes: true,
  maxJsonDepth: true,
  maxJsonNodes: true,
};

/** Checks the names of the options. @throws {SdkError} `invalid-argument` */
export function checkCommandOptions(command: ServerCommand): void {
  checkOptions("command", command, OPTIONS);
}
