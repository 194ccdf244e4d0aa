/** Compares HTTP headers with the values of the request body that they mirror. */
import { ProtocolError } from "../errors/protocol-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { type ToolHeader, valueAt } from "../protocol/tool-header-annotations.js";
import { shorten } from "../runtime/shorten.js";
import { decodeHeaderValue, type HeaderValueError } from "../wire/header-value.js";

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The fault of the first header that does not match its tool argument; undefined if all match. */
export function findParamFault(
  headers: readonly ToolHeader[],
  args: unknown,
  stated: (header: string) => string | undefined,
): ProtocolError | undefined {
  for (const { header, path } of headers) {
    const fault = compareArgument(header, stated(header), valueAt(args, path));
    if (fault) return fault;
  }
  return undefined;
}

function compareArgument(header: string, stated: string | undefined, value: unknown): ProtocolError | undefined {
  const isMirrored = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  if (isMirrored) return compareValue(header, stated, value, false);
  return stated === undefined ? undefined : mismatch(header, "is there, but the body has no value for it");
}

/** The fault of a header that does not match its value of the body; undefined if it matches. */
export function compareValue(
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
    // `decodeHeaderValue` throws nothing else.
    return mismatch(header, `is malformed: ${(cause as HeaderValueError).message}`);
  }
  if (typeof value !== "number") return text === String(value) ? undefined : mismatch(header, differs(text, value));
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return mismatch(header, "is for an integer beyond 2^53");
  return NUMBER.test(text) && Number(text) === value ? undefined : mismatch(header, differs(text, value));
}

export function differs(stated: string, value: unknown): string {
  return `says ${shown(stated)}, but the body says ${shown(value)}`;
}

function shown(value: unknown): string {
  return JSON.stringify(typeof value === "string" ? shorten(value) : value);
}

export function mismatch(header: string, complaint: string): ProtocolError {
  return new ProtocolError(ErrorCode.headerMismatch, `Header mismatch: ${header} ${complaint}`);
}
