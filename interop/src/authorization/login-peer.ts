/** Clients and servers of any implementation that know authorization. */
import type { FormBrowser } from "./form-browser.js";

export const SCOPES = { read: "notes:read", write: "notes:write" } as const;

/** What every client is asked to do. */
export const LOGIN_FEATURES = ["login", "refresh", "step-up", "login again"] as const;
export type LoginFeature = (typeof LOGIN_FEATURES)[number];

/** A place where a peer departs from the specification. docs/interop.md shows it with the wire. */
export interface LoginDeparture {
  readonly id: string;
  /** What the check complains of. */
  readonly complaint: RegExp;
}

export interface LoggedInClient extends AsyncDisposable {
  /** The text of the result. Whoever has to log in for it does so. */
  callTool(name: string): Promise<string>;
  /** What the client's process printed so far, for a failure to show. */
  printed?(): string;
}

export interface LoginClient {
  readonly name: string;
  readonly packageName: string;
  /** What the client does not do, and why. */
  readonly lacks: Partial<Record<LoginFeature, string>>;
  readonly departs: Partial<Record<LoginFeature, LoginDeparture>>;
  /** Connects, and logs in on the way. The clock is the server's, for clients that take one. */
  connect(url: string, browser: FormBrowser, now: () => number): Promise<LoggedInClient>;
}

/** Has the tools `whoami`, which any token may call, and `write`, which needs `SCOPES.write`. */
export interface RunningLoginServer extends AsyncDisposable {
  readonly url: string;
  /** What `whoami` says. */
  readonly subject: string;
  now(): number;
  /** Has every access token expire. */
  expireAccessTokens(): Promise<void>;
  /** Has every refresh token expire, and every access token. */
  expireGrants(): Promise<void>;
}

export interface LoginServer {
  readonly name: string;
  readonly authorizationServer: string;
  readonly packageNames: readonly string[];
  readonly lacks: Partial<Record<LoginFeature, string>>;
  readonly departs?: Partial<Record<LoginFeature, LoginDeparture>>;
  start(): Promise<RunningLoginServer>;
}
