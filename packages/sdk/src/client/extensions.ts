/**
 * The gates of a client's extensions: what the server did not declare is not asked of it, and what it sends by an
 * extension that it did not declare is dropped. Of a server that was asked nothing, everything is taken to be there.
 */
import type { ClientIdentity } from "../era/era-codec.js";
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import { ErrorCode } from "../protocol/error-codes.js";
import type { InputRequest } from "../protocol/input-required.js";
import type { JsonObject } from "../protocol/json.js";
import { findRequest } from "../protocol/method-table.js";
import { eraOf } from "../protocol/revisions.js";
import { explain } from "../protocol/shape.js";
import { ownFields, readAnswer } from "../routing/defined-message.js";
import { checkDeclaredIds, type DeclaredExtension, type Extension } from "../routing/extension.js";
import { declaredSettings, ExtensionSet, existsIn, type OwnedResultType } from "../routing/extension-set.js";
import { type MethodDefinition, nameOf } from "../routing/method-definition.js";
import { type PeerExtension, peerExtension } from "../routing/peer-extension.js";
import type { ExtensionCall } from "../routing/result-type.js";
import type { Schema, SchemaOutput } from "../schema/schema.js";
import { validatorOf } from "../schema/schema-validator.js";
import type { InputContext } from "./input-handlers.js";
import type { Link } from "./link.js";
import type { Verdict } from "./negotiation.js";
import type { FetchOptions } from "./open-connection.js";
import { unlessAborted } from "./patience.js";

type Answer = (request: InputRequest, context: InputContext) => Promise<JsonObject>;
type Connection = Pick<Link, "request" | "verdict">;

export class ClientExtensions extends ExtensionSet<"client"> {
  readonly #answer: Answer;

  /** @param answer answers a question of the server by the client's handlers */
  constructor(extensions: readonly (Extension | DeclaredExtension<"client">)[] | undefined, answer: Answer) {
    super("client", extensions);
    this.#answer = answer;
  }

  /** What the client declares, by era. @throws {SdkError} `invalid-argument` for an identifier against the rules. */
  declareIn(capabilities: ClientCapabilities): Pick<ClientIdentity, "capabilities" | "legacyCapabilities"> {
    checkDeclaredIds(capabilities.extensions);
    const extensions = this.declaration("modern", capabilities.extensions);
    const legacy = this.declaration("legacy", capabilities.extensions);
    return {
      capabilities: extensions ? { ...capabilities, extensions } : capabilities,
      legacyCapabilities: legacy ? { ...capabilities, extensions: legacy } : capabilities,
    };
  }

  /** An extension as the server declared it. @throws {SdkError} `invalid-result` for settings that break its schema. */
  peer<Settings extends Schema>(
    extension: Extension<Schema, Settings>,
    { revision, server }: Verdict,
  ): PeerExtension<SchemaOutput<Settings>> | undefined {
    const settings = declaredSettings(extension, eraOf(revision), server.capabilities ?? {});
    if (!settings) return undefined;
    return peerExtension(
      extension,
      extension.serverSettings,
      settings,
      (_where, complaint) => new SdkError("invalid-result", `The server sent: ${complaint}`),
    );
  }

  /** The extension of a method or notification, if the server is known not to have it. */
  lackingAt(method: string, { revision, server }: Verdict): Extension | undefined {
    const owner = this.ownerOf(method);
    if (!owner) return undefined;
    return server.capabilities && !declaredSettings(owner, eraOf(revision), server.capabilities) ? owner : undefined;
  }

  /** Why a request must not be sent, if it must not. */
  refusal(method: string, verdict: Verdict): SdkError | undefined {
    const lacking = this.lackingAt(method, verdict);
    if (!lacking) return undefined;
    return new SdkError(
      "capability-not-supported",
      existsIn(lacking, eraOf(verdict.revision))
        ? `${method} was not sent: the server did not declare the extension ${lacking.id}`
        : `${method} was not sent: the extension ${lacking.id} does not exist in protocol revision ${verdict.revision}`,
      { wireCode: ErrorCode.methodNotFound },
    );
  }

