import { expect, test } from "vitest";
import { ErrorCode, isModernErrorCode } from "./error-codes.js";

test("no two errors share a code", () => {
  const codes = Object.values(ErrorCode);
  expect(new Set(codes).size).toBe(codes.length);
});

test("the codes are those of JSON-RPC and of the specification, and two outside their ranges", () => {
  expect(ErrorCode).toEqual({
    parseError: -32700,
    invalidRequest: -32600,
    methodNotFound: -32601,
    invalidParams: -32602,
    internalError: -32603,
    resourceNotFound: -32002,
    headerMismatch: -32020,
    missingClientCapability: -32021,
    unsupportedRevision: -32022,
    urlElicitationRequired: -32042,
    tooManyRequests: 429,
    insufficientScope: 403,
  });
});

test("only the three errors of the modern era tell that a server is modern", () => {
  const telling = Object.entries(ErrorCode).filter(([, code]) => isModernErrorCode(code));
  expect(telling.map(([name]) => name)).toEqual(["headerMismatch", "missingClientCapability", "unsupportedRevision"]);
});
