/** What one legacy connection hears of: every list that its handshake announced, and the resources it subscribed to. */
import { ProtocolError } from "../../errors/protocol-error.js";
import type { ServerCapabilities } from "../../protocol/capabilities.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import { hasCapability } from "../../protocol/method-table.js";
import type { Change, ChangeBus } from "./change-bus.js";
import { type ChangeNotification, capabilityOf, notificationOf } from "./change-notification.js";
import { StartedElicitations } from "./started-elicitations.js";

export class LegacyWatch {
  /** What the handshake told the client. */
  announced: ServerCapabilities = {};
  /** The pages it was asked to open. */
  readonly elicitations: StartedElicitations;
  readonly #bus: ChangeBus;
  readonly #maxUris: number;
  readonly #uris = new Set<string>();
  #stop: (() => void) | undefined;

  constructor(bus: ChangeBus, maxUris: number, elicitations: StartedElicitations = new StartedElicitations()) {
    this.#bus = bus;
    this.elicitations = elicitations;
    this.#maxUris = maxUris;
  }

  /** The client is ready. A second call changes nothing. */
  start(send: (notification: ChangeNotification) => void): void {
    this.#stop ??= this.#bus.subscribe((change) => {
      if (this.#wants(change)) send(notificationOf(change));
    });
  }

  get uris(): readonly string[] {
    return [...this.#uris];
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
    this.elicitations.clear();
    this.#stop?.();
  }

  #wants(change: Change): boolean {
    if (change.kind === "elicitation") return this.elicitations.finish(change.elicitationId);
    if (!hasCapability(this.announced, capabilityOf(change))) return false;
    return change.kind !== "resource" || this.#uris.has(change.uri);
  }
}
