/**
 * What a legacy handshake over HTTP left behind: the session's id and the revision it settled on. Each `initialize` makes
 * a new one, and every message keeps the one it was sent in, so a late response never changes a later session.
 */
import { SdkError } from "../../errors/sdk-error.js";
import { HttpHeader } from "../../protocol/http-headers.js";
import { isJsonObject } from "../../protocol/json.js";
import { isLegacyRevision } from "../../protocol/revisions.js";
import { CallController } from "./call-controller.js";
import type { HeaderFields } from "./endpoint-client.js";

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

export class HttpSession {
  /** Ends the stream that belongs to the session. */
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

  /** Takes the revision from the answer to `initialize`. One that does not exist is for the negotiation to refuse. */
  settle(answer: unknown): void {
    const result = isJsonObject(answer) ? answer.result : undefined;
    const revision = isJsonObject(result) ? result.protocolVersion : undefined;
    if (isLegacyRevision(revision)) this.#revision = revision;
  }
}
