/**
 * Readers for whom bytes are queued. A reader that takes nothing for the stall limit is disconnected. Over the limit of
 * bytes for all of them, the payer with the most bytes loses the reader that has taken nothing for longest.
 */
import type { Socket } from "node:net";
import { TimeoutQueue } from "../../runtime/timeout-queue.js";
import { clientAddress } from "../http/client-address.js";

export interface SlowReader {
  readonly payer: string;
  disconnect(): void;
}

export interface SlowReaderLimits {
  readonly stallTimeoutMs: number;
  readonly maxTotalQueuedBytes: number;
}

interface Queued {
  readonly bytes: number;
  readonly isTimed: boolean;
}

const NOTHING: Queued = { bytes: 0, isTimed: false };

export class SlowReaders {
  readonly #maxTotalBytes: number;
  readonly #queued = new Map<SlowReader, Queued>();
  /** The readers that could take bytes, in the order of their last progress. */
  readonly #stalled: TimeoutQueue<SlowReader>;
  #totalBytes = 0;

  constructor({ stallTimeoutMs, maxTotalQueuedBytes }: SlowReaderLimits) {
    this.#maxTotalBytes = maxTotalQueuedBytes;
    this.#stalled = new TimeoutQueue(stallTimeoutMs, (reader) => this.#disconnect(reader));
  }

  /** Sets how many bytes are queued for a reader, and whether it could take some. Fewer than before are progress. */
  set(reader: SlowReader, bytes: number, canTake: boolean): void {
    const before = this.#queued.get(reader) ?? NOTHING;
    if (bytes === 0) {
      if (before !== NOTHING) this.#remove(reader);
      return;
    }
    this.#queued.set(reader, { bytes, isTimed: canTake });
    this.#totalBytes += bytes - before.bytes;
    if (!canTake || !before.isTimed || bytes < before.bytes) {
      this.#stalled.remove(reader);
      if (canTake) this.#stalled.add(reader);
    }
    // A single answer may be larger than the limit.
    while (this.#totalBytes > this.#maxTotalBytes && this.#queued.size > 1) this.#disconnect(this.#greediest());
  }

  #greediest(): SlowReader {
    const bytes = new Map<string, number>();
    for (const [{ payer }, queued] of this.#queued) bytes.set(payer, (bytes.get(payer) ?? 0) + queued.bytes);
    const most = Math.max(...bytes.values());
    const pays = ({ payer }: SlowReader) => bytes.get(payer) === most;
    // Called while there are readers, and one of them pays.
    return this.#stalled.find(pays) ?? ([...this.#queued.keys()].find(pays) as SlowReader);
  }

  #disconnect(reader: SlowReader): void {
    this.#remove(reader);
    reader.disconnect();
  }

  #remove(reader: SlowReader): void {
    this.#stalled.remove(reader);
    this.#totalBytes -= (this.#queued.get(reader) as Queued).bytes; // only known readers are removed
    this.#queued.delete(reader);
  }
}

const PRINCIPAL: unique symbol = Symbol("principal");

type ClaimedSocket = Socket & { [PRINCIPAL]?: string | undefined };

/** Makes the principal pay for the bytes of the connection, until its next request. */
export function setPrincipal(socket: ClaimedSocket, principal: string | undefined): void {
  socket[PRINCIPAL] = principal;
}

/**
 * The payer of a connection: the principal of its latest request, or the address of an anonymous client. Unix sockets
 * have no address and share one payer.
 */
export function payerOf(socket: ClaimedSocket): string {
  const principal = socket[PRINCIPAL];
  return principal === undefined ? `address ${clientAddress(socket.remoteAddress)}` : `principal ${principal}`;
}
