/** Scope check: refuses a message whose caller lacks scopes, before a session or a handler receives it. */
import { DEFAULT_MAX_BATCH_ITEMS } from "../../dispatch/dispatcher.js";
import { insufficientScope } from "../../errors/protocol-error.js";
import type { ServerHosting } from "../../server/server-hosting.js";
import { type Caller, holdsScopes } from "../../transport/caller.js";
import type { Classified } from "../../wire/classify.js";
import { scopeRefusal } from "./error-status.js";

type ScopedServer = Pick<ServerHosting, "requiredScopes" | "dispatcherOptions">;

export class ScopeCheck {
  readonly #server: ScopedServer;
  /** Scopes that every request needs. */
  readonly #always: readonly string[];

  constructor(server: ScopedServer, always: readonly string[]) {
    this.#server = server;
    this.#always = always;
  }

  /** Checks a request without a message. @throws {HttpRefusal} 403 */
  check(caller: Caller): void {
    this.#require(this.#always, caller);
  }

  /** Checks a message or a batch. One challenge names all scopes that it needs. @throws {HttpRefusal} 403 */
  checkMessage(message: Classified, caller: Caller): void {
    const needed = message.kind === "batch" ? this.#ofBatch(message.items) : this.#of(message);
    this.#require(needed.length === 0 ? this.#always : [...new Set([...this.#always, ...needed])], caller);
  }

  /** Skips batches that are going to be refused for their size, and listen requests, which no revision with batches has. */
  #ofBatch(items: readonly Classified[]): readonly string[] {
    const { maxBatchItems = DEFAULT_MAX_BATCH_ITEMS } = this.#server.dispatcherOptions;
    if (items.length > maxBatchItems) return [];
    return items.flatMap((item) => (isListen(item) ? [] : this.#of(item)));
  }

  #of(message: Classified): readonly string[] {
    return message.kind === "request"
      ? this.#server.requiredScopes(message.message.method, message.message.params)
      : [];
  }

  #require(scopes: readonly string[], caller: Caller): void {
    if (!holdsScopes(caller, scopes)) throw scopeRefusal(insufficientScope(scopes), caller);
  }
}

function isListen(message: Classified): boolean {
  return message.kind === "request" && message.message.method === "subscriptions/listen";
}
