/** Error codes that the specification reserves, and the codes that a server sends when a handler throws one of them. */

import { elicitParamsShape } from "../protocol/elicitation.js";
import { ErrorCode } from "../protocol/error-codes.js";
import type { Revision } from "../protocol/revisions.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";

const LAST_RESERVED = -32000;
const FIRST_RESERVED = -32099;

/** The reserved codes that the modern era defines. Each function checks that `data` has the members the code requires. */
const MODERN_CODES: ReadonlyMap<number, (data: JsonObject) => boolean> = new Map<number, (data: JsonObject) => boolean>(
  [
    [ErrorCode.headerMismatch, () => true],
    [ErrorCode.missingClientCapability, ({ requiredCapabilities }) => isJsonObject(requiredCapabilities)],
    [
      ErrorCode.unsupportedRevision,
      ({ supported, requested }) => Array.isArray(supported) && typeof requested === "string",
    ],
  ],
);

/** The code that a modern server sends for the code of a handler's error. */
export function modernCode(code: number, data: unknown): number {
  if (code < FIRST_RESERVED || code > LAST_RESERVED) return code;
  if (code === ErrorCode.resourceNotFound) return ErrorCode.invalidParams;
  const isMeant = MODERN_CODES.get(code)?.(isJsonObject(data) ? data : {}) ?? false;
  return isMeant ? code : ErrorCode.internalError;
}

/** The code that a legacy server sends. The only reserved code is -32042, which 2025-11-25 alone defines. */
export function legacyCode(code: number, data: unknown, revision: Revision): number {
  if (code !== ErrorCode.urlElicitationRequired) return code;
  return revision === "2025-11-25" && namesPages(data) ? code : ErrorCode.internalError;
}

function namesPages(data: unknown): boolean {
  if (!isJsonObject(data) || !Array.isArray(data.elicitations) || data.elicitations.length === 0) return false;
  return data.elicitations.every(isPage);
}

function isPage(page: unknown): boolean {
  return (
    isJsonObject(page) && page.mode === "url" && typeof page.elicitationId === "string" && !elicitParamsShape(page)
  );
}
