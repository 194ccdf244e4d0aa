/**
 * State of a legacy session on the client: the session id and the negotiated revision. Each `initialize` creates a new object.
 * Every message keeps the one it was sent in, so a late response never changes a later session.
 */
import { SdkError } from "../../errors/sdk-error.js";
import { HttpHeader } from "../../protocol/http-headers.js";
import { isLegacyRevision } from "../../protocol/revisions.js";
import { isJsonObject } from "../../runtime/json.js";
import { CallController } from "./call-controller.js";
import type { HeaderFields } from "./endpoint-client.js";

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

export class HttpSession {
  /** Aborts the standalone stream of the session. */
  readonly streams: CallController = new CallController();
  #id: string | undefined;
  #revision: string | undefined;

  get id(): string | undefined {
    return this.#id;
  }

  get revision(): string | undefined {
    return this.#revision;
  }

  get headers(): HeaderFields {
    const headers: Record<string, string> = {};
    if (this.#revision !== undefined) headers[HttpHeader.revision] = this.#revision;
    if (this.#id !== undefined) headers[HttpHeader.session] = this.#id;
    return headers;
  }

  /** @throws {SdkError} `invalid-message` for an id that no header can carry back. */
  assign(id: string | undefined): void {
    if (id === undefined) return;
    if (!VISIBLE_ASCII.test(id)) {
      throw new SdkError("invalid-message", "The server's session id must consist of visible ASCII characters");
    }
    this.#id = id;
  }

  /** Reads the revision from the result of `initialize`. The negotiation refuses an unknown one. */
  settle(answer: unknown): void {
    const result = isJsonObject(answer) ? answer.result : undefined;
    const revision = isJsonObject(result) ? result.protocolVersion : undefined;
    if (isLegacyRevision(revision)) this.#revision = revision;
  }
}
