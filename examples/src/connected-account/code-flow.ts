/** The authorization code flow with PKCE, for a web server that is a client of one authorization server. */
import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  ClientSecretBasic,
  calculatePKCECodeChallenge,
  discoveryRequest,
  generateRandomCodeVerifier,
  generateRandomState,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  validateAuthResponse,
} from "oauth4webapi";

export interface CodeFlowOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the authorization server sends the browser back to. */
  readonly redirectUri: string;
  /** The API that the token is for. */
  readonly resource: string;
}

/** What has to be known when the browser comes back. */
export interface StartedFlow {
  readonly url: URL;
  readonly state: string;
  readonly verifier: string;
}

export class CodeFlow {
  readonly #options: CodeFlowOptions;

  constructor(options: CodeFlowOptions) {
    this.#options = options;
  }

  async start(): Promise<StartedFlow> {
    const { clientId, redirectUri, resource } = this.#options;
    const { authorization_endpoint: endpoint } = await this.#server();
    if (endpoint === undefined) throw new Error(`${this.#options.issuer} has no authorization_endpoint`);
    const verifier = generateRandomCodeVerifier();
    const state = generateRandomState();
    const url = new URL(endpoint);
    url.search = new URLSearchParams({
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirectUri,
      resource,
      state,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    }).toString();
    return { url, state, verifier };
  }

  /** The access token. @throws {Error} if the user said no, or the response is not the one to this flow. */
  async finish({ state, verifier }: Omit<StartedFlow, "url">, response: URLSearchParams): Promise<string> {
    const { clientId, clientSecret, redirectUri, resource } = this.#options;
    const server = await this.#server();
    const client = { client_id: clientId };
    const parameters = validateAuthResponse(server, client, response, state);
    const secret = ClientSecretBasic(clientSecret);
    const answer = await authorizationCodeGrantRequest(server, client, secret, parameters, redirectUri, verifier, {
      additionalParameters: { resource },
      ...this.#transport(),
    });
    return (await processAuthorizationCodeResponse(server, client, answer)).access_token;
  }

  async #server(): Promise<AuthorizationServer> {
    const issuer = new URL(this.#options.issuer);
    const response = await discoveryRequest(issuer, { algorithm: "oauth2", ...this.#transport() });
    return processDiscoveryResponse(issuer, response);
  }

  /** Plain HTTP is for this machine. */
  #transport() {
    const isLocal = new URL(this.#options.issuer).hostname === "127.0.0.1";
    return { [allowInsecureRequests]: isLocal, signal: () => AbortSignal.timeout(10_000) };
  }
}
