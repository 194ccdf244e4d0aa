/**
 * The seam between the authorization endpoint and a way to log in. The endpoint owns cookies, form tokens, pages, consent
 * and redirects. A provider says what to ask the user, or where to send the browser, and who the user is.
 */
import type { JsonObject } from "../../runtime/json.js";
import type { UpstreamToken } from "../../transport/auth-info.js";

/** A person who has logged in. */
export interface LoggedInUser {
  /** The `sub` of access tokens: unique at this issuer and never given to somebody else. */
  readonly subject: string;
  /** The name that the consent page shows. @defaultValue the subject */
  readonly name?: string;
  /**
   * Facts that clients must not see, such as sealed tokens of an upstream provider. The store keeps them with the grant, and
   * `upstreamToken` of the provider reads them.
   */
  readonly upstream?: JsonObject;
  /**
   * Changes with the password or another secret of the user. The store keeps it with sessions and grants, and `isStillValid` of
   * the provider compares it.
   */
  readonly credentialDigest?: string;
}

/** An authorization request whose user is being asked to log in. */
export interface LoginTransaction {
  /** Unguessable, and fit for the `state` of a request to an upstream provider. */
  readonly id: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** The `login_hint` of the authorization request. */
  readonly loginHint?: string;
  /** The URL that an upstream provider sends the browser back to. Its `state` must be the id of the transaction. */
  readonly callbackUrl: string;
  /** The address of the browser, where the host knows it. */
  readonly address?: string;
  /** The object that the provider's last redirect asked to be remembered. */
  readonly remembered?: JsonObject;
}

/** One input of a login form. */
export interface LoginField {
  readonly name: string;
  readonly label: string;
  readonly type: "text" | "password";
  /** The `autocomplete` attribute of the input. */
  readonly autocomplete?: string;
}

/** An upstream provider that the user may choose. */
export interface LoginChoice {
  /** The `provider` of the form that comes to `finish`. */
  readonly name: string;
  readonly label: string;
  /** The permissions that this server asks the provider for. */
  readonly scopes: readonly string[];
}

/** The next step of a login. */
export type LoginStep =
  /**
   * Asks for consent before the user is known, as a redirect to an upstream provider needs it. The form comes to `finish`, with
   * the `provider` that the user chose, or the `decision` `deny`.
   */
  | { readonly kind: "consent"; readonly choices: readonly LoginChoice[] }
  /** The user is known. Consent is next, unless a step `consent` has asked for it: then no session is kept either. */
  | { readonly kind: "user"; readonly user: LoggedInUser; readonly isApproved?: boolean }
  /** A form of this server, with a message such as "Wrong name or password". Its values come to `finish`. */
  | { readonly kind: "form"; readonly fields: readonly LoginField[]; readonly message?: string }
  /** The browser goes elsewhere and comes back to `callbackUrl`. `remember` is kept with the transaction. */
  | { readonly kind: "redirect"; readonly url: string; readonly remember?: JsonObject }
  /** The login is over. The client gets this error; after a page with the message, if there is one. */
  | {
      readonly kind: "failed";
      readonly error: "access_denied" | "server_error" | "temporarily_unavailable";
      readonly description: string;
      readonly message?: string;
    };

/** The browser's reply to the last step: the fields of the form, or the query of the callback. */
export interface LoginReply {
  readonly from: "form" | "callback";
  readonly parameters: URLSearchParams;
  /** The path that a callback came to. */
  readonly path?: string;
}

/** The `upstream` of a user, as the store keeps it with a grant. */
export interface KeptUpstream {
  /** Names the grant. */
  readonly key: string;
  readonly subject: string;
  /** Undefined once the grant has ended. */
  read(): Promise<JsonObject | undefined>;
  /** Replaces the record that was read. Does nothing if the grant has another one meanwhile, or has ended. */
  replace(before: JsonObject, after: JsonObject): Promise<void>;
  /** Revokes the grant with the record that was read, since the upstream provider has ended its own. */
  revoke(before: JsonObject): Promise<void>;
}

/**
 * A way to log in.
 *
 * The endpoint calls `finish` only for the browser that `start` was called for, and only with a valid form token or `state`.
 * An error that either throws is reported to `onError`; the client gets `server_error`.
 */
export interface LoginProvider {
  /** Names of callback paths below `callbackUrl`, so that each upstream provider has one of its own. @defaultValue none */
  readonly callbacks?: readonly string[];
  start(transaction: LoginTransaction): Promise<LoginStep>;
  finish(transaction: LoginTransaction, reply: LoginReply): Promise<LoginStep>;
  /** The token behind `upstream` of a user whose grant is valid. Handlers get it as `context.auth.upstream()`. */
  upstreamToken?(kept: KeptUpstream): Promise<UpstreamToken | undefined>;
  /**
   * Whether a user who logged in earlier still has access. The server asks when a client refreshes and when a browser that is
   * logged in comes back; false ends the grant or the session. An error refuses the request and ends nothing.
   * @defaultValue every user has access until the grant or the session ends
   */
  isStillValid?(user: Pick<LoggedInUser, "subject" | "credentialDigest">): Promise<boolean>;
}
