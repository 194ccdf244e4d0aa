/** The clients of a socket server: admits or refuses connections, and disconnects silent and stalled clients. */
import type { Socket } from "node:net";
import { checkNumber } from "../../errors/option-checks.js";
import { TimeoutQueue } from "../../runtime/timeout-queue.js";
import type { McpServer } from "../../server/mcp-server.js";
import { ignoreError } from "../../transport/node/child-process-lifecycle.js";
import { type LineLimits, lineLimits } from "../../transport/node/line-channel.js";
import { clientAddress } from "../http/client-address.js";
import { type ConnectionRefusal, ConnectionTable, tooManyConnections } from "./connection-table.js";
import type { SocketLimits } from "./serve-socket.js";
import { ownerOf, SlowReaders } from "./slow-readers.js";
import { DEFAULT_GRACE_MS, StreamConnection } from "./stream-connection.js";

const DEFAULT_MAX_CONNECTIONS = 100;
const DEFAULT_FIRST_MESSAGE_TIMEOUT_MS = 10_000;
const DEFAULT_STALL_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_TOTAL_QUEUED_BYTES = 64 * 1024 * 1024;

export class SocketClients {
  readonly #server: McpServer;
  readonly #limits: LineLimits;
  readonly #graceMs: number;
  readonly #table: ConnectionTable;
  readonly #readers: SlowReaders;
  /** The connections that have sent no message yet. */
  readonly #silent = new Set<Socket>();
  readonly #firstMessages: TimeoutQueue<Socket>;
  readonly #connections = new Set<Promise<StreamConnection>>();

  /** @throws {SdkError} `invalid-argument` for an invalid limit. */
  constructor(server: McpServer, options: SocketLimits) {
    const {
      graceMs = DEFAULT_GRACE_MS,
      firstMessageTimeoutMs = DEFAULT_FIRST_MESSAGE_TIMEOUT_MS,
      stallTimeoutMs = DEFAULT_STALL_TIMEOUT_MS,
      maxTotalQueuedBytes = DEFAULT_MAX_TOTAL_QUEUED_BYTES,
    } = options;
    this.#server = server;
    this.#limits = lineLimits(options);
    this.#graceMs = graceMs;
    for (const [name, limit] of Object.entries({
      graceMs,
      firstMessageTimeoutMs,
      stallTimeoutMs,
      maxTotalQueuedBytes,
    })) {
      checkNumber(name, limit, 0);
    }
    this.#table = new ConnectionTable(options, DEFAULT_MAX_CONNECTIONS, (socket) => this.#silent.has(socket));
    this.#readers = new SlowReaders({ stallTimeoutMs, maxTotalQueuedBytes });
    this.#firstMessages = new TimeoutQueue(firstMessageTimeoutMs, (socket) => socket.destroy());
  }

  accept(socket: Socket): void {
    socket.setNoDelay(true);
    const refusal = this.#table.admit(socket);
    if (refusal === undefined) this.#serve(socket);
    else refuse(socket, refusal);
  }

  /** Gives requests in progress `graceMs` to finish, then closes every connection. */
  async close(): Promise<void> {
    await Promise.all([...this.#connections].map(async (opening) => (await opening).close()));
  }

  #serve(socket: Socket): void {
    const reader = { owner: ownerOf(socket), disconnect: () => void socket.destroy() };
    this.#silent.add(socket);
    this.#firstMessages.add(socket);
    socket.once("close", () => {
      this.#removeSilent(socket);
      this.#readers.set(reader, 0, false);
    });
    const opening = StreamConnection.open(this.#server, {
      input: socket,
      output: socket,
      graceMs: this.#graceMs,
      takesTurns: true,
      address: clientAddress(socket.remoteAddress),
      onUnreadable: "answer-and-end",
      onFirstMessage: () => this.#removeSilent(socket),
      onQueued: (bytes) => this.#readers.set(reader, socket.destroyed ? 0 : bytes, true),
      ...this.#limits,
    });
    this.#connections.add(opening);
    void opening.then(({ closed }) => closed).then(() => this.#connections.delete(opening));
  }

  #removeSilent(socket: Socket): void {
    this.#silent.delete(socket);
    this.#firstMessages.remove(socket);
  }
}

/** Sends one error with the reason and `retryAfterMs`, then destroys the socket. Nothing that the client sends is read. */
function refuse(socket: Socket, refusal: ConnectionRefusal): void {
  const { code, message, data } = tooManyConnections(refusal);
  const error = { code, message, data };
  socket.on("error", ignoreError).write(`${JSON.stringify({ jsonrpc: "2.0", error })}\n`);
  socket.destroySoon();
}