  /** @throws {SdkError} `invalid-message` for what a server sends by an extension that it did not declare. */
  checkIncoming(method: string, verdict: Verdict): void {
    const lacking = this.lackingAt(method, verdict);
    if (!lacking) return;
    throw new SdkError("invalid-message", `${method} was dropped: the server did not declare ${lacking.id}`);
  }

  /** What the extension does instead of a request that the server would not know, if it names something. */
  insteadOf(
    connection: Connection,
    method: string,
    params: JsonObject,
    options: FetchOptions,
  ): Promise<JsonObject> | undefined {
    const fallback = this.lackingAt(method, connection.verdict)?.fallback.client;
    return fallback && this.#finish(fallback, this.#callOf(connection, method, params, options));
  }

  /** The extension that may answer a request in this way. */
  resultTypeOf(method: string, answer: JsonObject, { revision, server }: Verdict): OwnedResultType | undefined {
    const owned = this.resultType(method, answer.resultType);
    const era = eraOf(revision);
    const isIn = owned && era === "modern";
    return isIn && (!server.capabilities || declaredSettings(owned.extension, era, server.capabilities))
      ? owned
      : undefined;
  }

  /** An answer, settled by the extension that brings its kind if it is no finished result. */
  async settle(
    connection: Connection,
    method: string,
    params: JsonObject,
    answer: JsonObject,
    options: FetchOptions,
  ): Promise<JsonObject> {
    const owned = this.resultTypeOf(method, answer, connection.verdict);
    if (!owned) return answer;
    const value = await readResult(owned, method, answer);
    const call = this.#callOf(connection, method, params, options);
    const settled = await this.#finish(() => owned.type.settle(value, call), call);
    const fault = findRequest(connection.verdict.revision, "client", method)?.result(settled);
    const complaint = fault ? explain(fault, "result") : unfinished(settled);
    if (complaint === undefined) return settled;
    throw new SdkError("invalid-result", `${method}, settled by ${owned.extension.id}: ${complaint}`);
  }

  async #finish(run: (call: ExtensionCall) => object | Promise<object>, call: ExtensionCall): Promise<JsonObject> {
    const running = (async () => run(call))();
    const { signal, method } = call;
    return { ...(await unlessAborted(running, method, signal)) };
  }

  #callOf(connection: Connection, method: string, params: JsonObject, options: FetchOptions): ExtensionCall {
    const { signal, timeoutMs } = options;
    const { revision } = connection.verdict;
    const given: FetchOptions = { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
    const request = async (asked: string | MethodDefinition, own: JsonObject = {}): Promise<unknown> => {
      // A fallback must not lead back to itself.
      const refusal = this.refusal(nameOf(asked), connection.verdict);
      if (refusal) throw refusal;
      const answer = await connection.request(nameOf(asked), own, given);
      return typeof asked === "string" ? answer : readAnswer(asked, answer);
    };
    return {
      method,
      params,
      revision,
      signal,
      // One implementation of two overloads.
      request: request as ExtensionCall["request"],
      answer: (question) => this.#answer(question, { signal, revision }),
    };
  }
}

/** Checks a result of an extension's kind. @throws {SdkError} `invalid-result` */
export async function readResult({ type }: OwnedResultType, method: string, answer: JsonObject): Promise<JsonObject> {
  const checked = await validatorOf(type.result)(ownFields(answer));
  if (!checked.ok) throw new SdkError("invalid-result", `${method}: ${describeIssues(checked.issues, "result")}`);
  // What the schema yields is what the definition of the kind says.
  return checked.value as JsonObject;
}

function unfinished({ resultType = "complete" }: JsonObject): string | undefined {
  return resultType === "complete"
    ? undefined
    : `result.resultType: expected "complete", got ${JSON.stringify(resultType)}`;
}
