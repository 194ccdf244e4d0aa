/** Serves an MCP server over stdio. Redirects stray output, closes at signals, and exits the process at the end. */
import type { Readable, Writable } from "node:stream";
import { checkNumber } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { McpServer } from "../../server/mcp-server.js";
import { checkServer } from "../../server/server-hosting.js";
import { LINE_LIMITS, type LineLimits, lineLimits } from "../../transport/node/line-channel.js";
import { bypassesStdout, guardConsole } from "./console-guard.js";
import { guardStdout, isGuarded } from "./stdout-guard.js";
import { DEFAULT_GRACE_MS, StreamConnection } from "./stream-connection.js";

/** Options of `serveStdio`. */
export interface ServeStdioOptions extends LineLimits {
  /** Stream to read messages from. @defaultValue process.stdin */
  readonly input?: Readable | undefined;
  /** Stream to write messages to. @defaultValue process.stdout */
  readonly output?: Writable | undefined;
  /**
   * Time for requests in progress to finish after the client has disconnected. The server's `onClose` then gets as long again,
   * or 10_000 without this option or if it is 0.
   * @defaultValue 1_000
   */
  readonly graceMs?: number | undefined;
  /**
   * Exit the process once serving has ended, even if a timer or socket keeps it alive. Has no effect with the `input`
   * option.
   * @defaultValue true
   */
  readonly exit?: boolean | undefined;
}

const OPTIONS: OptionTable<ServeStdioOptions> = {
  ...LINE_LIMITS,
  input: "object",
  output: "object",
  graceMs: true,
  exit: "boolean",
};

/** A server that serves one client over a pair of streams. */
export interface StdioServerHandle {
  /** Resolves when serving has ended: by the end of the input, a failed stream, a signal, or `close`. */
  readonly closed: Promise<void>;
  /** Ends subscriptions, gives requests in progress `graceMs` to finish, then closes. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The parts of `process` that `serveStdio` uses. */
export interface HostProcess {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly versions: Readonly<Record<string, string | undefined>>;
  once(event: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  off(event: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  exit(): unknown;
}

/** Time for the process to exit by itself after serving has ended. */
const EXIT_MS = 500;

/**
 * Serves both eras over the standard streams until the client closes stdin or disconnects. Meanwhile, text that other code
 * prints to stdout goes to stderr.
 * @throws {SdkError} `invalid-argument` for an unknown option, an invalid limit, or if the process already serves over its standard streams.
 *
 * @example
 * await serveStdio(server);
 */
export function serveStdio(server: McpServer, options: ServeStdioOptions = {}): Promise<StdioServerHandle> {
  return serveProcess(process, server, options);
}

/** `serveStdio` over a given process. Tests pass a fake one. */
export async function serveProcess(
  host: HostProcess,
  server: McpServer,
  options: ServeStdioOptions,
): Promise<StdioServerHandle> {
  checkServer("serveStdio", server);
  checkOptions("serveStdio", options, OPTIONS);
  const { input = host.stdin, output = host.stdout, graceMs = DEFAULT_GRACE_MS } = options;
  const keepsOutput = options.output === undefined;
  const limits = lineLimits(options);
  checkNumber("graceMs", graceMs, 0);
  if (keepsOutput && isGuarded(output)) {
    throw new SdkError("invalid-argument", "serveStdio: this process is serving over its standard streams already");
  }
  const opening = StreamConnection.open(server, {
    input,
    output,
    keepsOutput,
    graceMs,
    onUnreadable: "answer",
    ...limits,
  });
  // The connection has bound `stdout.write` by now, and no other code has run since.
  const unguard = keepsOutput ? guardOutput(host) : undefined;
  const hold = server.hosting.hold();
  const connection = await opening;
  const stopSignals = options.input === undefined ? closeOnSignals(host, connection) : undefined;
  const closed = connection.closed.then(async () => {
    await hold.release(options.graceMs);
    stopSignals?.();
    unguard?.();
    // An unreferenced timer: it fires only if something else keeps the process alive.
    if (options.input === undefined && options.exit !== false) setTimeout(() => host.exit(), EXIT_MS).unref();
  });
  const close = async () => {
    await connection.close();
    await closed;
  };
  // The client may disconnect while `onStart` runs.
  await Promise.race([hold.started, closed]).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { closed, close, [Symbol.asyncDispose]: close };
}

function guardOutput({ stdout, stderr, versions }: HostProcess): () => void {
  const unguardStdout = guardStdout(stdout, stderr);
  const unguardConsole = bypassesStdout(versions) ? guardConsole(console, stdout) : undefined;
  return () => {
    unguardConsole?.();
    unguardStdout();
  };
}

/** Handles the first signal of each kind. A second one has its default effect and ends the process. */
function closeOnSignals(host: HostProcess, connection: StreamConnection): () => void {
  const close = () => void connection.close();
  host.once("SIGINT", close);
  host.once("SIGTERM", close);
  return () => {
    host.off("SIGINT", close);
    host.off("SIGTERM", close);
  };
}
