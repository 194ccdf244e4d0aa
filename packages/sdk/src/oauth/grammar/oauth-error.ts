/** An error response of OAuth: a code such as `invalid_grant`, as an authorization server or a resource sends it. */
export class OAuthError extends Error {
  override readonly name = "OAuthError";
  /** The `error` of the response: a code of RFC 6749 or of an extension. */
  readonly code: string;
  /** The `error_description` of the response. */
  readonly description: string | undefined;
  /** The HTTP status of the response. */
  readonly status: number | undefined;

  constructor(code: string, description?: string, options: { cause?: unknown; status?: number } = {}) {
    const message = description === undefined ? code : `${code}: ${description}`;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.description = description;
    this.status = options.status;
  }
}
