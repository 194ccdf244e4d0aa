/** The gates of a server's extensions: who did not declare one neither calls its methods nor gets what it brings. */
import type { Envelope } from "../era/era-codec.js";
import { invalidParams, methodNotFound, ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import type { ServerCapabilities } from "../protocol/capabilities.js";
import { ErrorCode } from "../protocol/error-codes.js";
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
   * The handler of any method, with the gate of the extension that brings the method.
   * The gate throws -32601 where the extension does not exist, -32021 (legacy: -32602) where it was not declared.
   */
  gate(handler: RequestHandler<ServerContext>): RequestHandler<ServerContext> {
    return (params, context) => {
      const owner = this.ownerOf(context.method);
      if (!owner) return handler(params, context);
      if (!existsIn(owner, context.era)) throw methodNotFound(context.method);
      if (owner.fallback.server !== "serve") requireExtension(owner, context);
      return handler(params, context);
    };
  }

  /** What the server declares in an era. */
  declareIn(era: Era, capabilities: ServerCapabilities): ServerCapabilities {
    const extensions = this.declaration(era, capabilities.extensions);
    return extensions ? { ...capabilities, extensions } : capabilities;
  }

  /** @throws {SdkError} `invalid-message` for a notification from a legacy client that did not declare its extension. */
  checkNotification(method: string, session: Envelope | undefined): void {
    const owner = session && this.ownerOf(method);
    if (!owner || declaredSettings(owner, session.era, session.clientCapabilities)) return;
    throw new SdkError("invalid-message", `${method} was dropped: the client did not declare ${owner.id}`);
  }

  /** The extension of a method or notification, if the client it is meant for did not declare it. */
  lackingFor(method: string, era: Era, capabilities: Envelope["clientCapabilities"]): Extension | undefined {
    const owner = this.ownerOf(method);
    return owner && !declaredSettings(owner, era, capabilities) ? owner : undefined;
  }

  /**
   * Checks a result of another kind than the specification's before it goes out.
   * @throws {ProtocolError} -32021 (legacy: -32602) for a client that did not declare the extension.
   * @throws {SdkError} `invalid-result` for a kind that no extension brings, or one that breaks its schema.
   */
  async checkResult(result: JsonObject, context: ServerContext): Promise<void> {
    const { method, era } = context;
    const owned = this.resultType(method, result.resultType);
    if (!owned) {
      // Before there were kinds of results, a field of this name was the author's own.
      if (era === "legacy") return;
      const kind = JSON.stringify(result.resultType);
      throw new SdkError(
        "invalid-result",
        `${method} was answered with a result of type ${kind}, which nothing defines`,
      );
    }
    requireExtension(owned.extension, context);
    const checked = await validatorOf(owned.type.result)(ownFields(result));
    if (checked.ok) return;
    throw new SdkError("invalid-result", `${method}: ${describeIssues(checked.issues, "result")}`);
  }
}

/** @throws {ProtocolError} -32021 in the modern era, -32602 in the legacy one; -32602 for malformed settings. */
function requireExtension(extension: Extension, context: ServerContext): void {
  if (context.extension(extension)) return;
  const { id } = extension;
  const message = `${context.method} needs the extension ${id}, which the client did not declare in its capabilities`;
  const data = { requiredCapabilities: { extensions: { [id]: {} } } };
  throw context.era === "modern"
    ? new ProtocolError(ErrorCode.missingClientCapability, message, { data })
    : invalidParams(message, data);
}
