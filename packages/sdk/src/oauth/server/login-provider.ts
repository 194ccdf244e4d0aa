/**
 * The interface between the authorization endpoint and a way to log in. The endpoint owns cookies, form tokens, pages, consent
 * and redirects. A provider chooses the form or the redirect for the browser, and identifies the user.
 */
import type { JsonObject } from "../../runtime/json.js";
import type { UpstreamToken } from "../../transport/auth-info.js";

/** A user who has logged in. */
export interface LoggedInUser {
  /** The `sub` of access tokens: unique at this issuer, and never reused for another user. */
  readonly subject: string;
  /** The name that the consent page shows. @defaultValue the subject */
  readonly name?: string;
  /**
   * Data that clients must not see, such as sealed tokens of an upstream provider. The store keeps it with the grant, and
   * `upstreamToken` of the provider reads it.
   */
  readonly upstream?: JsonObject;
  /**
   * A digest of the user's password or another secret. The store keeps it with sessions and grants, and `isStillValid` of the
   * provider compares it with the current one.
   */
  readonly credentialDigest?: string;
}

/** An authorization request whose user is being asked to log in. */
export interface LoginTransaction {
  /** An unguessable id, to be used as the `state` of a request to an upstream provider. */
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
  /** The `remember` of the provider's last redirect. */
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
   * Shows the consent page before the login, which an upstream provider needs. The endpoint passes its form to `finish`, with the
   * `provider` that the user chose, or with the `decision` `deny`.
   */
  | { readonly kind: "consent"; readonly choices: readonly LoginChoice[] }
  /** The user has logged in. Consent follows, unless `isApproved`: a step `consent` came before, and no session is kept. */
  | { readonly kind: "user"; readonly user: LoggedInUser; readonly isApproved?: boolean }
  /** Shows a form, with a message such as "Wrong name or password". The endpoint passes its values to `finish`. */
  | { readonly kind: "form"; readonly fields: readonly LoginField[]; readonly message?: string }
  /** Redirects the browser to a URL that redirects it back to `callbackUrl`. `remember` is kept with the transaction. */
  | { readonly kind: "redirect"; readonly url: string; readonly remember?: JsonObject }
  /** The login has failed. The client gets the error. With a message, the user sees a page with it first. */
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
  /** The path of a callback. */
  readonly path?: string;
}

/** The `upstream` of a user, as the store keeps it with a grant. */
export interface KeptUpstream {
  /** The key of the grant in the store. */
  readonly key: string;
  readonly subject: string;
  /** Undefined once the grant has ended. */
  read(): Promise<JsonObject | undefined>;
  /** Replaces the record that was read. Does nothing if the record has changed since, or the grant has ended. */
  replace(before: JsonObject, after: JsonObject): Promise<void>;
  /** Revokes the grant, since the upstream provider has ended its own. Does nothing if the record has changed since. */
  revoke(before: JsonObject): Promise<void>;
}

/**
 * A way to log in.
 *
 * The endpoint calls `finish` only for the browser that `start` was called for, and only with a valid form token or `state`.
 * An error of `start` or `finish` is reported to `onError`, and the client gets `server_error`.
 */
export interface LoginProvider {
  /** Names of callback paths below `callbackUrl`, one for each upstream provider. @defaultValue none */
  readonly callbacks?: readonly string[];
  start(transaction: LoginTransaction): Promise<LoginStep>;
  finish(transaction: LoginTransaction, reply: LoginReply): Promise<LoginStep>;
  /** Returns the upstream token of a valid grant, from its `upstream`. Handlers get it as `context.auth.upstream()`. */
  upstreamToken?(kept: KeptUpstream): Promise<UpstreamToken | undefined>;
  /**
   * Whether a user who logged in earlier still has access. Called for each refresh, and for each authorization request of a
   * logged-in browser. False ends the grant or the session. An error refuses the request and ends nothing.
   * @defaultValue every user has access until the grant or the session ends
   */
  isStillValid?(user: Pick<LoggedInUser, "subject" | "credentialDigest" | "upstream">): Promise<boolean>;
}
