/** The numeric codes that may cross the wire. */
export const ErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Legacy only: modern servers answer `invalidParams`. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedRevision: -32022,
  /** 2025-11-25 only. */
  urlElicitationRequired: -32042,
  /** A limit was reached. Outside the range that JSON-RPC reserves, as the specification asks of codes it does not define. */
  tooManyRequests: 429,
  /** The access token lacks scopes. Outside that range, too. */
  insufficientScope: 403,
} as const;

const MODERN_ERRORS: ReadonlySet<number> = new Set([
  ErrorCode.headerMismatch,
  ErrorCode.missingClientCapability,
  ErrorCode.unsupportedRevision,
]);

/** Whether only a modern server can have sent this code: such an answer to a probe rules out the legacy handshake. */
export function isModernErrorCode(code: number): boolean {
  return MODERN_ERRORS.has(code);
}
