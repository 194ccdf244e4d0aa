/** A server's extensions. Clients that did not declare one can neither call its methods nor get its notifications and results. */
import type { Envelope } from "../era/era-codec.js";
import { invalidParams, methodNotFound, ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { isInRevision } from "../protocol/method-table.js";
import type { Era } from "../protocol/revisions.js";
import { ownFields } from "../routing/defined-message.js";
import type { Extension } from "../routing/extension.js";
import { declaredSettings, ExtensionSet, existsIn } from "../routing/extension-set.js";
import type { RequestHandler } from "../routing/router.js";
import type { JsonObject } from "../runtime/json.js";
import { validatorOf } from "../schema/schema-validator.js";
import type { ServerContext } from "./server-context.js";

export class ServerExtensions extends ExtensionSet<"server"> {
  /**
   * Wraps a handler in the check of the extension that defines the method, if any does. The wrapper throws -32601 in an era
   * without the extension, and -32021 (legacy: -32602) for a client that did not declare it.
   */
  gate(handler: RequestHandler<ServerContext>): RequestHandler<ServerContext> {
    return (params, context) => {
      const owner = this.ownerOf(context.method);
      // Where the specification has the method, its own entry applies.
      if (!owner || isInRevision(context.revision, context.method)) return handler(params, context);
      if (!existsIn(owner, context.era)) throw methodNotFound(context.method);
      if (owner.fallback.server !== "serve") requireExtension(owner, context);
      return handler(params, context);
    };
  }

  /** @throws {SdkError} `invalid-message` for a notification from a legacy client that did not declare its extension. */
  checkNotification(method: string, session: Envelope | undefined): void {
    const owner = session && this.ownerOf(method);
    if (!owner || declaredSettings(owner, session.era, session.clientCapabilities)) return;
    throw new SdkError("invalid-message", `${method} was dropped: the client did not declare ${owner.id}`);
  }

  /** The extension of a method or notification, if the client did not declare it; otherwise undefined. */
  undeclaredFor(method: string, era: Era, capabilities: Envelope["clientCapabilities"]): Extension | undefined {
    const owner = this.ownerOf(method);
    return owner && !declaredSettings(owner, era, capabilities) ? owner : undefined;
  }

  /**
   * Checks a result whose `resultType` is not the specification's, before it is sent.
   * @throws {ProtocolError} -32021 (legacy: -32602) for a client that did not declare the extension.
   * @throws {SdkError} `invalid-result` for a type that no extension defines, or a result that does not match its schema.
   */
  async checkResult(result: JsonObject, context: ServerContext): Promise<void> {
    const { method, era } = context;
    const owned = this.resultType(method, result.resultType);
    if (!owned) {
      // In the legacy era `resultType` is an ordinary member.
      if (era === "legacy") return;
      const kind = JSON.stringify(result.resultType);
      throw new SdkError(
        "invalid-result",
        `${method} was answered with a result of type ${kind}, which no extension of this server defines; add it with extend`,
      );
    }
    requireExtension(owned.extension, context);
    const checked = await validatorOf(owned.type.result)(ownFields(result));
    if (checked.ok) return;
    throw new SdkError("invalid-result", `${method}: ${describeIssues(checked.issues, "result")}`);
  }
}

/**
 * Requires that the client declared an extension. `what` names the request in the message.
 * @throws {ProtocolError} -32021 (legacy: -32602) for an undeclared extension, -32602 for malformed settings.
 */
export function requireExtension(extension: Extension, context: ServerContext, what: string = context.method): void {
  if (context.extension(extension)) return;
  const { id } = extension;
  const message = `${what} needs the extension ${id}, which the client did not declare in its capabilities`;
  const data = { requiredCapabilities: { extensions: { [id]: {} } } };
  throw context.era === "modern"
    ? new ProtocolError(ErrorCode.missingClientCapability, message, { data })
    : invalidParams(message, data);
}
