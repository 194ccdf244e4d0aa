/** Scope check: refuses a message whose caller lacks scopes, before a session or a handler receives it. */
import { insufficientScope } from "../../errors/protocol-error.js";
import type { ServerHosting } from "../../server/server-hosting.js";
import { type Caller, holdsScopes } from "../../transport/caller.js";
import type { Classified } from "../../wire/classify.js";
import { scopeRefusal } from "./error-status.js";

export class ScopeCheck {
  readonly #server: Pick<ServerHosting, "requiredScopes">;
  /** Scopes that every request needs. */
  readonly #always: readonly string[];

  constructor(server: Pick<ServerHosting, "requiredScopes">, always: readonly string[]) {
    this.#server = server;
    this.#always = always;
  }

  /** Checks a request without a message. @throws {HttpRefusal} 403 */
  check(caller: Caller): void {
    this.#require(this.#always, caller);
  }

  /** Checks a message or a batch. One challenge names all scopes that it needs. @throws {HttpRefusal} 403 */
  checkMessage(message: Classified, caller: Caller): void {
    const needed = message.kind === "batch" ? message.items.flatMap((item) => this.#of(item)) : this.#of(message);
    this.#require(needed.length === 0 ? this.#always : [...new Set([...this.#always, ...needed])], caller);
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
