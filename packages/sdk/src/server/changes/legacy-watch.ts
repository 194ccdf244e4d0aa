/** What one legacy connection hears of: every list that its handshake announced, and the resources it subscribed to. */
import { ProtocolError } from "../../errors/protocol-error.js";
import type { ServerCapabilities } from "../../protocol/capabilities.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import { hasCapability } from "../../protocol/method-table.js";
import type { Change, ChangeBus } from "./change-bus.js";
import { type ChangeNotification, capabilityOf, notificationOf } from "./change-notification.js";

export class LegacyWatch {
  /** What the handshake told the client. */
  announced: ServerCapabilities = {};
  readonly #bus: ChangeBus;
  readonly #maxUris: number;
  readonly #uris = new Set<string>();
  #stop: (() => void) | undefined;

  constructor(bus: ChangeBus, maxUris: number) {
    this.#bus = bus;
    this.#maxUris = maxUris;
  }

  /** The client is ready. A second call changes nothing. */
  start(send: (notification: ChangeNotification) => void): void {
    this.#stop ??= this.#bus.subscribe((change) => {
      if (this.#wants(change)) send(notificationOf(change));
    });
  }

  /** @throws {ProtocolError} -32603 when the connection watches too many resources. */
  subscribe(uri: string): void {
    if (this.#uris.size >= this.#maxUris && !this.#uris.has(uri)) {
      throw new ProtocolError(ErrorCode.internalError, `Too many subscriptions: at most ${this.#maxUris} at a time`);
    }
    this.#uris.add(uri);
  }

  unsubscribe(uri: string): void {
    this.#uris.delete(uri);
  }

  stop(): void {
    this.#uris.clear();
    this.#stop?.();
  }

  #wants(change: Change): boolean {
    if (!hasCapability(this.announced, capabilityOf(change))) return false;
    return change.kind !== "resource" || this.#uris.has(change.uri);
  }
}
