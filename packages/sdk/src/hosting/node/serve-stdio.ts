/** Serves an MCP server to the client that started this process: stray output, signals, and the end of the process. */
import type { Readable, Writable } from "node:stream";
import { SdkError } from "../../errors/sdk-error.js";
import type { McpServer } from "../../server/mcp-server.js";
import { type LineLimits, lineLimits } from "../../transport/node/line-channel.js";
import { bypassesStdout, guardConsole } from "./console-guard.js";
import { guardStdout, isGuarded } from "./stdout-guard.js";
import { DEFAULT_GRACE_MS, StreamConnection } from "./stream-connection.js";

export interface ServeStdioOptions extends LineLimits {
  /** Stream to read messages from. @defaultValue process.stdin */
  readonly input?: Readable | undefined;
  /** Stream to write messages to. @defaultValue process.stdout */
  readonly output?: Writable | undefined;
  /** Time that requests in progress have to finish once the client is gone. @defaultValue 1_000 */
  readonly graceMs?: number | undefined;
  /**
   * Exit the process once serving has ended, even if a timer or socket keeps it alive. A process that serves over
   * another stream than its stdin never exits.
   * @defaultValue true
   */
  readonly exit?: boolean | undefined;
}

export interface StdioServerHandle {
  /** Resolves when serving has ended: the client closed the input or went away, a signal came, or `close` was called. */
  readonly closed: Promise<void>;
  /** Ends subscriptions, lets requests that are being served finish within the grace, then closes. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The parts of a process that serving touches. */
export interface HostProcess {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly versions: Readonly<Record<string, string | undefined>>;
  once(event: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  off(event: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  exit(): unknown;
}

/** How long the process has for its own last things after serving has ended. */
const EXIT_MS = 500;

/**
 * Serves both eras over the process's standard streams, from now on until the client closes stdin or goes away. While
 * it serves, what other code prints goes to stderr.
 * @throws {SdkError} `invalid-argument` for a limit that is none, and when this process serves over its streams already.
 *
 * @example
 * await serveStdio(server);
 */
export function serveStdio(server: McpServer, options: ServeStdioOptions = {}): Promise<StdioServerHandle> {
  return serveProcess(process, server, options);
}

/** `serveStdio` for any process: tests pass one of their own. */
export async function serveProcess(
  host: HostProcess,
  server: McpServer,
  options: ServeStdioOptions,
): Promise<StdioServerHandle> {
  const { input = host.stdin, output = host.stdout, graceMs = DEFAULT_GRACE_MS } = options;
  const keepsOutput = options.output === undefined;
  const limits = lineLimits(options);
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
  // After the connection has taken hold of stdout, and before anything else runs.
  const unguard = keepsOutput ? guardOutput(host) : undefined;
  const hold = server.hosting.hold();
  const connection = await opening;
  const stopSignals = options.input === undefined ? closeOnSignals(host, connection) : undefined;
  const closed = connection.closed.then(async () => {
    await hold.release();
    stopSignals?.();
    unguard?.();
    // Does not keep the process alive itself: it fires only if something else does.
    if (options.input === undefined && options.exit !== false) setTimeout(() => host.exit(), EXIT_MS).unref();
  });
  const close = async () => {
    await connection.close();
    await closed;
  };
  await hold.started.catch(async (error: unknown) => {
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

/** Once each: whoever sends a signal again means it, and gets what it does by default. */
function closeOnSignals(host: HostProcess, connection: StreamConnection): () => void {
  const close = () => void connection.close();
  host.once("SIGINT", close);
  host.once("SIGTERM", close);
  return () => {
    host.off("SIGINT", close);
    host.off("SIGTERM", close);
  };
}
