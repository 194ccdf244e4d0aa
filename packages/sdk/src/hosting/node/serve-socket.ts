/** Serves an MCP server on a Unix socket or a TCP port, framed as on stdio: one message per line, many clients. */
import { chmod, lstat, unlink } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import type { McpServer } from "../../server/mcp-server.js";
import { checkServer } from "../../server/server-hosting.js";
import { LINE_LIMITS, type LineLimits } from "../../transport/node/line-channel.js";
import { CONNECTION_LIMITS, type ConnectionLimits } from "./connection-table.js";
import { listening } from "./listening.js";
import { SocketClients } from "./socket-clients.js";

/** Only this user may connect. */
const DEFAULT_MODE = 0o600;

export interface SocketLimits extends LineLimits, ConnectionLimits {
  /**
   * Closes a connection that has sent no message within this time of its opening.
   * @defaultValue 10_000
   */
  readonly firstMessageTimeoutMs?: number | undefined;
  /**
   * Disconnects a client that has queued bytes and takes none of them, or less than 64 KiB, for this long. Right after it took a
   * piece of a long answer at once, 256 KiB count instead.
   * @defaultValue 30_000
   */
  readonly stallTimeoutMs?: number | undefined;
  /**
   * Queued bytes of all clients. Over the limit, the server disconnects a client of the address with the most queued bytes:
   * the one that has read nothing for longest.
   * @defaultValue 67_108_864
   */
  readonly maxTotalQueuedBytes?: number | undefined;
  /**
   * Time for requests in progress to finish after their client has disconnected. When the server closes, its `onClose` then
   * gets as long again, or 10_000 without this option or if it is 0.
   * @defaultValue 1_000
   */
  readonly graceMs?: number | undefined;
}

/** Options of `serveSocket`: a path or a port, and limits. */
export type ServeSocketOptions = SocketLimits &
  (
    | {
        /** Path of a Unix socket. The server replaces a socket file that no process serves. */
        readonly path: string;
        /** File mode of the socket. By default, only this user may connect. @defaultValue 0o600 */
        readonly mode?: number | undefined;
      }
    | {
        /** TCP port; 0 for any free one. The server authenticates nobody: it serves every client that can reach the port. */
        readonly port: number;
        /** Address to listen on. By default, only this machine can connect. @defaultValue "127.0.0.1" */
        readonly host?: string | undefined;
      }
  );

const OPTIONS: OptionTable<ServeSocketOptions> = {
  ...LINE_LIMITS,
  ...CONNECTION_LIMITS,
  firstMessageTimeoutMs: true,
  stallTimeoutMs: true,
  maxTotalQueuedBytes: true,
  graceMs: true,
  path: "string",
  mode: true,
  port: true,
  host: "string",
};

/** A server that listens on a socket, until `close`. */
export interface SocketServerHandle {
  /** The address that clients connect to, as options of `SocketTransport`. */
  readonly address: { readonly path: string } | { readonly port: number; readonly host: string };
  /** Stops listening, ends subscriptions, gives requests `graceMs` to finish, then closes every connection. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Listens, and serves both eras to every client that connects.
 * @throws {SdkError} `invalid-argument` for an unknown option, or an invalid limit; rejects with Node's error if it cannot listen.
 *
 * @example
 * const { address } = await serveSocket(server, { port: 4100 });
 */
export async function serveSocket(server: McpServer, options: ServeSocketOptions): Promise<SocketServerHandle> {
  checkServer("serveSocket", server);
  checkOptions("serveSocket", options, OPTIONS);
  const clients = new SocketClients(server, options);
  const hold = server.hosting.hold();
  // A client that has ended its side of the connection still gets its answers.
  const listener = createServer({ allowHalfOpen: true }, (socket) => clients.accept(socket));
  const address = await hold.started
    .then(() => listen(listener, options))
    .catch(async (error: unknown) => {
      listener.close();
      await hold.release(options.graceMs);
      throw error;
    });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll(listener, clients).then(() => hold.release(options.graceMs));
    return closing;
  };
  return { address, close, [Symbol.asyncDispose]: close };
}

async function listen(listener: Server, options: ServeSocketOptions): Promise<SocketServerHandle["address"]> {
  if ("path" in options) {
    const { path, mode = DEFAULT_MODE } = options;
    await removeStale(path);
    await listening(listener, { path });
    await chmod(path, mode);
    return { path };
  }
  const { port, host = "127.0.0.1" } = options;
  await listening(listener, { port, host });
  // A server that listens on a port has an address with one.
  return { port: (listener.address() as AddressInfo).port, host };
}

/** Removes the socket file of a killed process. Sockets that accept connections and files of other kinds stay. */
async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSocket() && !(await answers(path))) await unlink(path);
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ path });
    // Other errors, such as that of a full backlog, come from a process that listens.
    const onError = ({ code }: NodeJS.ErrnoException) => resolve(code !== "ECONNREFUSED");
    probe.once("connect", () => resolve(true)).once("error", onError);
    probe.once("connect", () => probe.destroy());
  });
}

async function closeAll(listener: Server, clients: SocketClients): Promise<void> {
  const stopped = new Promise((resolve) => listener.close(resolve));
  await clients.close();
  await stopped;
}
