/**
 * Holds the headers of a modern request against its body, so that nobody on the way can be told one thing and the
 * server another. Faults are answered in the order that the specification's own probes expect.
 */
import { modernCodec } from "../../era/modern-codec.js";
import { ProtocolError, unsupportedRevision } from "../../errors/protocol-error.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import { HttpHeader, mirroredName } from "../../protocol/http-headers.js";
import { isJsonObject, type JsonObject } from "../../protocol/json.js";
import { MetaKey } from "../../protocol/meta-keys.js";
import { isModernRevision, type Revision } from "../../protocol/revisions.js";
import { type ToolHeader, valueAt } from "../../protocol/tool-header-annotations.js";
import { decodeHeaderValue, type HeaderValueError } from "../../wire/header-value.js";
import type { JsonRpcRequest } from "../../wire/json-rpc.js";
import type { HttpRequest } from "./http-exchange.js";

/** What must be known of the server to check a request's headers. */
export interface MirroringServer {
  readonly revisions: readonly Revision[];
  toolHeaders(name: string): readonly ToolHeader[] | undefined;
}

/** Characters of a peer's value that a complaint repeats. */
const MAX_SHOWN_CHARS = 100;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Why a request cannot be served as a modern one, if it cannot: its envelope is missing, or its headers say otherwise. */
export function findHeaderFault(
  { method, params }: JsonRpcRequest,
  request: HttpRequest,
  server: MirroringServer,
): ProtocolError | undefined {
  const stated = request.header(HttpHeader.revision);
  const named = namedRevision(params);
  if (named === undefined && method === "initialize" && !isModernRevision(stated)) {
    // Old clients cannot fall forward: the revisions named here may be all that their user gets to see.
    return unsupportedRevision(params?.protocolVersion, server.revisions.filter(isModernRevision));
  }
  if (stated === undefined) return mismatch("MCP-Protocol-Version", "is missing");
  if (named === undefined) {
    const isSpoken = isModernRevision(stated) && server.revisions.includes(stated);
    return isSpoken ? findEnvelopeFault(params, server.revisions) : unsupportedRevision(stated, server.revisions);
  }
  const revisionFault = stated === named ? undefined : mismatch("MCP-Protocol-Version", differs(stated, named));
  const fault = revisionFault ?? findMirrorFault(method, params, request, server);
  // What is read here again is read once more when the request is served, so only those that fail pay for it.
  const envelopeFault = fault && findEnvelopeFault(params, server.revisions);
  if (envelopeFault?.code === ErrorCode.invalidParams) return envelopeFault;
  return revisionFault ?? envelopeFault ?? fault;
}

/** What is wrong with the part of `_meta` that every modern request needs. */
export function findEnvelopeFault(
  params: JsonObject | undefined,
  supported: readonly Revision[],
): ProtocolError | undefined {
  try {
    modernCodec.decodeRequest(params, supported, undefined);
    return undefined;
  } catch (fault) {
    // It throws nothing else.
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
  const name = mirroredName(method, params);
  if (name === undefined) return undefined;
  const nameFault = compareValue("Mcp-Name", request.header(HttpHeader.name), name, method.startsWith("tasks/"));
  if (nameFault || method !== "tools/call") return nameFault;
  for (const { header, path } of server.toolHeaders(name) ?? []) {
    const fault = compareArgument(header, request.header(header), valueAt(params?.arguments, path));
    if (fault) return fault;
  }
  return undefined;
}

function compareArgument(header: string, stated: string | undefined, value: unknown): ProtocolError | undefined {
  const isMirrored = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  if (isMirrored) return compareValue(header, stated, value, false);
  return stated === undefined ? undefined : mismatch(header, "is there, but the body has no value for it");
}

function compareValue(
  header: string,
  stated: string | undefined,
  value: string | number | boolean,
  isOptional: boolean,
): ProtocolError | undefined {
  if (stated === undefined) return isOptional ? undefined : mismatch(header, "is missing");
  let text: string;
  try {
    text = decodeHeaderValue(stated);
  } catch (cause) {
    // It throws nothing else.
    return mismatch(header, `is malformed: ${(cause as HeaderValueError).message}`);
  }
  if (typeof value !== "number") return text === String(value) ? undefined : mismatch(header, differs(text, value));
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return mismatch(header, "is for an integer beyond 2^53");
  return NUMBER.test(text) && Number(text) === value ? undefined : mismatch(header, differs(text, value));
}

function differs(stated: string, value: unknown): string {
  return `says ${shown(stated)}, but the body says ${shown(value)}`;
}

function shown(value: unknown): string {
  const isLong = typeof value === "string" && value.length > MAX_SHOWN_CHARS;
  return JSON.stringify(isLong ? `${value.slice(0, MAX_SHOWN_CHARS)}…` : value);
}

function mismatch(header: string, complaint: string): ProtocolError {
  return new ProtocolError(ErrorCode.headerMismatch, `Header mismatch: ${header} ${complaint}`);
}
