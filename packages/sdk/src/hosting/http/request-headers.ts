/**
 * Compares the headers of a modern request with its body. A proxy that routes by headers and a server that reads the body
 * then see the same values. The order of the checks is the one that the official conformance suite expects.
 */
import { modernServerCodec } from "../../era/modern-codec.js";
import { invalidParams, type ProtocolError, unsupportedRevision } from "../../errors/protocol-error.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import { HttpHeader, mirroredName } from "../../protocol/http-headers.js";
import { MetaKey } from "../../protocol/meta-keys.js";
import { isModernRevision, type Revision } from "../../protocol/revisions.js";
import type { ToolHeader } from "../../protocol/tool-header-annotations.js";
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { compareValue, differs, findParamFault, mismatch } from "../../server/param-headers.js";
import type { JsonRpcRequest } from "../../wire/json-rpc.js";
import type { HttpRequest } from "./http-host.js";

/** The facts about the server that the header check needs. */
export interface MirroringServer {
  readonly revisions: readonly Revision[];
  toolHeaders(name: string): readonly ToolHeader[] | undefined;
  /** The param of an author's own method that `Mcp-Name` repeats. */
  mirroredParam(method: string): string | undefined;
}

/** The error of a modern request whose envelope is invalid, or whose headers differ from its body. */
export function findHeaderFault(
  { method, params }: JsonRpcRequest,
  request: HttpRequest,
  server: MirroringServer,
): ProtocolError | undefined {
  const stated = request.header(HttpHeader.revision);
  const named = namedRevision(params);
  if (named === undefined && method === "initialize" && !isModernRevision(stated)) {
    // A legacy client cannot switch to the modern era, so its user may see only the revisions in this message.
    return unsupportedRevision(params?.protocolVersion, server.revisions.filter(isModernRevision));
  }
  if (stated === undefined) return mismatch("MCP-Protocol-Version", "is missing");
  if (named === undefined) {
    const isSpoken = isModernRevision(stated) && server.revisions.includes(stated);
    return isSpoken ? findEnvelopeFault(params, server.revisions) : unsupportedRevision(stated, server.revisions);
  }
  const revisionFault = stated === named ? undefined : mismatch("MCP-Protocol-Version", differs(stated, named));
  const fault = revisionFault ?? findMirrorFault(method, params, request, server);
  // Decoded here only after a fault: serving a valid request decodes its envelope anyway.
  const envelopeFault = fault && findEnvelopeFault(params, server.revisions);
  if (envelopeFault?.code === ErrorCode.invalidParams) return envelopeFault;
  return revisionFault ?? envelopeFault ?? fault;
}

/** The error of an invalid envelope: the part of `_meta` that every modern request needs. */
export function findEnvelopeFault(
  params: JsonObject | undefined,
  supported: readonly Revision[],
): ProtocolError | undefined {
  try {
    modernServerCodec.decodeRequest(params, supported, undefined);
    return undefined;
  } catch (fault) {
    // `decodeRequest` throws no other errors.
    return fault as ProtocolError;
  }
}

function namedRevision(params: JsonObject | undefined): unknown {
  const meta = params?._meta;
  return isJsonObject(meta) ? meta[MetaKey.protocolVersion] : undefined;
}

function findMirrorFault(
  method: string,
  params: JsonObject | undefined,
  request: HttpRequest,
  server: MirroringServer,
): ProtocolError | undefined {
  const stated = request.header(HttpHeader.method);
  if (stated === undefined) return mismatch("Mcp-Method", "is missing");
  if (stated !== method) return mismatch("Mcp-Method", differs(stated, method));
  const defined = server.mirroredParam(method);
  const name = mirroredName(method, params, defined);
  if (name === undefined) return defined === undefined ? undefined : findUnmirroredFault(defined, params, request);
  const isOptional = defined === undefined && method.startsWith("tasks/");
  const nameFault = compareValue("Mcp-Name", request.header(HttpHeader.name), name, isOptional);
  if (nameFault || method !== "tools/call") return nameFault;
  return findParamFault(server.toolHeaders(name) ?? [], params?.arguments, (header) => request.header(header));
}

/** The error of a request whose mirrored param is no string, which no header can repeat. An absent param may have no header. */
function findUnmirroredFault(
  name: string,
  params: JsonObject | undefined,
  request: HttpRequest,
): ProtocolError | undefined {
  const value = params?.[name];
  if (request.header(HttpHeader.name) !== undefined)
    return mismatch("Mcp-Name", `is there, but params.${name} is no string`);
  return value === undefined ? undefined : invalidParams(`params.${name}: expected a string, which Mcp-Name repeats`);
}
