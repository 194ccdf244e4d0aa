/** The interface that shows a login page and receives the redirect: a loopback server, a web application's callback, a test. */

/** Shows the authorization URL to the user and receives the response that the browser brings back. */
export interface RedirectReceiver {
  /** The redirect URI that the client registers and sends. The authorization server compares it exactly. */
  readonly redirectUri: string;
  /**
   * Shows `url` to the user and resolves with the query of the redirect whose `state` is the given one. The client checks the
   * query, so a receiver need not.
   * @throws `signal.reason` once `signal` aborts: the caller has given up, or the login took too long.
   */
  receive(url: URL, state: string, signal: AbortSignal): Promise<URLSearchParams>;
  /** Releases the receiver's resources, such as a port. */
  close?(): Promise<void>;
}
