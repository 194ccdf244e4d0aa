/**
 * Clients with queued bytes ("readers"). A reader that reads nothing for `stallTimeoutMs` is disconnected. Over
 * `maxTotalQueuedBytes`, the owner (a principal or an address) with the most queued bytes loses a reader: the one that has
 * read nothing for longest.
 */
import type { Socket } from "node:net";
import { TimeoutQueue } from "../../runtime/timeout-queue.js";
import { clientAddress } from "../http/client-address.js";

export interface SlowReader {
  readonly owner: string;
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
  /** The readers whose socket has bytes to read, ordered by their last progress. */
  readonly #stalled: TimeoutQueue<SlowReader>;
  #totalBytes = 0;

  constructor({ stallTimeoutMs, maxTotalQueuedBytes }: SlowReaderLimits) {
    this.#maxTotalBytes = maxTotalQueuedBytes;
    this.#stalled = new TimeoutQueue(stallTimeoutMs, (reader) => this.#disconnect(reader));
  }

  /**
   * Sets the number of queued bytes of a reader. Fewer than before count as progress. `canTake` is false while the bytes
   * wait behind another response, so the reader cannot read them yet.
   */
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
    while (this.#totalBytes > this.#maxTotalBytes && this.#queued.size > 1) this.#disconnect(this.#readerToDrop());
  }

  #readerToDrop(): SlowReader {
    const bytes = new Map<string, number>();
    for (const [{ owner }, queued] of this.#queued) bytes.set(owner, (bytes.get(owner) ?? 0) + queued.bytes);
    const most = Math.max(...bytes.values());
    const ownsMost = ({ owner }: SlowReader) => bytes.get(owner) === most;
    // Called only while readers are queued, so one of them has the owner with the most bytes.
    return this.#stalled.find(ownsMost) ?? ([...this.#queued.keys()].find(ownsMost) as SlowReader);
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

/** Counts the queued bytes of the connection for this principal, until its next request. */
export function setPrincipal(socket: ClaimedSocket, principal: string | undefined): void {
  socket[PRINCIPAL] = principal;
}

/**
 * The owner of a connection: the principal of its latest request, or the address of an anonymous client. All Unix sockets
 * share one owner, since they have no address.
 */
export function ownerOf(socket: ClaimedSocket): string {
  const principal = socket[PRINCIPAL];
  return principal === undefined ? `address ${clientAddress(socket.remoteAddress)}` : `principal ${principal}`;
}
