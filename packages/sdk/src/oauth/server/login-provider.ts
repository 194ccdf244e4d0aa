/**
 * The seam between the authorization endpoint and a way to log in. The endpoint owns cookies, form tokens, pages, consent
 * and redirects. A provider says what to ask the user, or where to send the browser, and who the user is.
 */
import type { JsonObject } from "../../protocol/json.js";

/** A person who has logged in. */
export interface LoggedInUser {
  /** The `sub` of access tokens: unique at this issuer and never given to somebody else. */
  readonly subject: string;
  /** The name that the consent page shows. @defaultValue the subject */
  readonly name?: string;
  /**
   * Facts that the resource needs and clients must not see, such as tokens of an upstream provider. The store keeps them with
   * the grant, and `verifyAccessToken` returns them.
   */
  readonly upstream?: JsonObject;
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

/** The next step of a login. */
export type LoginStep =
  /** The user is known; consent is next. */
  | { readonly kind: "user"; readonly user: LoggedInUser }
  /** A form of this server, with a message such as "Wrong name or password". Its values come to `finish`. */
  | { readonly kind: "form"; readonly fields: readonly LoginField[]; readonly message?: string }
  /** The browser goes elsewhere and comes back to `callbackUrl`. `remember` is kept with the transaction. */
  | { readonly kind: "redirect"; readonly url: string; readonly remember?: JsonObject }
  /** The login is over. The client gets this error. */
  | { readonly kind: "failed"; readonly error: "access_denied" | "server_error"; readonly description: string };

/** The browser's reply to the last step: the fields of the form, or the query of the callback. */
export interface LoginReply {
  readonly from: "form" | "callback";
  readonly parameters: URLSearchParams;
}

/**
 * A way to log in.
 *
 * The endpoint calls `finish` only for the browser that `start` was called for, and only with a valid form token or `state`.
 * An error that either throws is reported to `onError`; the client gets `server_error`.
 */
export interface LoginProvider {
  start(transaction: LoginTransaction): Promise<LoginStep>;
  finish(transaction: LoginTransaction, reply: LoginReply): Promise<LoginStep>;
}
