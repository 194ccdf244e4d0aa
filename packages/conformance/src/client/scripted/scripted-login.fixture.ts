/** The OAuth of the scripted client. */
import { codeChallenge } from "../../wire/code-challenge.js";
import { isObject, type JsonObject, parseJson } from "../../wire/json-rpc.js";
import type { OutgoingCall } from "./client-fault.fixture.js";
import type { Incoming, Sender } from "./sender.fixture.js";

const REDIRECT_URI = "http://127.0.0.1:3999/callback";
const MAX_LOGINS = 3;

interface Server {
  readonly issuer: string;
  readonly metadata: JsonObject;
  readonly resource: string;
  readonly scopes: readonly string[];
}

export class ScriptedLogin {
  readonly #url: URL;
  readonly #sender: Sender;
  readonly #told: Readonly<Record<string, string>>;
  readonly #clients = new Map<string, JsonObject>();
  #token: string | undefined;
  #refresh: string | undefined;
  #issuer: string | undefined;
  #scopes: readonly string[] = [];
  #logins = 0;

  /** `told` may name a client id, or the URL of a metadata document. */
  constructor(url: URL, sender: Sender, told: Readonly<Record<string, string>>) {
    this.#url = url;
    this.#told = told;
    this.#sender = sender;
  }

  async send(call: OutgoingCall): Promise<Incoming> {
    for (;;) {
      const authorization = this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
      const incoming = await this.#sender.send({ ...call, headers: { ...call.headers, ...authorization } });
      const challenge = incoming.headers.get("www-authenticate") ?? "";
      const isStepUp = incoming.status === 403 && /insufficient_scope/.test(challenge) && this.#does("steps-up");
      if (incoming.status !== 401 && !isStepUp) return incoming;
      await incoming.text();
      this.#logins += 1;
      if (this.#logins > (this.#does("bounds-logins") ? MAX_LOGINS : 12)) throw new Error("Too many logins");
      await this.#logIn(challenge, isStepUp);
    }
  }

  async #logIn(challenge: string, isStepUp: boolean): Promise<void> {
    const server = await this.#discover(challenge);
    if (!isStepUp && this.#refresh !== undefined && this.#issuer === server.issuer && this.#does("refreshes-token")) {
      await this.#ask(server, { grant_type: "refresh_token", refresh_token: this.#refresh });
      return;
    }
    const methods = server.metadata.code_challenge_methods_supported;
    if (!(Array.isArray(methods) && methods.includes("S256")) && this.#does("needs-s256")) throw new Error("No S256");
    const client = await this.#register(server);
    const challenged = /scope="?([^",]*)"?/.exec(challenge)?.[1]?.split(" ") ?? server.scopes;
    this.#scopes = [...new Set([...(this.#does("unites-scopes") ? this.#scopes : []), ...challenged])];
    const verifier = "a-verifier-of-more-than-forty-three-characters-0123456789";
    const state = "state-of-the-scripted-client";
    const params = {
      response_type: "code",
      client_id: String(client.client_id),
      redirect_uri: REDIRECT_URI,
      code_challenge: codeChallenge(verifier),
      code_challenge_method: "S256",
      resource: server.resource,
      state,
      ...(this.#scopes.length === 0 ? {} : { scope: this.#scopes.join(" ") }),
    };
    const url = new URL(String(server.metadata.authorization_endpoint));
    url.search = new URLSearchParams(params).toString();
    const redirect = await this.#sender.send({ url, verb: "GET", headers: {} });
    const answer = new URL(redirect.headers.get("location") ?? "").searchParams;
    if (answer.get("state") !== state && this.#does("compares-state")) throw new Error("Another state");
    const iss = answer.get("iss");
    if (iss !== null && iss !== server.issuer && this.#does("compares-iss")) throw new Error("Another issuer");
    const isAdvertised = server.metadata.authorization_response_iss_parameter_supported === true;
    if (iss === null && isAdvertised && this.#does("needs-advertised-iss")) throw new Error("No issuer");
    await this.#ask(server, {
      grant_type: "authorization_code",
      code: answer.get("code") ?? "",
      code_verifier: verifier,
      redirect_uri: REDIRECT_URI,
    });
  }

  async #ask(server: Server, fields: Readonly<Record<string, string>>): Promise<void> {
    const client = this.#clients.get(server.issuer) ?? {};
    const id = String(client.client_id);
    const secret = client.client_secret;
    const method = client.token_endpoint_auth_method;
    const isBasic = method === "client_secret_basic";
    const headers: Record<string, string> = isBasic ? { authorization: `Basic ${btoa(`${id}:${secret}`)}` } : {};
    const form = {
      ...fields,
      client_id: id,
      resource: server.resource,
      ...(method === "client_secret_post" ? { client_secret: String(secret) } : {}),
    };
    const url = new URL(String(server.metadata.token_endpoint));
    const incoming = await this.#sender.send({ url, verb: "POST", headers, form });
    if (incoming.status >= 300 && incoming.status < 400 && !this.#does("refuses-token-redirect")) {
      const target = new URL(incoming.headers.get("location") ?? "");
      await this.#sender.send({ url: target, verb: "POST", headers, form });
    }
    const tokens = parseJson(await incoming.text());
    if (!isObject(tokens) || incoming.status !== 200) throw new Error("No token");
    this.#token = String(tokens.access_token);
    this.#issuer = server.issuer;
    if (this.#does("rotates-refresh-token") || this.#refresh === undefined)
      this.#refresh = typeof tokens.refresh_token === "string" ? tokens.refresh_token : this.#refresh;
  }

  async #register({ issuer, metadata }: Server): Promise<JsonObject> {
    const known =
      this.#clients.get(issuer) ?? (this.#does("registers-anew") ? undefined : [...this.#clients.values()][0]);
    if (known) {
      this.#clients.set(issuer, known);
      return known;
    }
    const given = this.#givenId(metadata);
    if (given !== undefined) {
      this.#clients.set(issuer, { client_id: given });
      return { client_id: given };
    }
    const url = new URL(String(metadata.registration_endpoint));
    const message = {
      client_name: "scripted",
      redirect_uris: [REDIRECT_URI],
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
    const client = parseJson(await (await this.#sender.send({ url, verb: "POST", headers: {}, message })).text());
    this.#clients.set(issuer, client as JsonObject);
    return client as JsonObject;
  }

  #givenId({ client_id_metadata_document_supported: isSupported }: JsonObject): string | undefined {
    const { PARLEY_CHECK_CLIENT_ID: id, PARLEY_CHECK_METADATA_URL: url } = this.#told;
    return id ?? (isSupported === true || !this.#does("asks-for-metadata-url") ? url : undefined);
  }

  async #discover(challenge: string): Promise<Server> {
    const named = this.#does("reads-challenge") ? /resource_metadata="?([^",]+)"?/.exec(challenge)?.[1] : undefined;
    const wellKnown = "/.well-known/oauth-protected-resource";
    const places = [
      ...(this.#does("tries-path-first") ? [`${wellKnown}${this.#url.pathname}`] : []),
      ...(this.#does("tries-root") ? [wellKnown] : []),
    ];
    const resource = await this.#first(
      named === undefined ? places.map((path) => new URL(path, this.#url)) : [new URL(named)],
    );
    if (resource.resource !== this.#url.href && this.#does("compares-resource")) throw new Error("Another resource");
    const issuer = String(Array.isArray(resource.authorization_servers) ? resource.authorization_servers[0] : "");
    const { origin, pathname } = new URL(issuer);
    const path = pathname === "/" ? "" : pathname;
    const oauth = [`/.well-known/oauth-authorization-server${path}`];
    const openid = [
      `/.well-known/openid-configuration${path}`,
      ...(path ? [`${path}/.well-known/openid-configuration`] : []),
    ];
    const ordered = this.#does("tries-oauth-first") ? [...oauth, ...openid] : [...openid, ...oauth];
    const metadata = await this.#first(
      (this.#does("tries-openid") ? ordered : oauth).map((item) => new URL(item, origin)),
    );
    if (metadata.issuer !== issuer && this.#does("compares-issuer")) throw new Error("Another issuer");
    const scopes = Array.isArray(resource.scopes_supported) ? resource.scopes_supported.map(String) : [];
    return { issuer, metadata, resource: String(resource.resource), scopes };
  }

  async #first(urls: readonly URL[]): Promise<JsonObject> {
    for (const url of urls) {
      const incoming = await this.#sender.send({ url, verb: "GET", headers: {} });
      const value = parseJson(await incoming.text());
      if (incoming.status === 200 && isObject(value)) return value;
    }
    throw new Error("No metadata");
  }

  #does(habit: Parameters<Sender["does"]>[0]): boolean {
    return this.#sender.does(habit);
  }
}
