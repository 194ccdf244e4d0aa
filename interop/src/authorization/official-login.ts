/** An application around an official client: keeps its credentials in memory, opens the browser, and connects again after a login. */
import { CALLBACK, type FormBrowser } from "./form-browser.js";
import type { LoggedInClient } from "./login-peer.js";

/** The provider that both major versions ask for, apart from the types of what they store. */
export class MemoryProvider<Registration, Tokens, Discovery> {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = {
    client_name: "interop",
    redirect_uris: [CALLBACK],
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "none",
  };
  /** The query that the browser brought back. */
  answer = new URLSearchParams();
  readonly #browser: Pick<FormBrowser, "logIn">;
  #registration: Registration | undefined;
  #tokens: Tokens | undefined;
  #discovery: Discovery | undefined;
  #verifier = "";

  constructor(browser: Pick<FormBrowser, "logIn">) {
    this.#browser = browser;
  }

  clientInformation(): Registration | undefined {
    return this.#registration;
  }

  saveClientInformation(registration: Registration): void {
    this.#registration = registration;
  }

  tokens(): Tokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: Tokens): void {
    this.#tokens = tokens;
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    this.answer = (await this.#browser.logIn(url)).url.searchParams;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  discoveryState(): Discovery | undefined {
    return this.#discovery;
  }

  saveDiscoveryState(discovery: Discovery): void {
    this.#discovery = discovery;
  }

  invalidateCredentials(what: "all" | "client" | "tokens" | "verifier" | "discovery"): void {
    if (what === "all" || what === "client") this.#registration = undefined;
    if (what === "all" || what === "tokens") this.#tokens = undefined;
    if (what === "all" || what === "discovery") this.#discovery = undefined;
  }
}

export interface OfficialConnection {
  connect(): Promise<void>;
  callTool(name: string): Promise<string>;
  /** Exchanges the code that the browser brought back. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** Does as their documentation says: after `UnauthorizedError` the login is finished, and the application connects again. */
export async function withLogins(
  open: () => OfficialConnection,
  wantsLogin: (error: unknown) => boolean,
): Promise<LoggedInClient> {
  let connection = open();
  const logInFor = async (error: unknown): Promise<void> => {
    if (!wantsLogin(error)) throw error;
    await connection.finish();
    await connection.close();
    connection = open();
    await connection.connect();
  };
  await connection.connect().catch(logInFor);
  return {
    callTool: async (name) => {
      try {
        return await connection.callTool(name);
      } catch (error) {
        await logInFor(error);
        return connection.callTool(name);
      }
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}
