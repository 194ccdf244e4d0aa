import { ErrorCode } from "../protocol/error-codes.js";
import type { Revision } from "../protocol/revisions.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { shorten } from "../runtime/shorten.js";
import type { WireError } from "./error-mapping.js";

/** Marks the options of a received error. Not exported, so that no program can mark an error as received. */
const RECEIVED = Symbol("received");

/**
 * An error that crosses the wire: a handler throws one to answer with it, a client call rejects with one it received. A
 * received error that escapes a handler is answered -32603; to pass it on, throw a new one with its code, message and data.
 *
 * @example
 * server.tool("open", () => {
 *   throw new ProtocolError(4030, "Closed on Sundays", { data: { opens: "Monday" } });
 * });
 */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code: number;
  readonly data: unknown;
  readonly #isReceived: boolean;

  constructor(code: number, message: string, options: { data?: unknown; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data;
    this.#isReceived = RECEIVED in options;
  }

  /** Whether a peer answered with this error; false for one that was made on this side. */
  get isReceived(): boolean {
    return this.#isReceived;
  }
}

/** Makes the error of a peer's answer. */
export function receivedError(code: number, message: string, data: unknown): ProtocolError {
  const options = { data, [RECEIVED]: true };
  return new ProtocolError(code, message, options);
}

/**
 * Whether an error says that a resource does not exist: -32002 in the legacy era, and -32602 with the resource's URI in its
 * data in the modern one. A -32602 without a URI may be about anything else.
 *
 * @example
 * const note = await client.readResource("notes://today").catch((error: unknown) => {
 *   if (isResourceNotFound(error)) return undefined;
 *   throw error;
 * });
 */
export function isResourceNotFound(error: unknown): boolean {
  if (!(error instanceof ProtocolError)) return false;
  const { code, data } = error;
  if (code === ErrorCode.resourceNotFound) return true;
  return code === ErrorCode.invalidParams && isJsonObject(data) && typeof data.uri === "string";
}

export function invalidRequest(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.invalidRequest, message);
}

export function methodNotFound(method: string): ProtocolError {
  return new ProtocolError(ErrorCode.methodNotFound, `Method not found: ${shorten(method)}`);
}

export function invalidParams(message: string, data?: unknown): ProtocolError {
  return new ProtocolError(ErrorCode.invalidParams, message, { data });
}

/** Longer than any revision: a peer's text is not repeated beyond it. */
const MAX_SHOWN_REVISION = 64;

/** `given` is a peer's text, or something else that is no revision. */
export function unsupportedRevision(given: unknown, supported: readonly Revision[]): ProtocolError {
  const requested = typeof given === "string" ? given.slice(0, MAX_SHOWN_REVISION) : "(none)";
  return new ProtocolError(
    ErrorCode.unsupportedRevision,
    `Unsupported protocol version ${requested}; this server speaks ${supported.join(", ")}`,
    { data: { supported: [...supported], requested } },
  );
}

export function missingClientCapability(requiredCapabilities: JsonObject): ProtocolError {
  const names = Object.keys(requiredCapabilities).join(", ");
  return new ProtocolError(
    ErrorCode.missingClientCapability,
    `This request needs client capabilities that were not declared: ${names}`,
    { data: { requiredCapabilities } },
  );
}

/** The `data` of an error for a request whose access token lacks scopes. */
export interface MissingScopes {
  /** All scopes that the operation needs, including those that the token has. */
  readonly scopes: readonly string[];
}

/** The error for a request whose access token lacks scopes. Over HTTP the answer is 403 with a challenge. */
export function insufficientScope(scopes: readonly string[]): ProtocolError {
  const data: MissingScopes = { scopes };
  const message = `Insufficient scope: this needs an access token with ${scopes.join(" ")}`;
  return new ProtocolError(ErrorCode.insufficientScope, message, { data });
}

/** The scopes that an error asks for; undefined for any other error. */
export function neededScopesIn({ code, data }: WireError): readonly string[] | undefined {
  if (code !== ErrorCode.insufficientScope || !isJsonObject(data) || !Array.isArray(data.scopes)) return undefined;
  return data.scopes.map(String);
}
