/** What went wrong on this side of the wire. The codes are strings so that nobody takes one for a peer's answer. */
export type SdkErrorCode =
  /** The request's time ran out; its peer was told to stop. */
  | "request-timeout"
  /** The caller's signal aborted the request. */
  | "request-aborted"
  /** The connection ended before the answer came, or was closed before the call. */
  | "connection-closed"
  /** A request with this id is still waiting for its answer. */
  | "request-id-in-use"
  /** An answer arrived for a request that is not waiting (any more). */
  | "unexpected-answer"
  /** The peer's message is not valid JSON-RPC. */
  | "invalid-message"
  /** The peer's answer lacks what its method promises. */
  | "invalid-result"
  /** The peer answered with a kind of result this side does not know. */
  | "unknown-result-type"
  /** The call asks for something this side's or the peer's declared capabilities exclude. */
  | "capability-not-supported"
  /** The two sides share no protocol revision. */
  | "no-shared-revision"
  /** The method does not exist in the revision in use. */
  | "method-not-in-revision"
  /** A context was used after its request had ended. */
  | "context-ended"
  /** A list went on past the page limit. */
  | "too-many-pages"
  /** A schema cannot be used: unknown dialect, remote reference, or over the limits. */
  | "unusable-schema"
  /** An option, name or registration is not acceptable. */
  | "invalid-argument"
  /** A name is taken already. */
  | "duplicate-name"
  /** The handshake must finish before this can be sent. */
  | "not-initialized"
  /** A handler asked something else than in an earlier round of the same request. */
  | "questions-changed"
  /** The server asked for input more often than this side answers. */
  | "too-many-rounds"
  /** The server's program could not be started. */
  | "spawn-failed"
  /** The server answered with an HTTP status that is no success, and without a JSON-RPC error. */
  | "http-error"
  /** The server does not know the session (any more). */
  | "session-expired"
  /** The response ended before the answer came. */
  | "stream-ended"
  /** The peer sent more than the limit allows. */
  | "too-large"
  /** The server wants a login, or scopes, that this side has no way to get. */
  | "authorization-required"
  /** The login was stopped: by this side's checks, by the user, or by a server, whose `OAuthError` is the cause. */
  | "authorization-failed"
  /** A handler threw something that is not a protocol error; the peer was told nothing of it. */
  | "handler-failed";

/**
 * An error of this side: never received from a peer, never sent to one. `code` names the failure.
 *
 * @example
 * await client.callTool("report", {}, { timeoutMs: 5_000 }).catch((error: unknown) => {
 *   if (!(error instanceof SdkError && error.code === "request-timeout")) throw error;
 * });
 */
export class SdkError extends Error {
  override readonly name = "SdkError";
  readonly code: SdkErrorCode;
  /** The JSON-RPC code a peer would have answered with, where there is one. */
  readonly wireCode: number | undefined;
  /** The HTTP status behind it, where there is one. */
  readonly status: number | undefined;

  constructor(
    code: SdkErrorCode,
    message: string,
    options: { cause?: unknown; wireCode?: number; status?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.wireCode = options.wireCode;
    this.status = options.status;
  }
}

/** Runs `run`, and puts a prefix before the message of an `SdkError` that it throws: `tool "add": input: …`. */
export function withErrorPrefix<Value>(prefix: string, run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof SdkError)) throw error;
    throw new SdkError(error.code, `${prefix}: ${error.message}`, { cause: error });
  }
}
